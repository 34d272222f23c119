"""Charges and events of the business charge API, for an integration (BUS-EVT)."""

import uuid
from datetime import UTC, datetime
from typing import Any

from pix_conformance.integration.event_form import EventForm, OrderCharge


def fields(charge: OrderCharge, name: str, _status: str) -> dict[str, Any]:
    """Return the body of an event about a charge."""
    data = {"amount_cents": charge.cents, "e2e_id": charge.e2e_id, "external_ref": charge.external_ref}
    created = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return {"id": f"evt_{uuid.uuid4().hex}", "type": name, "created_at": created, "data": data}


FORM = EventForm(
    charges="/v1/business/pix-charges",
    amount="amount_cents",
    id="id",
    paid="business.pix.paid",
    created="business.pix.created",
    ending="business.pix.canceled",
    unknown="business.pix.settled",
    cases=frozenset({"canceled", "created-a-week-ago"}),
    fields=fields,
    token=lambda _login, variables: variables["PIX_API_KEY"],
)
