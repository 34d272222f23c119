"""The e2e_id of a payment, in every response that shows it (BUS-CHG-52)."""

from __future__ import annotations

from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING


@relation("the response shows no other e2e_id than {charge}")
def shows_no_other_payment_than(again: Exchange, charge: Exchange) -> str | None:
    """Expect a second payment, if it is accepted, to show the e2e_id of the first or none."""
    shown = again.at("e2e_id") if again.ok else MISSING
    other = isinstance(shown, str) and shown != charge.at("e2e_id")
    return f"it shows the e2e_id {shown}" if other else None
