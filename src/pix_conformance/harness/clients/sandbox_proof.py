"""Proof before money: a credential pair is a sandbox only once a fresh charge of its own was paid by the sandbox route.

A 403 there means production (payments.md, line 248): nothing more is sent with that pair.
"""

from __future__ import annotations

import threading
from typing import Any, Protocol

from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.checks.payments.sandbox_credentials import refused_payment
from pix_conformance.harness.run_context import RunContext
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Role
from pix_conformance.results.curl import curl

PROBE = {"amountInCents": 100, "customer": {"documentType": "cpf", "document": "52998224725"}}
FORBIDDEN = 403


class Merchant(Protocol):
    """The client whose credential pair is to be proven."""

    role: Role
    run: RunContext

    def create_charge(self, body: Any) -> Exchange:
        """Create a charge."""

    def pay_charge(self, charge_id: str) -> Exchange:
        """Pay it by the sandbox route."""


class SandboxProof:
    """The proof for one pair at one base URL; asked once, then remembered."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._verdict: str | None = None
        self._lock = threading.RLock()
        self.production = False

    def demand(self, payments: Merchant) -> None:
        """Return if the pair is a proven sandbox; Inconclusive otherwise, for this and every later transfer."""
        with self._lock:
            if self._verdict is None:
                try:
                    self._verdict = self._prove(payments) or "proven"
                except Inconclusive as why:
                    self._verdict = f"transfers skipped: could not confirm sandbox credentials ({why})"
            if self._verdict != "proven":
                raise Inconclusive(self._verdict)

    def _prove(self, payments: Merchant) -> str | None:
        charge = payments.create_charge(PROBE)
        made = charge.at("data.id")
        if not charge.ok or not isinstance(made, str) or not made:
            return f"transfers skipped: could not confirm sandbox credentials (a charge was answered {charge.status})"
        paid = payments.pay_charge(made)
        if paid.status == FORBIDDEN:
            self._stop(payments, paid)
            return "transfers skipped: the sandbox route answers 403, so these are production credentials"
        if not paid.ok or paid.at("data.status") != "paid":
            return f"transfers skipped: could not confirm sandbox credentials (its pay was answered {paid.status})"
        return None

    def _stop(self, payments: Merchant, paid: Exchange) -> None:
        """Send nothing more with the pair. Given as a sandbox, it breaks the transition of payments.md, line 170."""
        self.production = True
        ledger = payments.run.ledger
        ledger.notices.append(
            f"the pair of the role {payments.role} is one of production: its sandbox route answers 403"
        )
        line = curl(paid, payments.run.target.base_url, ledger.redact)
        ledger.judgements.append(refused_payment(paid, ledger.test, line))
