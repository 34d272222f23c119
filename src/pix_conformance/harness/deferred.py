"""Deferred tests: a test with a `yield` arranges before it, when the run starts, and judges after it, at an age.

With a second `yield`, what stands between the two runs at an age of its own. Every part runs as its own test, with its
own fixtures and requirements: an earlier part by itself, shortly before the test whose turn it is, the last part when
it is the test's own turn. `DeferredTests.before` says which parts run before a test: the first parts before the first
test of a process, each worker for itself, in the order of `_place_at_start`. `session.selection.in_order` gives the
last parts their turn; `session.turns` runs the parts, and brings timely tests forward that are due.
"""

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
"""Age of a test that runs after all others of its process but those that judge the whole run."""
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
    """One deferred test of one run whose first part was run: what is left of it, and why it cannot go on."""

    def __init__(self, parts: Parts, arguments: dict[str, Any], clock: Clock) -> None:
        """Run the part before the first `yield`. If it fails, `judge` raises why."""
        self.parts, self._clock = parts, clock
        self.failure: BaseException | None = None
        self.middle_age, self.is_judged = parts.between, False
        self._rest = parts.body(**arguments)
        self._run_early_part()
        self._arranged = clock.now()

    def run_middle(self) -> None:
        """Run the part between two yields, once, at its age. If it fails, `judge` raises why."""
        age, self.middle_age = self.middle_age, None
        if age is not None and self.failure is None:
            self._run_early_part(lambda: self._clock.wait_until_aged(self._arranged, age))

    def _run_early_part(self, wait: Callable[[], object] = lambda: None) -> None:
        try:
            wait()
            next(self._rest)
        except (Exception, Skipped) as why:  # noqa: BLE001  # raised by the last part, when pytest reports the test
            self.failure = why

    @property
    def seconds_left(self) -> float:
        """Seconds until the next part is due."""
        age = self.parts.after if self.middle_age is None else self.middle_age
        return self._arranged + age - self._clock.now()

    @property
    def is_late(self) -> bool:
        """Whether what was arranged is older than a timely test may find it, and time may pass for another try."""
        age = self._clock.now() - self._arranged
        return self.parts.timely and self.failure is None and self._clock.passes and age > self.parts.after + LATE_S

    def judge(self) -> None:
        """Wait until what was arranged is that old, and run the last part. Raises what an earlier part raised."""
        self.run_middle()
        self.is_judged = self.failure is None
        if self.failure is not None:
            raise self.failure
        if self.parts.after != AT_THE_END:
            self._clock.wait_until_aged(self._arranged, self.parts.after)
        with contextlib.suppress(StopIteration):
            next(self._rest)
            raise RuntimeError("a deferred test has one yield, or two with `between`")


