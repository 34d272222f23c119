"""Operators of refusals, for both APIs: another status, code or body."""

import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.state import ROLES
from pix_conformance.sandbox.difference import Difference, changes_result

KINDS = {
    "invalid": "An invalid request",
    "state": "An operation that the status does not allow",
    "unauthorized": "A wrong credential",
    "forbidden": "A simulation in production",
    "missing": "An id that is unknown or another account's",
    "method": "An unknown method",
    "key_conflict": "An idempotency key used with another body",
    "limited": "One request too many",
}
"""The kinds of refusal of the reference, in words."""


def refused(  # noqa: PLR0913  # each part of a refusal that a server may get wrong
    kind: str,
    operations: str = "",
    *,
    status: int = 0,
    code: str = "",
    body: Any = None,
    about: Callable[[str], object] = bool,
) -> Difference:
    """Answer a kind of refusal with another status, code or body (a value, or a function of the right one).

    No operations are all of them; `about` judges the message, to choose some refusals of the kind.
    """

    def refuse(_rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
        here = call.operation in operations.split() if operations else call.operation
        if not here or refusal.kind != kind or not about(refusal.message):
            return answer
        right = answer.body | ({"error": code} if code else {})
        wrong = right if body is None else body(right) if callable(body) else body
        return Answer(status or answer.status, wrong, answer.headers)

    words = [f"the status {status}" if status else "", f"the code {code}" if code else ""]
    words += ["another body"] if body is not None else []
    place = f" by {' and '.join(operations.split())}" if operations else ""
    sentence = f"{KINDS[kind]} is refused{place} with {' and '.join(filter(None, words))}."
    return changes_result(sentence, refused=refuse)


def refuses_operation(operation: str, kind: str = "state") -> Difference:
    """Refuse an operation that must succeed, for a reason of some kind; it is one that pauses before its effect."""

    def pause(_rules: Any, _right: None, call: Call, place: str) -> None:
        if call.operation == operation and place != "arrival":
            raise Refusal(kind, "this is not supported")

    return changes_result(f"{operation} is refused ({kind}).", pause=pause).of("state")


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
