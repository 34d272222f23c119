"""The requests and cents that a run may still send and ask for. A request that exceeds them is not sent."""

import math
import threading
from collections.abc import Mapping
from typing import Any

from pix_conformance.checks.conclusion import Undecided
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.subject import parsed
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why

AMOUNTS = ("amountInCents", "amount_cents", "amount")
"""The fields of a body that name the cents of a charge or a transfer (payments.md and business.md)."""
CREATIONS = {row.name for api in Api for row in of(api, Effect.CREATES)}


class Allowance:
    """Counts cents before they are sent. Safe to use from many threads."""

    def __init__(self, cents: float = math.inf) -> None:
        """Limit a run to so many cents."""
        self.cents = cents
        """How many are left."""
        self.requests = math.inf
        """How many requests may still be sent."""
        self._limit = cents
        self._lock = threading.Lock()

    def take(self, operation: str | None, body: bytes) -> None:
        """Count a request that is to be sent. Raises Undecided if that exceeds the limit."""
        cents = _cents(operation, body)
        with self._lock:
            if self.requests < 1:
                raise Undecided(Why.LEFT_OUT, "not asked, no more requests may be sent")
            if cents > self.cents:
                reason = f"not selected: {cents:.0f} cents more would exceed --max-cents {self._limit:.0f}"
                raise Undecided(Why.LEFT_OUT, reason)
            self.cents -= cents
            self.requests -= 1

    def settle(self, operation: str | None, body: bytes, *, refused: bool) -> None:
        """Give back the cents of a request that was sent and refused."""
        with self._lock:
            self.cents += _cents(operation, body) if refused else 0


def _cents(operation: str | None, body: bytes) -> float:
    """Return the cents of the charge or transfer that a body asks for; 0 for what is no amount."""
    sent = parsed(body) if operation in CREATIONS else None
    cents = next((sent[name] for name in AMOUNTS if name in sent), 0) if isinstance(sent, Mapping) else 0
    return max(0.0, _number(cents))


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0