class DeferredTests:
    """The deferred tests of one run, by node id, and whether a part is being run that is not the last of its test."""

    def __init__(self) -> None:
        """Begin with no test."""
        self._begun: dict[str, Deferred] = {}
        self._timely: dict[str, Deferred] = {}
        """Those of them that are timely."""
        self._with_middle: dict[str, Deferred] = {}
        """Those whose part between two yields had not run when the latest test began."""
        self._is_first_test = True
        self._was_late = False
        """Whether the timely tests were arranged again."""
        self.runs_early_part = False
        self.due_within = self.near_within = -math.inf
        """Seconds before its age from which on a timely part is due, and near; by default never before its turn."""

    def before(self, test: pytest.Item, tests: Sequence[pytest.Item]) -> Iterator[list[pytest.Item]]:
        """Yield the tests whose next part runs before `test`: each list is to be run before the next one is asked for.

        Before the first test of the run these are the first parts of all. If the timely tests are late, their first
        parts run again: once before an ordinary test, so that others run while they become old enough, and before the
        first timely one. A part between two yields runs before a test of its age, and that of a timely test when it is
        due.
        """
        if self._is_first_test:
            self._is_first_test = False
            yield sorted((item for item in tests if deferred_parts(item)), key=_place_at_start)
        if again := self._to_arrange_again(test.nodeid):
            self._begun = {name: begun for name, begun in self._begun.items() if name not in again}
            self._with_middle = {name: begun for name, begun in self._with_middle.items() if name not in again}
            self._timely.clear()
            self._was_late = True
            yield sorted((item for item in tests if item.nodeid in again), key=_place_at_start)
        age = age_of(test)
        self._with_middle = {name: begun for name, begun in self._with_middle.items() if begun.middle_age is not None}
        middle = self._with_middle.items()
        due = {
            name
            for name, begun in middle
            if (begun.middle_age or 0) <= age or (begun.parts.timely and self._is_due(begun))
        }
        if due:
            yield [item for item in tests if item.nodeid in due]

    @contextlib.contextmanager
    def running_early_parts(self) -> Iterator[None]:
        """Have each test that runs meanwhile run its next part, and not its last one."""
        self.runs_early_part = True
        try:
            yield
        finally:
            self.runs_early_part = False

    def due(self, tests: Sequence[pytest.Item]) -> list[pytest.Item]:
        """Return those of some tests that are timely and whose last part is due.

        None while one is late and none was judged in time: `before` arranges them all again, once before an ordinary
        test and once before the first timely one.
        """
        due = {name for name, begun in self._timely.items() if begun.middle_age is None and self._is_due(begun)}
        return [item for item in tests if item.nodeid in due] if due and not self._is_late_for_all() else []

    def must_wait(self, test: str) -> bool:
        """Return whether the last part of a test, by its node id, is not due yet, so that other tests may run first."""
        begun = self._begun.get(test)
        if begun is None or begun.failure is not None or begun.parts.after == AT_THE_END or self.due_within < 0:
            return False
        return begun.middle_age is not None or not self._is_due(begun)

    @property
    def seconds_left(self) -> float:
        """Seconds until the next part of a timely test is due; not more than 0 if one is due, or late."""
        return min(self._left, default=math.inf) - self.due_within

    def is_near(self) -> bool:
        """Return whether a part of a timely test is due soon, so that no long test may begin."""
        return any(0 < seconds <= self.near_within for seconds in self._left)

    @property
    def _left(self) -> list[float]:
        """Seconds until the age of the next part of each timely test that is not judged."""
        return [begun.seconds_left for begun in self._timely.values() if not begun.is_judged]

    def _is_due(self, begun: Deferred) -> bool:
        """Return whether the next part of a test need not wait long."""
        return begun.seconds_left <= self.due_within

    def _is_late_for_all(self) -> bool:
        """Return whether a timely test is late, and none was judged in time."""
        timely = self._timely.values()
        return any(begun.is_late for begun in timely) and not any(begun.is_judged for begun in timely)

    def _to_arrange_again(self, test: str) -> set[str]:
        begun = self._timely.get(test)
        is_late = begun.is_late if begun else self.due_within >= 0 and not self._was_late and test not in self._begun
        return set(self._timely) if is_late and self._is_late_for_all() else set()

    def run_part(self, test: pytest.Function, clock: Clock) -> bool:
        """Run the next part of a test, and all others as well if it is the test's own turn; False without a `yield`."""
        if (parts := deferred_parts(test)) is None:
            return False
        if test.nodeid not in self._begun:
            names = inspect.signature(parts.body).parameters
            begun = Deferred(parts, {name: test.funcargs[name] for name in names}, clock)
            self._begun[test.nodeid] = begun
            if parts.timely:
                self._timely[test.nodeid] = begun
            if begun.middle_age is not None:
                self._with_middle[test.nodeid] = begun
        elif self.runs_early_part:
            self._begun[test.nodeid].run_middle()
        if not self.runs_early_part:
            self._begun[test.nodeid].judge()
        return True


def deferred(
    after: float = 0, *, between: float | None = None, timely: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have a test run after the last ordinary one, in the order of `after`, seconds.

    A function with one `yield` runs in two parts: what stands before it when the run starts, the rest once that is
    so many seconds old. With two, what stands between them runs at the age `between`. What a `timely` test arranged is
    arranged again if the run is late, as `DeferredTests.before` says.
    """

    def mark(test: Callable[..., Any]) -> Callable[..., Any]:
        plain = _as_plain(Parts(test, after, between, timely)) if inspect.isgeneratorfunction(test) else test
        marked: Callable[..., Any] = pytest.mark.deferred(after)(plain)
        return marked

    return mark


def _as_plain(parts: Parts) -> Callable[..., None]:
    """Give pytest, which refuses tests that yield, a plain function of the same arguments."""

    @functools.wraps(parts.body)
    def test(**_: object) -> None:
        raise RuntimeError("a test with a yield is run by the plugin of pix_conformance")

    vars(test)[PARTS] = parts
    return test


def deferred_parts(item: pytest.Item) -> Parts | None:
    """Return the function of a test with a `yield`, and when its parts run; None for any other test."""
    parts: Parts | None = getattr(getattr(item, "obj", None), PARTS, None)
    return parts


def _place_at_start(item: pytest.Item) -> tuple[bool, float]:
    """Return the place of a test's first part: timely ones by age, so none is late, and then the oldest first.

    What has to be a minute old is arranged before what is looked at soon, so that the run ends earlier.
    """
    parts = deferred_parts(item)
    age = age_of(item) if parts is None or parts.between is None else parts.between
    is_timely = parts is not None and parts.timely
    return not is_timely, age if is_timely or age == AT_THE_END else -age


def age_of(item: pytest.Item) -> float:
    """Return the age in seconds that a deferred test waits for; -1 for any other test."""
    mark = item.get_closest_marker("deferred")
    return float(mark.args[0]) if mark else -1.0
