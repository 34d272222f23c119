"""Responses of a gateway before the target: which requests are sent again, and when a response counts all the same."""

import threading
from collections import Counter

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.undecided import is_of_gateway

ATTEMPTS = 5
"""How often a request is sent at most while a gateway answers it."""
FIRST_PAUSE_S = 0.25
"""Seconds before the second attempt; each later pause is twice as long."""
LEAST = 8
"""Responses of a gateway to one operation after which they count as the target's, if there was never another one."""


class GatewayResponses:
    """Counts the responses of a gateway by operation. Safe to use from many threads."""

    def __init__(self) -> None:
        """Begin without any."""
        self._count: Counter[str] = Counter()
        self._others_before: dict[str, int] = {}
        """How many responses of the target there were before the gateway's first response to an operation."""
        self._answered: set[str] = set()
        self._others = 0
        self._lock = threading.Lock()

    def note(self, exchange: Exchange) -> None:
        """Count one response."""
        if exchange.status is None:
            return
        name = f"{exchange.api}.{exchange.operation}"
        with self._lock:
            if is_of_gateway(exchange):
                self._count[name] += 1
                self._others_before.setdefault(name, self._others)
            else:
                self._others += 1
                self._answered.add(name)

    def count_as_the_targets(self, exchange: Exchange) -> bool:
        """Return whether an operation never gets another response than the gateway's, while others do.

        Then it is the target that does not offer this operation, and its requirements fail.
        """
        name = f"{exchange.api}.{exchange.operation}"
        with self._lock:
            others_since = self._others - self._others_before.get(name, self._others)
            return name not in self._answered and self._count[name] >= LEAST and others_since > 0
