"""Looking again until what is late has come: how soon something shows is not stated."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import precondition
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.exchange import Exchange

T = TypeVar("T")
LOOK_AGAIN_S, SETTLING_S = 0.25, 1.5


class Poller:
    """Looks for so many seconds; once that was in vain, and nothing was slow before, for fewer."""

    def __init__(self, waits: Waits, longest: float, later: float) -> None:
        """Take both, seconds."""
        self._waits = waits
        self._seconds, self._later, self._slow = longest, later, False

    def until(self, once: Callable[[], T], enough: Callable[[T], bool]) -> T:
        """Ask until the answer is enough; return the last one, which was asked for when the time was over.

        An answer may take longer than the time: it shows what was when it was asked for.
        """
        asked = begun = time.monotonic()
        answer, late = once(), False
        while not (found := enough(answer)) and asked - begun < self._seconds:
            self._waits.pause(LOOK_AGAIN_S)
            asked = time.monotonic()
            answer, late = once(), True
        self._slow = self._slow or (found and late)
        if not found and not self._slow:
            self._seconds = self._later
        return answer


def poll_until(waits: Waits, seconds: float, once: Callable[[], T], enough: Callable[[T], bool]) -> T:
    """Ask until the answer is enough, for so many seconds at most; return the last one."""
    return Poller(waits, seconds, seconds).until(once, enough)


def poll_status(payments: Payments, query: Callable[[], Exchange], wanted: str) -> Exchange:
    """Query until `data.status` is the wanted one, for 1.5 s at most; return the last query."""
    return poll_until(
        payments.run.waits, SETTLING_S, lambda: precondition(query()), lambda one: one.at("data.status") == wanted
    )
