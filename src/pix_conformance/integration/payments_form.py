"""Charges and events of the payments API, for an integration (PAY-EVT)."""

import uuid
from typing import Any

from pix_conformance.integration.event_form import PAYER, EventForm, OrderCharge


def fields(charge: OrderCharge, name: str, status: str) -> dict[str, Any]:
    """Return the body of an event about a charge, or of one about a transfer that has the charge's id."""
    pix = {"endToEndId": charge.e2e_id}
    transaction = {"id": charge.id, "amount": charge.cents, "status": status, "pix": {**pix, "payerInfo": PAYER}}
    kind = name.partition("_")[0]
    event: dict[str, Any] = {"id": str(uuid.uuid4()), "type": kind, "event": name, "scope": "pix_in"}
    if kind == "transfer":
        shown = "paid" if name == "transfer_completed" else status
        transfer = {"id": charge.id, "amount": charge.cents, "status": shown, "pix": {**pix, "creditorAccount": PAYER}}
        return {**event, "scope": "pix_out", "transfer": transfer}
    if kind == "infraction":
        infraction = {"id": str(uuid.uuid4()), "amount": charge.cents, "status": "OPEN", "pix": pix}
        return {**event, "infraction": infraction, "transaction": {**transaction, "status": "infraction"}}
    return {**event, "transaction": transaction}


FORM = EventForm(
    charges="/api/v1/pix/in/qrcode",
    amount="amountInCents",
    id="data.id",
    paid="transaction_paid",
    created="transaction_created",
    ending="transaction_refunded",
    unknown="transaction_settled",
    cases=frozenset(
        {"updated", "refunded", "infraction", "transfer-completed", "to-postback-too", "unsigned-postback"}
    ),
    fields=fields,
    token=lambda login, variables: login((variables["PIX_CLIENT_ID"], variables["PIX_CLIENT_SECRET"])),
    has_registered_secret=True,
)
