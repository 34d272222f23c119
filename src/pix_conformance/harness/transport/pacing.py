"""How fast requests leave, how long a refusal for rate is borne, and when a dead target is left alone."""

from __future__ import annotations

import threading
import time
from collections import Counter
from email.utils import parsedate_to_datetime

from pix_conformance.harness.interruptible_wait import Waits

RETRY_BUDGET_S = 300.0
FIRST_PAUSE_S = 1.0
FAULTS_IN_A_ROW = 4
REST_S = 15.0
SLOW_S = 5.0
"""A fault that took longer counts against its operation alone too: waiting for each of its requests has no end."""


class Pacer:
    """Spaces requests by a rate, waits on 429 within one patience for the whole run, rests a dead target."""

    def __init__(self, rate: float | None, waits: Waits) -> None:
        """Take the rate in requests per second; None is as fast as it goes."""
        self.waits = waits
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._retry_budget_s = RETRY_BUDGET_S
        self._waits_until = 0.0
        self._faults: Counter[str | None] = Counter()
        self._rested_until: dict[str | None, float] = {}
        self._lock = threading.Lock()
        self.last_fault = ""

    def wait_for_slot(self) -> None:
        """Wait until this request may be sent at the given rate."""
        with self._lock:
            now = time.monotonic()
            self._next = max(now, self._next) + self._gap
            pause = self._next - self._gap - now
        if pause > 0:
            self.waits.pause(pause)

    def circuit_open(self, operation: str | None) -> bool:
        """Whether the target, or this operation, failed so often in a row that no request is sent for a while."""
        with self._lock:
            now = time.monotonic()
            return any(
                self._faults[one] >= FAULTS_IN_A_ROW and now < self._rested_until[one] for one in (None, operation)
            )

    def record_answer(self, operation: str | None) -> None:
        """Note that an answer came."""
        with self._lock:
            self._faults[None] = self._faults[operation] = 0

    def record_fault(self, fault: str, operation: str | None, seconds: float) -> None:
        """Note that none came, and how long that took; what is slow to fail rests longer."""
        with self._lock:
            for one in {None, operation} if seconds > SLOW_S else {None}:
                self._faults[one] += 1
                self._rested_until[one] = time.monotonic() + max(REST_S, 3 * seconds)
            self.last_fault = fault

    def wait_or_give_up(self, retry_after: str | None, attempt: int) -> bool:
        """Sleep for `Retry-After`; return False without sleeping if that exceeds the remaining retry budget.

        What simultaneous requests wait together counts once.
        """
        wanted = _seconds(retry_after)
        pause = min(FIRST_PAUSE_S * 2**attempt, 60.0) if wanted is None else max(wanted, 0.05)
        with self._lock:
            ends = time.monotonic() + pause
            cost = min(pause, max(0.0, ends - self._waits_until))
            if cost > self._retry_budget_s:
                return False
            self._retry_budget_s -= cost
            self._waits_until = max(self._waits_until, ends)
        self.waits.announce("the target's rate limit (429)", pause)
        self.waits.pause(pause)
        return True


def _seconds(retry_after: str | None) -> float | None:
    """Read Retry-After (RFC 9110, section 10.2.3): seconds or a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (ValueError, TypeError):
        return None
