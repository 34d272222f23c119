"""The sandbox proof: before a credential pair may send transfers, the sandbox route must pay a new charge of that pair.

The response 403 means production (PAY-PAYS-14): then nothing more is sent with that pair.
"""

import threading

from pix_conformance.checks.payments.refusals import SANDBOX_PAYMENT
from pix_conformance.harness.clients.client import Client
from pix_conformance.harness.expect import unless_undecided
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import limit
from pix_conformance.model.vocabulary import Api

PROBE = {
    "amountInCents": limit(Api.PAYMENTS, "create_charge", "amountInCents", "minimum"),
    "customer": {"documentType": "cpf", "document": "52998224725"},
}
FORBIDDEN = 403

REFUSED_PAYMENT = "status is 403, not 200, for a new charge of a credential pair that was given for the sandbox"
NOT_PROVEN = "no transfer is sent: could not prove that the credentials belong to a sandbox"


class SandboxProof:
    """The proof for one credential pair at one base URL.

    It sends two requests the first time, then keeps the result. What decides nothing, such as a 429, is no result.
    """

    def __init__(self) -> None:
        self._verdict: str | None = None
        self._lock = threading.RLock()
        self.production = False

    def demand(self, payments: Client) -> None:
        """Return if the pair belongs to a sandbox. Raises Inconclusive if not, also for every later transfer."""
        with self._lock:
            if self._verdict is None:
                try:
                    self._verdict = self._prove(payments) or "proven"
                except Inconclusive as reason:
                    raise Inconclusive(f"{NOT_PROVEN} ({reason})", reason.why) from None
            if self._verdict != "proven":
                raise Inconclusive(self._verdict)

    def _prove(self, payments: Client) -> str | None:
        charge = unless_undecided(payments.create_charge(PROBE))
        id_ = charge.at("data.id")
        if not charge.ok or not isinstance(id_, str) or not id_:
            return f"{NOT_PROVEN} (creating a charge returned {charge.status})"
        paid = unless_undecided(payments.pay_charge(id_))
        if paid.status == FORBIDDEN:
            self._stop(payments, paid)
            return "no transfer is sent: the sandbox route returns 403, so these are production credentials"
        if not paid.ok or paid.at("data.status") != "paid":
            return f"{NOT_PROVEN} (paying it returned {paid.status})"
        return None

    def _stop(self, payments: Client, paid: Exchange) -> None:
        """Send nothing more with the pair. If it was given for the sandbox, PAY-PAYS-01 is violated."""
        self.production = True
        test = payments.sender.current_test
        test.facts.note(
            f"the credential pair of the role {payments.role} belongs to production: the sandbox route returns 403"
        )
        test.facts.expect(
            requirements=(SANDBOX_PAYMENT,),
            test=test.node,
            evidence=paid.evidence,
            mismatches=(REFUSED_PAYMENT,),
            curl=test.curl(paid),
        )
