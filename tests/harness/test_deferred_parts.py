"""A deferred test: its first part is run when the run starts, its last part and one between them at an age."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.deferred import AT_THE_END, Deferred, Parts, run_late_again


class Turned:
    """A clock that can be turned, and what was done at which time."""

    def __init__(self) -> None:
        self.clock = Clock(lambda _: None, waits=None, on_turn=lambda: None)
        self.steps: list[str] = []

    def note(self, what: str) -> None:
        """Note a step with the seconds by which the clock was turned before it."""
        self.steps.append(f"{what} at {self.clock.turned:.0f} s")

    def body(self) -> Iterator[None]:
        """Arrange, then judge."""
        self.note("arranged")
        yield
        self.note("judged")

    def body_with_two_yields(self) -> Iterator[None]:
        """Arrange, look, judge."""
        self.note("arranged")
        yield
        self.note("seen")
        yield
        self.note("judged")

    def test(
        self,
        body: Callable[[], Iterator[None]],
        after: float,
        *,
        between: float | None = None,
        timely: bool = False,
    ) -> Deferred:
        """Return a test whose first part was run."""
        one = Deferred(Parts(body, after, between, timely), {}, self.clock)
        one.arrange()
        return one


@pytest.fixture
def turned() -> Turned:
    """Return a clock that was not turned yet."""
    return Turned()


def test_the_second_half_runs_at_the_age(turned: Turned) -> None:
    turned.test(turned.body, 62).judge()
    assert turned.steps == ["arranged at 0 s", "judged at 62 s"]


def test_a_test_at_the_end_waits_for_no_age(turned: Turned) -> None:
    turned.test(turned.body, AT_THE_END).judge()
    assert turned.steps == ["arranged at 0 s", "judged at 0 s"]


@pytest.mark.parametrize("why", [Inconclusive("it was refused"), AssertionError("a fault of the suite")])
def test_what_the_first_half_raises_is_raised_by_the_second(turned: Turned, why: Exception) -> None:
    def body() -> Iterator[None]:
        raise why
        yield

    one = turned.test(body, 62)
    with pytest.raises(type(why), match=str(why)):
        one.judge()
    assert turned.clock.turned == 0


def test_the_part_between_two_yields_runs_at_its_age(turned: Turned) -> None:
    one = turned.test(turned.body_with_two_yields, 64, between=50)
    assert [one.is_middle_due(age) for age in (-1, 25, 50, 62)] == [False, False, True, True]
    one.run_middle()
    assert not one.is_middle_due(62)
    one.judge()
    assert turned.steps == ["arranged at 0 s", "seen at 50 s", "judged at 64 s"]


def test_a_test_that_is_alone_runs_the_part_between_two_yields_itself(turned: Turned) -> None:
    turned.test(turned.body_with_two_yields, 64, between=50).judge()
    assert turned.steps == ["arranged at 0 s", "seen at 50 s", "judged at 64 s"]


def test_what_the_part_between_two_yields_raises_is_raised_by_the_last(turned: Turned) -> None:
    def body() -> Iterator[None]:
        yield
        raise AssertionError("it is expired")
        yield

    one = turned.test(body, 64, between=50)
    one.run_middle()
    with pytest.raises(AssertionError, match="it is expired"):
        one.judge()
    assert round(turned.clock.turned) == 50


def test_a_second_yield_is_a_fault_of_a_test_without_an_age_for_it(turned: Turned) -> None:
    def body() -> Iterator[None]:
        yield
        yield

    with pytest.raises(RuntimeError, match="one yield"):
        turned.test(body, 0).judge()


def test_all_timely_tests_are_arranged_again_when_the_first_of_them_is_late(turned: Turned) -> None:
    first, second = (turned.test(turned.body, 62, timely=True) for _ in range(2))
    patient = turned.test(turned.body, 62)
    turned.clock.skip(100)
    turned.steps.clear()
    for one in (patient, first, second):
        run_late_again(one, [first, patient, second], turned.clock)
        one.judge()
    assert turned.steps == ["judged at 100 s", *["arranged at 100 s"] * 2, *["judged at 162 s"] * 2]


def test_the_part_between_two_yields_runs_again_before_a_late_test_is_judged(turned: Turned) -> None:
    first = turned.test(turned.body, 55, timely=True)
    second = turned.test(turned.body_with_two_yields, 64, between=50, timely=True)
    turned.clock.skip(100)
    turned.steps.clear()
    run_late_again(first, [first, second], turned.clock)
    first.judge()
    assert turned.steps == ["arranged at 100 s"] * 2 + ["seen at 150 s", "judged at 155 s"]


def test_no_timely_test_is_arranged_again_in_time(turned: Turned) -> None:
    one = turned.test(turned.body, 62, timely=True)
    turned.clock.skip(62)
    run_late_again(one, [one], turned.clock)
    one.judge()
    assert turned.steps == ["arranged at 0 s", "judged at 62 s"]
