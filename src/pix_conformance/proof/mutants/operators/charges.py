"""Charges of the business API that a server creates though it must not."""

import json
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.state import ROLES

AMOUNT_CENTS = 1050


def sent_body(call: Call) -> dict[str, Any]:
    """Return the object that a request sent, however wrong; an empty one for what is no object."""
    try:
        body = json.loads(call.body or b"")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def leaves_charge(sentence: str, kind: str) -> Difference:
    """Refuse a creation for a reason of some kind, and leave a charge with its external_ref; all else is right."""

    def refuse(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
        if call.operation == "create_charge" and refusal.kind == kind:
            label = sent_body(call).get("external_ref")
            read: dict[str, Any] = {"amount_cents": AMOUNT_CENTS, "expires_in_seconds": 3600, "description": None}
            read |= {"customer_email": None, "external_ref": label if isinstance(label, str) else None}
            owner = call.access if call.access.account else ROLES["merchant"]
            rules.store.insert("business_charge", rules.new_charge(owner, read))
        return answer

    return changes_result(sentence, refused=refuse)
