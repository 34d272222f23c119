"""When a request may be sent: the rate, which adapts to 429 and slow answers, and pauses for a target without any."""

import os
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pix_conformance.harness.interruptible_wait import Waits

RETRY_BUDGET_S = 300.0
FIRST_PAUSE_S = 1.0
FAULTS_IN_A_ROW = 4
PAUSE_AFTER_FAULTS_S = 15.0
SLOW_S = 5.0
"""Seconds. A fault that took longer is also counted for its operation: waiting that long for each request would take
hours."""
FIRST_GAP_S, LONGEST_GAP_S = 0.05, 2.0
"""Seconds from one request to the next, after the first 429 or slow answer, and at most, of all workers together."""
ROUNDING_S = 0.05
"""Seconds by which the end of a shared pause may differ for two workers."""
SLOWER, FASTER = 2.0, 0.995
"""By what the gap is multiplied at a 429 or a slow answer, and at any other answer."""
OWN_S = 0.012
"""Seconds of the suite's own work for a request."""


def seconds_per_request(response: float, rate: float | None) -> float:
    """Return how many seconds a request takes, where each response takes `response` seconds."""
    return max(response + OWN_S, 1 / rate if rate else 0.0)


@dataclass(frozen=True)
class SharedPause:
    """A file of the workers of one run: the time of its last change is the end of the pause. Times are monotonic."""

    directory: Path | None = None
    """The directory that the workers share; None if there are none."""
    workers: int = 1

    def begin(self, end: float) -> None:
        """Have every worker send nothing until then."""
        if self.directory is not None:
            moment = end + self._epoch
            self._file.touch()
            os.utime(self._file, (moment, moment))

    @property
    def end(self) -> float:
        """When the last pause ends; 0 before the first one."""
        try:
            return self._file.stat().st_mtime - self._epoch if self.directory else 0.0
        except FileNotFoundError:
            return 0.0

    @property
    def _file(self) -> Path:
        return Path(self.directory or "", "pause")

    @property
    def _epoch(self) -> float:
        return time.time() - time.monotonic()


class Pacer:
    """Limits the rate, waits after 429 within one budget for the whole run, and stops requests to a dead target.

    Each 429 and each answer that takes more than SLOW_S doubles the gap between requests; the other answers shrink it
    again, down to that of the configured rate. A 429 of one worker is one of all of them.
    """

    def __init__(self, rate: float | None, waits: Waits, shared: SharedPause | None = None) -> None:
        """`rate` is in requests per second; None means no limit. `shared` is needed beside other workers."""
        self.waits, self._shared = waits, shared or SharedPause()
        self._least_gap = self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self.retry_budget_s = RETRY_BUDGET_S
        """Seconds for which the run may still wait after 429."""
        self._waits_until = 0.0
        self._faults: Counter[str | None] = Counter()
        self._paused_until: dict[str | None, float] = {}
        self._lock = threading.Lock()
        self.last_fault = ""
        self.why_given_up = ""
        """Why the last 429 was not waited for, in words, and what helps."""

    def wait_for_slot(self) -> None:
        """Wait until the rate allows this request, and until the wait after a 429 is over."""
        with self._lock:
            now = time.monotonic()
            if (end := self._shared.end) > max(now, self._waits_until + ROUNDING_S):
                self._slow_down()
                self._waits_until = end
            self._next = max(now, self._next, self._waits_until) + self._gap
            pause = self._next - self._gap - now
        if pause > 0:
            self.waits.pause(pause)

    def is_paused(self, operation: str | None) -> bool:
        """Return whether no request is sent for now, because the target or this operation failed several times."""
        with self._lock:
            now = time.monotonic()
            return any(
                self._faults[key] >= FAULTS_IN_A_ROW and now < self._paused_until[key] for key in (None, operation)
            )

    def record_answer(self, operation: str | None, seconds: float, *, limited: bool) -> None:
        """Record that a response arrived after these seconds; `limited` says that it was a 429."""
        with self._lock:
            self._faults[None] = self._faults[operation] = 0
            if seconds > SLOW_S or (limited and time.monotonic() >= self._waits_until):
                self._slow_down()
            elif not limited:
                self._gap = max(self._gap * FASTER, self._least_gap)

    def _slow_down(self) -> None:
        first, longest = FIRST_GAP_S * self._shared.workers, LONGEST_GAP_S * self._shared.workers
        self._gap = min(max(self._gap * SLOWER, first), max(longest, self._least_gap))

    def record_fault(self, fault: str, operation: str | None, seconds: float) -> None:
        """Record that no response arrived after these seconds. After a slow fault the pause is longer."""
        with self._lock:
            for key in {None, operation} if seconds > SLOW_S else {None}:
                self._faults[key] += 1
                self._paused_until[key] = time.monotonic() + max(PAUSE_AFTER_FAULTS_S, 3 * seconds)
            self.last_fault = fault

    def wait_or_give_up(self, wanted: float | None, attempt: int) -> bool:
        """Sleep for the `wanted` seconds; return False without sleeping if that exceeds the remaining retry budget.

        The waits of simultaneous requests count once.
        """
        pause = min(FIRST_PAUSE_S * 2**attempt, 60.0) if wanted is None else max(wanted, 0.05)
        with self._lock:
            ends = time.monotonic() + pause
            cost = min(pause, max(0.0, ends - self._waits_until))
            if cost > self.retry_budget_s:
                self.why_given_up = _why(pause, RETRY_BUDGET_S - self.retry_budget_s)
                return False
            self.retry_budget_s -= cost
            self._waits_until = max(self._waits_until, ends)
            self._shared.begin(self._waits_until)
        self.waits.announce("the target's rate limit (429)", pause)
        self.waits.pause(pause)
        return True


def _why(pause: float, used: float) -> str:
    """Say why a wait of `pause` seconds is too long after those that the run has waited already."""
    limit = f"the {RETRY_BUDGET_S:.0f} s that a run waits for 429 in all"
    if used < 1:
        return f"to wait for {pause:.0f} s would exceed {limit}; run again later"
    waited = f"the run has waited for {used:.0f} s of {limit}, and {pause:.0f} s more would exceed them"
    return f"{waited}; a lower --rate helps"
