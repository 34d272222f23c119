"""What a run may still send: requests and cents, until a time. A request that exceeds a limit is not sent."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from typing import Any

from pix_conformance.model.subject import parsed

AMOUNTS = ("amountInCents", "amount_cents", "amount")
"""The fields of a body that name the cents of a charge or a transfer (payments.md and business.md)."""
MAKES_OBJECTS = frozenset({"create_charge", "create_transfer"})


ACCOUNTS = 2
"""How many accounts of a run register webhooks."""


class UsedUp(Exception):  # noqa: N818  # a state of the run, not an error
    """The request was not sent, because it exceeds a limit of the run."""


class Allowance:
    """Counts requests and cents before they are sent. Safe to use from many threads.

    Requests are kept for the removal of each webhook that the run has registered, and for the tokens of their accounts.
    """

    def __init__(self, *, requests: float = math.inf, cents: float = math.inf, ends: float = math.inf) -> None:
        """Limit a run; `ends` is on the monotonic clock."""
        self._limits = {"requests": requests, "cents": cents}
        self._ends = ends
        self._used = {"requests": 0.0, "cents": 0.0}
        self._webhooks = 0
        self._is_cleanup = False
        self._lock = threading.Lock()

    @property
    def requests(self) -> float:
        """How many requests are left."""
        return self._limits["requests"] - self._used["requests"] - self._kept(self._webhooks)

    @property
    def cents(self) -> float:
        """How many cents are left."""
        return self._limits["cents"] - self._used["cents"]

    @property
    def seconds(self) -> float:
        """How many seconds are left."""
        return self._ends - time.monotonic()

    def check(self) -> None:
        """Raise UsedUp if no request can be sent any more."""
        self._check(self._webhooks)

    def begin_cleanup(self) -> None:
        """Allow the requests that remove webhooks, also after the time."""
        self._is_cleanup = True

    def take(self, operation: str | None, body: bytes) -> None:
        """Count a request that is to be sent. Raises UsedUp if that exceeds a limit."""
        cents = _cents(operation, body)
        with self._lock:
            self._check(webhooks=self._webhooks + (operation == "create_webhook"))
            if self._used["cents"] + cents > self._limits["cents"]:
                raise UsedUp(f"{cents:.0f} cents more would exceed --max-cents {self._limits['cents']:.0f}")
            self._used["requests"] += 1
            self._used["cents"] += cents
            self._webhooks += operation == "create_webhook"

    def _check(self, webhooks: int) -> None:
        if self._used["requests"] + 1 + self._kept(webhooks) > self._limits["requests"]:
            raise UsedUp(f"the {self._limits['requests']:.0f} requests of --budget are used up")
        if self.seconds <= 0 and not self._is_cleanup:
            raise UsedUp("the time of --budget is used up")

    def _kept(self, webhooks: int) -> int:
        """Return how many requests are kept for the removal of so many webhooks."""
        return 0 if self._is_cleanup else webhooks + min(webhooks, ACCOUNTS)

    def settle(self, operation: str | None, body: bytes, *, ok: bool, refused: bool) -> None:
        """Give back what a request that was sent has not used: the cents of a refused one, a webhook that is not."""
        with self._lock:
            self._used["cents"] -= _cents(operation, body) if refused else 0
            self._webhooks -= (operation == "create_webhook" and not ok) or (operation == "delete_webhook" and ok)


def _cents(operation: str | None, body: bytes) -> float:
    """Return the cents of the charge or transfer that a body asks for; 0 for what is no amount."""
    sent = parsed(body) if operation in MAKES_OBJECTS else None
    found = next((sent[name] for name in AMOUNTS if name in sent), 0) if isinstance(sent, Mapping) else 0
    return max(0.0, _number(found))


def _number(found: Any) -> float:
    try:
        number = float(found)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0
