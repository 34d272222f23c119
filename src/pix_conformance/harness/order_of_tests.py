"""The order of the tests by what they kill per request, as measured: data/order_of_tests.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Self

import pytest

from pix_conformance.model.paths import DATA

ORDER = DATA / "order_of_tests.json"
"""Written by `python -m pix_conformance.proof order`."""


@dataclass(frozen=True)
class Place:
    """A test in the order: its own requests, the shared fixtures that it uses, and what no earlier test adds."""

    requests: int
    fixtures: tuple[int, ...]
    """The positions of these fixtures in `OrderOfTests.fixtures`."""
    killed: int
    """Mutants that it kills and no earlier test."""
    musts: int
    """Musts that it asks and no earlier test."""


@dataclass(frozen=True)
class OrderOfTests:
    """The tests, those first that kill most mutants per request."""

    measured: str
    """The date, ISO 8601."""
    whole_runs: int
    """How many mutants ran to the end of the tests of their API; of the others, one test that kills is known."""
    mutants: Mapping[str, int]
    """How many mutants were tried, by API."""
    preflight: Mapping[str, int]
    """How many of them the preflight shows, by API."""
    fixtures: Mapping[str, int]
    """The requests of each shared fixture that sends any."""
    tests: Mapping[str, Place]
    """By node id, in the order."""

    @classmethod
    def read(cls) -> Self:
        """Read the stored order."""
        stored = json.loads(ORDER.read_text(encoding="utf-8"))
        tests = {name: Place(row[0], tuple(row[1]), *row[2:]) for name, row in stored.pop("tests").items()}
        return cls(**stored, tests=tests)

    def write(self) -> None:
        """Store the order, a line for each test."""
        head = {name: value for name, value in vars(self).items() if name != "tests"}
        rows = (
            f"{json.dumps(name, ensure_ascii=False)}: "
            f"{json.dumps([one.requests, one.fixtures, one.killed, one.musts], separators=(',', ':'))}"
            for name, one in self.tests.items()
        )
        body = ",\n".join(rows)
        ORDER.write_text(f'{json.dumps(head)[:-1]}, "tests": {{\n{body}\n}}}}\n', encoding="utf-8")

    def curve(self) -> Iterator[tuple[int, int, int]]:
        """Yield requests, musts asked and mutants killed after each test that kills a mutant for the first time."""
        made, sums = set[int](), [0, 0, sum(self.preflight.values())]
        for test, one in self.tests.items():
            sums = [sums[0] + self.requests(test, made), sums[1] + one.musts, sums[2] + one.killed]
            made |= {*one.fixtures}
            if one.killed:
                yield sums[0], sums[1], sums[2]

    def requests(self, test: str, made: AbstractSet[int]) -> int:
        """Return the requests of a test, with those of its fixtures that are not made."""
        one = self.tests[test]
        numbers = list(self.fixtures.values())
        return one.requests + sum(numbers[at] for at in one.fixtures if at not in made)


@cache
def order_of_tests() -> OrderOfTests:
    """Return the stored order."""
    return OrderOfTests.read()


@cache
def positions() -> Mapping[str, int]:
    """Return the place of each test in the order, by its node id."""
    return {name: at for at, name in enumerate(order_of_tests().tests)}


def position(item: pytest.Item) -> int:
    """Return the place of a test in the order; one that was added since is behind all others."""
    return positions().get(item.nodeid, len(positions()))
