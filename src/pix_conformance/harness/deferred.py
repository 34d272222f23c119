"""Deferred tests: a test with one `yield` arranges before it, when the run starts, and judges after it, at an age."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from _pytest.outcomes import Skipped

from pix_conformance.harness.clock import Clock

LATE_S = 4.0
"""Seconds by which the objects of a timely test may be older than it asks for."""
AT_THE_END = math.inf
"""Age of a test that runs after all others, however old what it arranged is then."""
Body = Callable[..., Iterator[None]]
HALVES = "pix_conformance_halves"
"""Attribute of a test function with a `yield`: the generator function that it was, and whether it is timely."""


class Deferred:
    """One deferred test of one run: what it arranged, when, and its two halves."""

    def __init__(self, body: Body, arguments: dict[str, Any], clock: Clock, after: float, *, timely: bool) -> None:
        """Take the function with one `yield`, its arguments, the target's clock and the age in seconds."""
        self._body, self._arguments, self._clock = body, arguments, clock
        self._after, self.timely = after, timely
        self.is_judged = False

    def arrange(self) -> None:
        """Run the first half; keep the reason why it could not be run, for the second."""
        self._failure: BaseException | None = None
        self._half = self._body(**self._arguments)
        try:
            next(self._half)
        except (Exception, Skipped) as why:  # noqa: BLE001  # raised by the second half, when pytest reports the test
            self._failure = why
        self._arranged = self._clock.now()

    @property
    def is_late(self) -> bool:
        """Whether what was arranged is older than a timely test may find it."""
        return self.timely and self._failure is None and self._clock.now() - self._arranged > self._after + LATE_S

    def judge(self) -> None:
        """Wait until what was arranged is that old, and run the second half."""
        self.is_judged = True
        if self._failure is not None:
            raise self._failure
        if self._after != AT_THE_END:
            self._clock.wait_until_aged(self._arranged, self._after)
        with contextlib.suppress(StopIteration):
            next(self._half)
            raise RuntimeError("a deferred test has one yield")


def deferred(after: float = 0, *, timely: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have a test run after the last ordinary one, in the order of `after`, seconds.

    A function with one `yield` is run in two halves: what stands before it when the run starts, the rest once that is
    so many seconds old. What a `timely` test arranged is arranged again if the run is late, once.
    """

    def mark(test: Callable[..., Any]) -> Callable[..., Any]:
        whole = _with_halves(test, timely=timely) if inspect.isgeneratorfunction(test) else test
        marked: Callable[..., Any] = pytest.mark.deferred(after)(whole)
        return marked

    return mark


def _with_halves(body: Body, *, timely: bool) -> Callable[..., None]:
    """Give pytest, which refuses tests that yield, a plain function of the same arguments."""

    @functools.wraps(body)
    def test(**_: object) -> None:
        raise RuntimeError("a test in two halves is run by the plugin of pix_conformance")

    vars(test)[HALVES] = (body, timely)
    return test


def halves(item: pytest.Item) -> tuple[Body, bool] | None:
    """Return the function of a test with two halves, and whether it is timely; None for any other test."""
    found: tuple[Body, bool] | None = getattr(getattr(item, "obj", None), HALVES, None)
    return found


def age_of(item: pytest.Item) -> float:
    """Return the age in seconds that a deferred test waits for; -1 for any other test."""
    mark = item.get_closest_marker("deferred")
    return float(mark.args[0]) if mark else -1.0


def run_half(item: pytest.Function, clock: Clock, begun: dict[str, Deferred], *, arranging: bool) -> bool:
    """Run the half of a test that is due; False if the test is not one of two halves."""
    if (found := halves(item)) is None:
        return False
    if item.nodeid not in begun:
        body, timely = found
        named = inspect.signature(body).parameters
        arguments = {name: item.funcargs[name] for name in named}
        begun[item.nodeid] = Deferred(body, arguments, clock, age_of(item), timely=timely)
        begun[item.nodeid].arrange()
    if not arranging:
        run_late_again(begun[item.nodeid], list(begun.values()), clock)
        begun[item.nodeid].judge()
    return True


def run_late_again(one: Deferred, every: Sequence[Deferred], clock: Clock) -> None:
    """Run the first halves of all timely tests again, if the first of them that is to be judged is late."""
    timely = [other for other in every if other.timely]
    if one.is_late and clock.passes and not any(other.is_judged for other in timely):
        for other in timely:
            other.arrange()
