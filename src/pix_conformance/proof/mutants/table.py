"""Makes a class of each row of a table."""

from collections.abc import Mapping
from typing import Any


def family(module: str, group: str, base: type, rows: Mapping[str, tuple[str, str, dict[str, Any]]]) -> dict[str, type]:
    """Make one class of each row: its name, what is wrong in one sentence, the ids that it breaks, its members.

    The ids may end in ", seen in" and others, whose tests send what shows it.
    """
    found = {}
    for name, (sentence, ids, members) in rows.items():
        breaks, _, seen_in = ids.partition(", seen in ")
        said = {"group": group, "breaks": tuple(breaks.split()), "seen_in": tuple(seen_in.split())}
        found[name] = type(name, (base,), {"__module__": module, "__doc__": sentence, **said, **members})
    return found
