"""Which of two refusals a right server returns: the documents do not say."""

from typing import Any

from pix_conformance.reference.call import Call


def has_used_key(rules: Any, call: Call) -> bool:
    """Return whether the idempotency key of a request was used before."""
    key = rules.idempotency_key(call)
    return key is not None and rules.earlier(call, key) is not None


def look_before_credential(rules: Any, call: Call) -> None:
    """Refuse an invalid body or an unknown id."""
    if call.operation == "create_charge":
        rules.read_charge(rules.json_body(call))
    if call.operation == "get_charge" and not rules.knows_charge(call.params["id"]):
        raise rules.not_found(call) from None
