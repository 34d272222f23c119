"""Changes one value inside of a JSON document."""

import json
from typing import Any

GONE: Any = object()
"""As a new value: the field is left out. As a value that was sent: the field was not."""


def changed(body: Any, where: str, change: Any) -> Any:
    """Return a copy with the value at a path changed (`data.splits.*.email`; "" is the body): `*` is every element.

    The change is a function of the old value, a new value, or GONE. What is not there stays away.
    """
    return _changed(body, where.split("."), change)


def _changed(node: Any, names: list[str], change: Any) -> Any:
    if names in ([], [""]):
        return node if node is GONE else change(node) if callable(change) else change
    first, rest = names[0], names[1:]
    if first == "*":
        return [_changed(one, rest, change) for one in node]
    if not isinstance(node, dict) or (rest and first not in node):
        return node
    new = _changed(node.get(first, GONE), rest, change)
    others = {name: value for name, value in node.items() if name != first or new is not GONE}
    return others | ({} if new is GONE else {first: new})


def in_words(change: Any) -> str:
    """Say what a change makes of a value; a function needs a sentence of its own (`says`)."""
    if change is GONE:
        return "is missing"
    return "is wrong" if callable(change) else f"is {json.dumps(change, ensure_ascii=False)}"
