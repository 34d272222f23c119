"""The order of the tests: first those that kill most mutants per request, so that a small budget finds most faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from pix_conformance.harness.order_of_tests import OrderOfTests, Place
from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof import plan, publish
from pix_conformance.proof.measured_run import Effects, MeasuredRun, Message, measured_run
from pix_conformance.proof.mutants.registry import Mutant
from pix_conformance.proof.mutants.registry import load as mutants
from pix_conformance.proof.recorded_tests import RecordedTests
from pix_conformance.report import explain
from pix_conformance.results.bundle.values import Bundle

GENERATED = "schema"
"""The class of the mutants that the OpenAPI files generate: each response or event of one kind is wrong."""
Key = TypeVar("Key", str, Message)
LEAST = 0.1
"""Requests for which a test counts that sends none."""


@dataclass(frozen=True)
class Kill:
    """What kills a mutant: any one of the tests, or the messages together, if there are any."""

    mutant: str
    api: Api
    tests: frozenset[str]
    messages: frozenset[Message]


def store(bundle: Bundle, record: RecordedTests) -> OrderOfTests:
    """Order the tests of a whole run by the mutants that were measured, and write the order.

    A test kills a mutant if it failed on it in recall, which ends with the first failure of each requirement that the
    mutant breaks, or in a run to the end of the tests of its API, which some mutants have.
    """
    run = measured_run(bundle, record)
    rows = publish.read_rows().get("collateral", {"rows": []})["rows"]
    killers = {name: {*tests} for name, tests in explain.kills().items()}
    for row in rows:
        killers.setdefault(row["mutant"], set()).update(row["killers"])
    wanted = kills(mutants().values(), killers, run, record.whole_run)
    found = Ordering(run, record, wanted)
    order = OrderOfTests(
        measured=bundle.run.started[:10],
        whole_runs=sum(row["mutant"] in mutants() for row in rows),
        mutants=Counter(one.api for one in wanted),
        preflight=Counter(one.api for one in found.killed_by_preflight),
        fixtures={name: one.requests for name, one in run.fixtures.items()},
        tests=found.all(),
    )
    order.write()
    return order


def kills(
    mutants: Iterable[Mutant], killers: Mapping[str, Iterable[str]], run: MeasuredRun, whole_run: frozenset[str]
) -> list[Kill]:
    """Return what kills each mutant, by the test cases that failed on it.

    A test that judges the whole run kills by what others send, so it does not count.
    """
    return [
        Kill(
            one.id,
            plan.api(one),
            frozenset(killers.get(one.id, ())) & run.tests.keys() - whole_run,
            _messages(one, run),
        )
        for one in mutants
    ]


def _messages(mutant: Mutant, run: MeasuredRun) -> frozenset[Message]:
    """Return the messages that show a generated mutant: those that its id names, or else all of its requirement."""
    requirement, _, rest = mutant.id.partition("/")
    if mutant.group != GENERATED or not load()[requirement].passive:
        return frozenset()
    places = run.judged_on.get(requirement, ())
    named = [one for one in places if rest.startswith(f"{one.partition('.')[2]}.")]
    return frozenset((requirement, one) for one in named or places)


@dataclass
class Ordering:
    """The tests that were chosen so far, and what is left."""

    run: MeasuredRun
    record: RecordedTests
    kills: Sequence[Kill]
    chosen: dict[str, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with the preflight, which every run has."""
        self._numbers = {name: at for at, name in enumerate(self.run.fixtures)}
        self._made: set[str] = set()
        self._succeeded, self._shown = set(self.run.preflight.succeeded), set(self.run.preflight.shown)
        self._left = dict.fromkeys(self.run.tests)
        self._alive = {one.mutant for one in self.kills}
        self._unasked = {one.id for one in load().values() if one.level is Level.MUST}
        killed = self._killed([], self._shown)
        self.killed_by_preflight = [one for one in self.kills if one.mutant in killed]
        self._alive -= killed

    @cached_property
    def _by_test(self) -> Mapping[str, list[Kill]]:
        return _grouped((test, one) for one in self.kills for test in one.tests)

    @cached_property
    def _by_message(self) -> Mapping[Message, list[Kill]]:
        return _grouped((message, one) for one in self.kills for message in one.messages)

    def all(self) -> Mapping[str, Place]:
        """Choose all tests, those with most new mutants per request first, then those with most new musts."""
        while self._left:
            best = max(map(self._with_needed, self._left), key=self._worth)
            for test in best:
                self._choose(test)
        return self.chosen

    def _worth(self, tests: list[str]) -> tuple[float, float, float]:
        requests = max(LEAST, sum(one.requests for one in self._new_effects(tests)))
        shown = set().union(*(one.shown for one in self._new_effects(tests))) - self._shown
        killed = len(self._killed(tests, shown))
        musts = len(self._asked(tests, shown)) if not killed else 0
        return killed / requests, musts / requests, -requests

    def _with_needed(self, test: str) -> list[str]:
        """Return a test and those that stand together with it, after those without which it would not count."""
        group = next((one for one in self.record.together if test in one), (test,))
        tests = [one for one in group if one in self._left]
        needed = set().union(*(self.run.tests[one].needs for one in tests)) - self._succeeded
        needed -= set().union(*(one.succeeded for one in self._new_effects(tests)))
        before = [found for operation in sorted(needed) if (found := self._cheapest.get(operation))]
        return [*dict.fromkeys(one for one in before if one in self._left and one not in tests), *tests]

    @cached_property
    def _cheapest(self) -> Mapping[str, str]:
        """The test with the fewest requests in which an operation succeeds."""
        found: dict[str, tuple[int, str]] = {}
        for test in self.run.tests:
            effects = self._new_effects([test])
            cost = sum(one.requests for one in effects), test
            for operation in set().union(*(one.succeeded for one in effects)):
                found[operation] = min(cost, found.get(operation, cost))
        return {operation: test for operation, (_, test) in found.items()}

    def _new_effects(self, tests: Iterable[str]) -> list[Effects]:
        """Return the tests, and the fixtures of them that are not made yet."""
        measured = [self.run.tests[one] for one in tests]
        fixtures = {name for one in measured for name in one.fixtures} - self._made
        return [*measured, *(self.run.fixtures[name] for name in fixtures)]

    def _killed(self, tests: Iterable[str], shown: set[Message]) -> set[str]:
        """Return the mutants still alive that these tests kill, or these messages with those that were shown."""
        found = {one.mutant for test in tests for one in self._by_test.get(test, ())}
        every = self._shown | shown
        several = (one for message in shown for one in self._by_message.get(message, ()))
        return (found | {one.mutant for one in several if one.messages <= every}) & self._alive

    def _asked(self, tests: Iterable[str], shown: set[Message]) -> set[str]:
        asked = set().union(*(self.run.tests[one].asks for one in tests)) | {requirement for requirement, _ in shown}
        return asked & self._unasked

    def _choose(self, test: str) -> None:
        effects = self._new_effects([test])
        shown = set().union(*(one.shown for one in effects)) - self._shown
        killed, asked = self._killed([test], shown), self._asked([test], shown)
        measured = self.run.tests[test]
        fixtures = tuple(self._numbers[name] for name in measured.fixtures)
        self.chosen[test] = Place(measured.requests, fixtures, len(killed), len(asked))
        self._made |= set(measured.fixtures)
        self._succeeded |= set().union(*(one.succeeded for one in effects))
        self._shown |= shown
        self._unasked -= asked
        self._alive -= killed
        del self._left[test]


def _grouped(pairs: Iterable[tuple[Key, Kill]]) -> Mapping[Key, list[Kill]]:
    found: defaultdict[Key, list[Kill]] = defaultdict(list)
    for key, one in pairs:
        found[key].append(one)
    return found
