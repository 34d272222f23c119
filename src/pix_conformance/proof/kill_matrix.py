"""The kill matrix: which test case fails on which mutant, from runs of a whole API that go to their end.

Two mutants with the same killers are one class. A mutant is subsumed by another one if every test that kills the
other also kills it: then it asks nothing more of the suites. A test is needed if it is the only killer of a mutant.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Killers = frozenset[str]


@dataclass(frozen=True)
class KillMatrix:
    """The killers of each killed mutant, by its id; `sizes` says which of equal mutants is the smallest."""

    killers: Mapping[str, Killers]
    sizes: Mapping[str, int]

    @cached_property
    def classes(self) -> list[list[str]]:
        """The mutants with the same killers; the smallest of each class first."""
        found: dict[Killers, list[str]] = defaultdict(list)
        for name, tests in self.killers.items():
            found[tests].append(name)
        return [sorted(names, key=lambda one: (self.sizes.get(one, 0), one)) for names in found.values()]

    @cached_property
    def subsumed(self) -> set[str]:
        """The smallest of those classes that a class with fewer killers makes superfluous."""
        return {one[0] for one in self.classes if any(other < self.killers[one[0]] for other in self._sets)}

    @cached_property
    def _sets(self) -> set[Killers]:
        return set(self.killers.values())

    @cached_property
    def minimal(self) -> list[str]:
        """One mutant of each class that is not subsumed: what kills these kills all."""
        return sorted(one[0] for one in self.classes if one[0] not in self.subsumed)

    @cached_property
    def tests(self) -> set[str]:
        """The test cases that kill at least one mutant."""
        return set().union(*self.killers.values())

    @cached_property
    def needed(self) -> set[str]:
        """The test cases that are the only killer of a mutant."""
        return {test for tests in self._sets if len(tests) == 1 for test in tests}

    def killed_by_none_but(self, tests: AbstractSet[str]) -> list[str]:
        """Return the mutants whose killers are all among these test cases."""
        return sorted(name for name, killers in self.killers.items() if killers <= tests)

    @cached_property
    def chosen(self) -> list[str]:
        """Few test cases that together kill every mutant, most kills first: each kills most of what is left."""
        left, found = dict(self.killers), []
        while left:
            counts: dict[str, int] = defaultdict(int)
            for tests in left.values():
                for test in tests:
                    counts[test] += 1
            found.append(min(counts, key=lambda one: (-counts[one], one)))
            left = {name: tests for name, tests in left.items() if found[-1] not in tests}
        return found


def of_rows(rows: Iterable[Mapping[str, Any]], sizes: Mapping[str, int]) -> KillMatrix:
    """Make the matrix of the rows of runs that went to their end."""
    return KillMatrix({row["mutant"]: frozenset(row["killers"]) for row in rows if row["killers"]}, sizes)


def compact(matrix: KillMatrix) -> str:
    """Write the matrix as JSON: the test cases once, and for each mutant the positions of its killers."""
    tests = sorted(matrix.tests)
    position = {test: at for at, test in enumerate(tests)}
    rows = {name: sorted(position[one] for one in killers) for name, killers in sorted(matrix.killers.items())}
    return json.dumps({"tests": tests, "mutants": rows}, ensure_ascii=False, separators=(",", ":"))


def by_function(matrix: KillMatrix) -> KillMatrix:
    """Return the matrix of test functions instead of their cases."""
    killers = {name: frozenset(one.partition("[")[0] for one in tests) for name, tests in matrix.killers.items()}
    return KillMatrix(killers, matrix.sizes)


def summary(
    matrix: KillMatrix, functions: Iterable[str], generated: AbstractSet[str], groups: Mapping[str, str]
) -> dict[str, Any]:
    """Return the figures of the matrix.

    `functions` are all test functions of the suites, `generated` the test cases whose requests are generated, `groups`
    the class of each mutant.
    """
    known, coarse = set(functions), by_function(matrix)
    return {
        "mutants": len(matrix.killers),
        "classes": len(matrix.classes),
        "subsumed": len(matrix.subsumed),
        "minimal": len(matrix.minimal),
        "cases": len(matrix.tests),
        "enough": len(matrix.chosen),
        "functions": len(known),
        "killing": len(coarse.tests & known),
        "needed": len(coarse.needed & known),
        "only_generated": dict(Counter(groups[one] for one in matrix.killed_by_none_but(generated)).most_common()),
    }
