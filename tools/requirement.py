"""`python -m tools.requirement PAY-EVT`: the next free id of an area.

An id is never used again: those of the history of requirements.toml and of the editions count as used.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Collection, Sequence
from functools import cache

from pix_conformance.model import editions
from pix_conformance.model.areas import AREAS
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.profile import PROFILES

LAST = 99
ID = "(?:PAY|BUS)-[A-Z]+-[0-9][0-9]"


@cache
def used() -> frozenset[str]:
    """Return the ids of today, of each edition, and of each commit; without git those of its commits are missing."""
    released = {name for edition in editions.names() for name in editions.edition(edition)}
    return frozenset({*catalogue(), *released, *_committed()})


def _committed() -> set[str]:
    command = ["git", "log", "-p", "-U0", "--format=", "--", "*requirements.toml"]
    try:
        done = subprocess.run(command, cwd=TEST_TREE, text=True, capture_output=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return set()
    return set(re.findall(rf'^[-+]id = "({ID})"', done.stdout, re.MULTILINE))


def free_numbers(area: str, ids: Collection[str]) -> list[int]:
    """Return the numbers that an area never had, in the order in which they are given away: new ones, then gaps."""
    numbers = {int(name.rpartition("-")[2]) for name in ids if name.startswith(f"{area}-")}
    highest = max(numbers, default=0)
    return [*range(highest + 1, LAST + 1), *(number for number in range(1, highest) if number not in numbers)]


def next_free_id(area: str, ids: Collection[str] | None = None) -> str:
    """Return the next free id of an area such as PAY-EVT. Raises ValueError if all of its numbers are used."""
    free = free_numbers(area, used() if ids is None else ids)
    if not free:
        raise ValueError(f"all ids of {area} are used: an area of its own is due (AREAS in model/areas.py)")
    return f"{area}-{free[0]:02}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the next free id, then what else is free and which ids are used up."""
    areas = {f"{profile.prefix}-{name}" for profile in PROFILES.values() for name in AREAS}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("area", metavar="AREA", type=str.upper, help="such as PAY-EVT")
    area = parser.parse_args(arguments).area
    if area not in areas:
        parser.error(f"{area} is no area of AREAS in model/areas.py, such as PAY-EVT")
    try:
        print(next_free_id(area))  # noqa: T201  # the output of the command
    except ValueError as error:
        parser.error(str(error))
    gone = sorted(name for name in used() - set(catalogue()) if name.startswith(f"{area}-"))
    gaps = [f"{number:02}" for number in sorted(free_numbers(area, used())) if number < _highest(area)]
    print(f"gaps: {', '.join(gaps) or 'none'}; used up: {', '.join(gone) or 'none'}", file=sys.stderr)  # noqa: T201
    return 0


def _highest(area: str) -> int:
    return max((int(name.rpartition("-")[2]) for name in used() if name.startswith(f"{area}-")), default=0)


if __name__ == "__main__":
    sys.exit(main())
