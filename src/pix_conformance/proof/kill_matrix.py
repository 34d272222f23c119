"""The kill matrix: which test case fails on which mutant, from runs of a whole API that go to their end.

Two mutants with the same killers are one class. A mutant is subsumed by another one if every test that kills the
other also kills it: then it asks nothing more of the suites. A test is needed if it is the only killer of a mutant.
"""

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
        equal: dict[Killers, list[str]] = defaultdict(list)
        for name, tests in self.killers.items():
            equal[tests].append(name)
        return [sorted(names, key=lambda name: (self.sizes.get(name, 0), name)) for names in equal.values()]

    @cached_property
    def subsumed(self) -> set[str]:
        """The smallest of those classes that a class with fewer killers makes superfluous."""
        return {names[0] for names in self.classes if any(other < self.killers[names[0]] for other in self._sets)}

    @cached_property
    def _sets(self) -> set[Killers]:
        return set(self.killers.values())

    @cached_property
    def minimal(self) -> list[str]:
        """One mutant of each class that is not subsumed: what kills these kills all."""
        return sorted(names[0] for names in self.classes if names[0] not in self.subsumed)

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
        alive, chosen = dict(self.killers), []
        while alive:
            counts: dict[str, int] = defaultdict(int)
            for tests in alive.values():
                for test in tests:
                    counts[test] += 1
            chosen.append(min(counts, key=lambda test: (-counts[test], test)))
            alive = {name: tests for name, tests in alive.items() if chosen[-1] not in tests}
        return chosen


def of_rows(rows: Iterable[Mapping[str, Any]], sizes: Mapping[str, int]) -> KillMatrix:
    """Make the matrix of the rows of runs that went to their end."""
    return KillMatrix({row["mutant"]: frozenset(row["killers"]) for row in rows if row["killers"]}, sizes)


def summary(
    matrix: KillMatrix, functions: Iterable[str], generated: AbstractSet[str], groups: Mapping[str, str]
) -> dict[str, Any]:
    """Return the figures of the matrix.

    `functions` are all test functions of the suites, `generated` the test cases whose requests are generated, `groups`
    the class of each mutant.
    """
    names = set(functions)
    by_function = {name: frozenset(test.partition("[")[0] for test in tests) for name, tests in matrix.killers.items()}
    coarse = KillMatrix(by_function, matrix.sizes)
    return {
        "mutants": len(matrix.killers),
        "classes": len(matrix.classes),
        "subsumed": len(matrix.subsumed),
        "minimal": len(matrix.minimal),
        "cases": len(matrix.tests),
        "enough": len(matrix.chosen),
        "functions": len(names),
        "killing": len(coarse.tests & names),
        "needed": len(coarse.needed & names),
        "only_generated": dict(
            Counter(groups[mutant] for mutant in matrix.killed_by_none_but(generated)).most_common()
        ),
    }
