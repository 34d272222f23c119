"""Repeated queries: the documents do not say how soon a change is visible."""

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
    """Repeats a query until its response is as wanted, for at most `longest` seconds each time.

    After a query without success it uses `later` seconds instead, unless an earlier query succeeded late.
    """

    def __init__(self, waits: Waits, longest: float, later: float) -> None:
        self._waits = waits
        self._seconds, self._later, self._slow = longest, later, False

    def until(self, query: Callable[[], T], enough: Callable[[T], bool]) -> T:
        """Call `query` until `enough` accepts the result. Return the last result, accepted or not.

        The time limit applies to when a query is sent: a response that arrives later still counts.
        """
        asked = begun = time.monotonic()
        answer, late = query(), False
        while not (is_enough := enough(answer)) and asked - begun < self._seconds:
            self._waits.pause(LOOK_AGAIN_S)
            asked = time.monotonic()
            answer, late = query(), True
        self._slow = self._slow or (is_enough and late)
        if not is_enough and not self._slow:
            self._seconds = self._later
        return answer


def poller(waits: Waits, name: str, longest: float, later: float) -> Poller:
    """Return the poller of that name, one in a run: it remembers whether a wait was in vain."""
    shared_poller: Poller = waits.pollers.setdefault(name, Poller(waits, longest, later))
    return shared_poller


def poll_until(waits: Waits, seconds: float, query: Callable[[], T], enough: Callable[[T], bool]) -> T:
    """Call `query` until `enough` accepts the result, for at most `seconds`. Return the last result."""
    return Poller(waits, seconds, seconds).until(query, enough)


def poll_answer(payments: Payments, query: Callable[[], Exchange], wanted: str) -> Exchange:
    """Query until `data.status` has the wanted value, for at most 1.5 s, or a response is no success.

    Return the last query.
    """
    return poll_until(
        payments.sender.waits,
        SETTLING_S,
        query,
        lambda exchange: not exchange.ok or exchange.at("data.status") == wanted,
    )


def poll_status(payments: Payments, query: Callable[[], Exchange], wanted: str) -> Exchange:
    """Query until `data.status` has the wanted value, as `poll_answer` does; Inconclusive if the last is no success."""
    return precondition(poll_answer(payments, query, wanted))
