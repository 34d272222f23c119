"""Charges of the business API that a server creates though it must not."""

import json
from typing import Any

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row

AMOUNT_CENTS = 1050


def sent_body(call: Call) -> dict[str, Any]:
    """Return the object that a request sent, however wrong; an empty one for what is no object."""
    try:
        body = json.loads(call.body or b"")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def charge_from(rules: Any, access: Access, body: dict[str, Any]) -> Row:
    """Return a new charge with the external_ref of a body that may be wrong; all else is right."""
    label = body.get("external_ref")
    read = {"amount_cents": AMOUNT_CENTS, "description": None, "customer_email": None, "expires_in_seconds": 3600}
    charge: Row = rules.new_charge(access, read | {"external_ref": label if isinstance(label, str) else None})
    return charge
