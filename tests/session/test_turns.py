"""Whose turn it is while the tests run: timely tests are in time, and short tests fill the time before them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.deferred import PARTS, DeferredTests, Parts
from pix_conformance.session import turns
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.turns import Turns

RESPONSE_S = 1.0
"""How long a request takes here; a long test sends ten."""


@dataclass(eq=False)
class FakeTest:
    """A test that pytest runs: `seconds` long, with a `yield` and so many seconds between if it is deferred."""

    run: "FakeRun"
    nodeid: str
    seconds: float = RESPONSE_S
    age: float | None = None
    obj: Any = None

    @property
    def session(self) -> Any:
        return self.run

    @property
    def config(self) -> Any:
        return SimpleNamespace(stash={KEY: self.run})

    @property
    def ihook(self) -> Any:
        return SimpleNamespace(pytest_runtest_protocol=self.run.protocol)

    def get_closest_marker(self, name: str) -> Any:
        return SimpleNamespace(args=(self.age,)) if name == "deferred" and self.age is not None else None


class FakeRun:
    """A session and its state: pytest asks for each test, by its place; `steps` are the tests that ran, and when."""

    def __init__(self) -> None:
        self.items: list[FakeTest] = []
        self.now = self.between = 0.0
        self.steps: list[tuple[str, float]] = []
        self.deferred = DeferredTests()
        self.deferred.due_within, self.deferred.near_within = 2 * RESPONSE_S, 10 * RESPONSE_S
        self.waits = SimpleNamespace(pause=self.pass_time)
        self.clock: Any = SimpleNamespace(now=lambda: self.now, passes=True, wait_until_aged=self.wait_until)
        self.run: Any = None
        self.config: Any = None
        self.current_test = CurrentTest()
        self._setupstate = SimpleNamespace(teardown_exact=lambda _: None)

    def let_another_worker_have_the_account(self) -> None:
        """Have another worker look at the account until 8 s."""
        lock = SimpleNamespace(is_taken=lambda _: self.now < 8.0, release=lambda: None)
        self.run = SimpleNamespace(sender=SimpleNamespace(account_lock=lock))

    def add(
        self,
        nodeid: str,
        seconds: float = RESPONSE_S,
        *,
        timely_at: float | None = None,
        between: float | None = None,
    ) -> None:
        """Add a test."""
        parts = timely_at and Parts(self.body(between), timely_at, between, timely=True)
        self.items.append(FakeTest(self, nodeid, seconds, timely_at, SimpleNamespace(**{PARTS: parts})))

    def body(self, between: float | None) -> Callable[[], Iterator[None]]:
        """Return a test that notes when what stands between its two yields runs."""

        def test() -> Iterator[None]:
            yield
            if between is not None:
                self.between = self.now
                yield

        return test

    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    def wait_until(self, born: float, age: float) -> None:
        self.now = max(self.now, born + age)

    def protocol(self, *, item: FakeTest, nextitem: FakeTest | None) -> None:
        """Run a test, unless another goes first."""
        del nextitem
        turns.run_deferred_parts(cast("pytest.Item", item), cast("Session", self))
        self.current_test.begin(item.nodeid)
        if Turns().pytest_runtest_protocol(cast("pytest.Item", item)):
            return
        assert self.current_test.node == item.nodeid
        if item.age is not None:
            self.deferred.run_part(cast("pytest.Function", item), self.clock)
        self.steps.append((item.nodeid, self.now))
        self.now += item.seconds

    def go(self) -> None:
        """Run each test, as pytest does."""
        for place in range(len(self.items)):
            self.protocol(item=self.items[place], nextitem=None)


def is_short(item: FakeTest) -> bool:
    """Return whether a test sends at most two requests, in place of what was measured."""
    return item.age is None and item.seconds <= 2 * RESPONSE_S


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> FakeRun:
    monkeypatch.setattr(turns, "is_short", is_short)
    monkeypatch.setattr(turns, "runtestprotocol", lambda test, **_: test.run.deferred.run_part(test, test.run.clock))
    monkeypatch.setattr(turns, "requirements_of", lambda _: ())
    monkeypatch.setattr(turns, "api_of", lambda _: "payments")
    monkeypatch.setattr(turns, "needs_account", lambda item: item.nodeid.startswith("pays"))
    return FakeRun()


def times(run: FakeRun) -> dict[str, float]:
    assert len(run.steps) == len(run.items)
    return dict(run.steps)


def test_a_timely_test_goes_before_others_when_it_is_due(run: FakeRun) -> None:
    for number in range(30):
        run.add(f"short {number}")
    run.add("timely", timely_at=20.0)
    run.go()
    assert times(run)["timely"] == 20.0
    assert [name for name, _ in run.steps].index("timely") == 18


def test_a_short_test_goes_before_a_long_one_while_a_timely_one_is_near(run: FakeRun) -> None:
    run.add("first", 12.0)
    run.add("long", 9.0)
    run.add("short")
    run.add("timely", timely_at=20.0)
    run.go()
    assert [name for name, _ in run.steps] == ["first", "short", "timely", "long"]


def test_a_long_test_waits_for_a_timely_one_that_it_would_make_late(run: FakeRun) -> None:
    run.add("first", 12.0)
    run.add("long", 30.0)
    run.add("timely", timely_at=20.0)
    run.go()
    assert times(run) == {"first": 0.0, "timely": 20.0, "long": 21.0}


def test_what_a_timely_test_does_between_is_done_while_a_long_one_waits(run: FakeRun) -> None:
    run.add("first", 6.0)
    run.add("long", 30.0)
    run.add("timely", timely_at=60.0, between=15.0)
    run.go()
    assert times(run) == {"first": 0.0, "long": 15.0, "timely": 60.0}
    assert run.between == 15.0


def test_a_test_that_must_wait_lets_others_go_first(run: FakeRun) -> None:
    run.add("timely", timely_at=20.0)
    run.add("long", 9.0)
    run.add("short")
    run.go()
    assert times(run) == {"long": 0.0, "short": 9.0, "timely": 20.0}


def test_no_test_changes_its_place_where_the_clock_is_turned(run: FakeRun) -> None:
    run.deferred = DeferredTests()  # of the embedded reference: nothing is said of the time of a request
    run.add("timely", timely_at=20.0)
    run.add("short")
    run.go()
    assert [name for name, _ in run.steps] == ["timely", "short"]


def test_short_tests_are_kept_for_the_time_before_timely_ones(run: FakeRun) -> None:
    run.config = SimpleNamespace(stash={KEY: run})
    sessions: list[Callable[[], None]] = [lambda: run.add("timely", timely_at=20.0), lambda: None]
    for add_timely in sessions:
        run.items.clear()
        run.add("short")
        run.add("long", 9.0)
        add_timely()
        Turns().pytest_runtestloop(cast("pytest.Session", run))
        expected = ["long", "short", "timely"] if len(run.items) > 2 else ["short", "long"]
        assert [item.nodeid for item in run.items] == expected


def test_tests_that_need_no_account_run_while_another_worker_has_it(run: FakeRun) -> None:
    run.let_another_worker_have_the_account()
    for name in ("pays 1", "pays 2"):
        run.add(name)
    run.add("long", 9.0)
    run.add("short")
    run.go()
    assert [name for name, _ in run.steps] == ["long", "pays 2", "pays 1", "short"]


def test_the_short_tests_before_a_timely_one_are_not_used_up_for_that(run: FakeRun) -> None:
    run.let_another_worker_have_the_account()
    run.add("pays", 3.0)
    run.add("short")
    run.add("timely", timely_at=20.0)
    run.go()
    assert [name for name, _ in run.steps] == ["pays", "short", "timely"]
