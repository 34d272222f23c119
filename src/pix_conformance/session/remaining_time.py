"""How long the rest of a run takes, by the share of its requests and of its tests that is done."""

import time
from collections.abc import Mapping

MEASURED_S, LEAST_DONE, IN_MINUTES_S = 5.0, 0.05, 100.0
"""Seconds and share of a run after which its rest is estimated; seconds from which on minutes are shown."""
WELL_KNOWN = 0.5
"""The share of a run from which on its own pace says all: until then, the plan says the rest."""


class Estimate:
    """The estimate of one run. All times are on the monotonic clock, in seconds."""

    def __init__(
        self,
        weights: Mapping[str, float],
        requests: float = 0.0,
        longest_wait: float = 0.0,
        planned: float | None = None,
    ) -> None:
        """Begin now: `weights` of the tests by node id, the expected requests, and the longest wait from now.

        `planned` are the seconds of the plan (`--plan`) for the response time of this target; None without one.
        """
        self._planned = planned
        self._left, self._weight = dict(weights), sum(weights.values())
        self._requests, self._longest_wait = requests, longest_wait
        self._begun = time.monotonic()
        self._waits: list[tuple[float, float]] = []
        """Begin and end of each wait for something else than responses."""

    def end_test(self, nodeid: str) -> None:
        """Count a test as done."""
        self._left.pop(nodeid, None)

    def begin_wait(self, seconds: float) -> None:
        """Count the next seconds as a wait, which says nothing of the pace."""
        self._waits.append((time.monotonic(), time.monotonic() + seconds))

    def remaining(self, sent: int) -> str:
        """Return the estimated rest in words, after so many requests; empty in the first seconds."""
        now = time.monotonic()
        elapsed = now - self._begun
        tests = (self._weight - sum(self._left.values())) / self._weight if self._weight else 0.0
        done = max(tests, sent / self._requests if self._requests else 0.0)
        if not self._left or elapsed < MEASURED_S or (done < LEAST_DONE and self._planned is None):
            return ""
        waited = sum(min(now, end) - begun for begun, end in self._waits)
        waiting = max(0.0, *(end - now for _, end in self._waits)) if self._waits else 0.0
        work = max(0.0, elapsed - waited) * max(0.0, 1 - done) / max(done, LEAST_DONE)
        seconds = waiting + work if waiting else max(work, self._longest_wait - elapsed)
        if self._planned is not None:
            known = min(1.0, done / WELL_KNOWN)
            seconds = known * seconds + (1 - known) * max(self._planned - elapsed, waiting)
        return f", about {seconds:.0f} s left" if seconds < IN_MINUTES_S else f", about {seconds / 60:.0f} min left"
