"""Walks: random sequences of requests, each judged against a model of what it created.

hypothesis chooses the moves. Of a walk that fails, it searches the shortest that fails, if requests are cheap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Protocol

from hypothesis import Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from pix_conformance.generation.examples import database_of
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed
from pix_conformance.model.settings import Generation
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.facts import Expected, FailedWalk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pix_conformance.harness.run import Run
    from pix_conformance.model.exchange import Exchange

STEPS, SLOW_SHARE, NO_MOVE = 15, 3, ""
"""Steps of a walk; how many times fewer walks are made against a target that is not fast; a step of no requests.

hypothesis begins with a walk of the first move alone, fifteen times: that is the step of no requests.
"""
FAST_MS, MEASURED = 50, 10
"""A target is fast if the median of its response times is at most so long, of at least so many responses."""
BUDGET_S = 20.0
"""How long the walks of a test may take against a target that is not fast."""
OBJECTS = 7
Move = Callable[[int], None]
"""Sends the requests of one step, about the object of that number: 0 is the newest."""


class Model(Protocol):
    """What one walk has created, and the moves that it may make."""

    @property
    def moves(self) -> Mapping[str, Move]:
        """The moves by name; every model of one test has the same."""

    def finish(self) -> None:
        """Judge what is judged at the end of a walk only."""

    def remove(self) -> None:
        """Remove what the walk left at the target."""


def is_fast(run: Run, api: Api) -> bool:
    """Return whether requests are cheap: the embedded reference, or a target whose responses were measured as fast."""
    times = [
        exchange.elapsed_ms for exchange in run.sender.facts.exchanges if exchange.api == api and exchange.response
    ]
    return run.target.embedded or (
        len(times) >= MEASURED and run.settings.bounds.rate is None and median(times) <= FAST_MS
    )


class Walks:
    """The walks of one test."""

    def __init__(self, run: Run, api: Api, new_model: Callable[[], Model], *, count: int) -> None:
        """Take a function that makes an empty model; `count` walks are made with the default of --examples."""
        self._run, self._new_model, self.fast, self._usual = run, new_model, is_fast(run, api), count
        self._ends = float("inf") if self.fast else time.monotonic() + BUDGET_S
        self._obstacle: Inconclusive | NotApplicable | None = None
        self._failures: dict[str, tuple[int, Expected]] = {}
        """By requirement, how many exchanges were before the last walk that failed it, and what it expected."""
        self._failure: RequirementFailed | None = None
        self._begun = 0

    @property
    def count(self) -> int:
        """How many walks are made: more with --examples."""
        usual = self._usual if self.fast else max(1, self._usual // SLOW_SHARE)
        return max(1, usual * self._run.settings.generation.examples // Generation.examples)

    def make(self) -> None:
        """Make the walks. Raises RequirementFailed for the shortest walk that fails, Inconclusive if one is stopped."""
        database = database_of(self._run.current_test.node or "")
        phases = [Phase.explicit, Phase.reuse, Phase.generate, *([Phase.shrink] if self.fast else [])]
        bounds = settings(max_examples=self.count + 1, stateful_step_count=STEPS, phases=phases, database=database)
        own = f"{self._run.settings.generation.seed} {self._run.current_test.node}"  # two tests make different walks
        try:
            run_state_machine_as_test(seed(own)(self._machine()), settings=bounds)
        except BaseException as raised:
            self._record_shortest()
            if isinstance(raised, Flaky) and self._failure:  # the walk went on when it was made again
                raise self._failure from None
            raise
        if self._obstacle:
            raise self._obstacle

    def _machine(self) -> type[RuleBasedStateMachine]:
        walks, moves = self, [NO_MOVE, *self._new_model().moves]

        class Walk(RuleBasedStateMachine):
            def __init__(self) -> None:
                super().__init__()
                self.model = walks.begin()

            @rule(move=st.sampled_from(moves), number=st.integers(0, OBJECTS))
            def step(self, move: str, number: int) -> None:
                if move != NO_MOVE:
                    walks.step(lambda: self.model.moves[move](number))

            def teardown(self) -> None:
                try:
                    walks.step(self.model.finish)
                finally:
                    self.model.remove()

        return Walk

    def begin(self) -> Model:
        """Begin a walk with an empty model."""
        self._begun = len(self._run.sender.facts.exchanges)
        return self._new_model()

    def step(self, move: Callable[[], None]) -> None:
        """Make one move, unless an earlier one showed that no more can be made, or the time is over."""
        if self._obstacle or (not self._failures and time.monotonic() > self._ends):
            return
        try:
            with self._noting_failure():
                move()
        except (Inconclusive, NotApplicable) as why:
            self._obstacle = why

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except RequirementFailed as failure:
            self._failure = failure
            expected = next(expected for expected in reversed(self._run.sender.facts.expected) if expected.mismatches)
            self._failures.update(dict.fromkeys(expected.requirements, (self._begun, expected)))
            raise

    def _record_shortest(self) -> None:
        """Record the exchanges of the last walk that failed, which is the shortest, for the report."""
        facts = self._run.sender.facts
        for begun, failed in self._failures.values():
            walked = [exchange for exchange in facts.exchanges[begun:] if exchange.operation != "authenticate"]
            last = next(place for place, exchange in enumerate(walked) if exchange.evidence == failed.evidence)
            steps = tuple(exchange.id for exchange in _without_repeated_reads(walked[: last + 1]))
            facts.add(FailedWalk(expected=failed.number, steps=steps))


def _without_repeated_reads(exchanges: list[Exchange]) -> list[Exchange]:
    """Leave out a read that is followed by the same read: only the last one of a poll tells something."""
    pairs = zip(exchanges, [*exchanges[1:], None], strict=True)
    return [
        exchange
        for exchange, after in pairs
        if after is None or exchange.request.method != "GET" or not _same(exchange, after)
    ]


def _same(exchange: Exchange, after: Exchange) -> bool:
    return (exchange.request.method, exchange.request.url) == (after.request.method, after.request.url)
