"""Deferred tests: a test with a `yield` arranges before it, when the run starts, and judges after it, at an age.

With a second `yield`, what stands between the two runs at an age of its own.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from _pytest.outcomes import Skipped

from pix_conformance.harness.clock import Clock

LATE_S = 4.0
"""Seconds by which the objects of a timely test may be older than it asks for."""
AT_THE_END = math.inf
"""Age of a test that runs after all others, however old what it arranged is then."""
Body = Callable[..., Iterator[None]]
PARTS = "pix_conformance_parts"
"""Attribute of a test function with a `yield`: its `Parts`."""


@dataclass(frozen=True)
class Parts:
    """A test function with a `yield`, as it was written, and when its parts run."""

    body: Body
    after: float
    """Age in seconds at which the last part runs."""
    between: float | None
    """Age in seconds at which the part between two yields runs; None without such a part."""
    timely: bool


class Deferred:
    """One deferred test of one run: what it arranged, when, and its parts."""

    def __init__(self, function: Parts, arguments: dict[str, Any], clock: Clock) -> None:
        """Take the function, its arguments and the target's clock."""
        self._function, self._arguments, self._clock = function, arguments, clock
        self.timely = function.timely
        self.is_judged = False

    def arrange(self) -> None:
        """Run the part before the first `yield`; keep the reason why it could not be run, for the last part."""
        self._failure: BaseException | None = None
        self._between = self._function.between
        self._steps = self._function.body(**self._arguments)
        self._run_part()
        self._arranged = self._clock.now()

    def is_middle_due(self, age: float) -> bool:
        """Return whether the part between two yields is still to be run before a test of this age."""
        return self._between is not None and self._between <= age

    def run_middle(self) -> None:
        """Run the part between two yields when what was arranged is old enough; keep why it could not be run."""
        age, self._between = self._between, None
        if age is not None and self._failure is None:
            self._clock.wait_until_aged(self._arranged, age)
            self._run_part()

    def _run_part(self) -> None:
        try:
            next(self._steps)
        except (Exception, Skipped) as why:  # noqa: BLE001  # raised by the last part, when pytest reports the test
            self._failure = why

    @property
    def age(self) -> float:
        """The age in seconds at which the last part runs."""
        return self._function.after

    @property
    def is_late(self) -> bool:
        """Whether what was arranged is older than a timely test may find it."""
        age = self._clock.now() - self._arranged
        return self.timely and self._failure is None and age > self._function.after + LATE_S

    def judge(self) -> None:
        """Wait until what was arranged is that old, and run the last part."""
        self.is_judged = True
        self.run_middle()
        if self._failure is not None:
            raise self._failure
        if self._function.after != AT_THE_END:
            self._clock.wait_until_aged(self._arranged, self._function.after)
        with contextlib.suppress(StopIteration):
            next(self._steps)
            raise RuntimeError("a deferred test has one yield, or two with `between`")


def deferred(
    after: float = 0, *, between: float | None = None, timely: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have a test run after the last ordinary one, in the order of `after`, seconds.

    A function with one `yield` runs in two parts: what stands before it when the run starts, the rest once that is
    so many seconds old. With two, what stands between them runs at the age `between`. What a `timely` test arranged is
    arranged again if the run is late, once.
    """

    def mark(test: Callable[..., Any]) -> Callable[..., Any]:
        whole = _as_plain(Parts(test, after, between, timely)) if inspect.isgeneratorfunction(test) else test
        marked: Callable[..., Any] = pytest.mark.deferred(after)(whole)
        return marked

    return mark


def _as_plain(found: Parts) -> Callable[..., None]:
    """Give pytest, which refuses tests that yield, a plain function of the same arguments."""

    @functools.wraps(found.body)
    def test(**_: object) -> None:
        raise RuntimeError("a test with a yield is run by the plugin of pix_conformance")

    vars(test)[PARTS] = found
    return test


def parts_of(item: pytest.Item) -> Parts | None:
    """Return the function of a test with a `yield`, and when its parts run; None for any other test."""
    found: Parts | None = getattr(getattr(item, "obj", None), PARTS, None)
    return found


def age_of(item: pytest.Item) -> float:
    """Return the age in seconds that a deferred test waits for; -1 for any other test."""
    mark = item.get_closest_marker("deferred")
    return float(mark.args[0]) if mark else -1.0


def run_part(item: pytest.Function, clock: Clock, begun: dict[str, Deferred], *, arranging: bool) -> bool:
    """Run the part of a deferred test that is due; False if the test has no `yield`."""
    if (found := parts_of(item)) is None:
        return False
    if item.nodeid not in begun:
        named = inspect.signature(found.body).parameters
        begun[item.nodeid] = Deferred(found, {name: item.funcargs[name] for name in named}, clock)
        begun[item.nodeid].arrange()
    elif arranging:
        begun[item.nodeid].run_middle()
    if not arranging:
        run_late_again(begun[item.nodeid], list(begun.values()), clock)
        begun[item.nodeid].judge()
    return True


def run_late_again(one: Deferred, every: Sequence[Deferred], clock: Clock) -> None:
    """Run the parts of all timely tests again that came before, if the first of them that is to be judged is late."""
    timely = [other for other in every if other.timely]
    if one.is_late and clock.passes and not any(other.is_judged for other in timely):
        for other in timely:
            other.arrange()
        for other in timely:
            if other.is_middle_due(one.age):
                other.run_middle()
