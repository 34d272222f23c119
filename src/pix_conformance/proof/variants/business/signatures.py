"""Conforming variants where BUS-SIG is silent: signatures of events."""

from typing import Any

from pix_conformance.proof.difference import changes_result
from pix_conformance.proof.variants.common.events import EVENTS_INDENTED, HASH_IN_CAPITALS, SIGNED_WITH_DECIMALS, skewed
from pix_conformance.reference.outbox import Written


def as_signed_first(rules: Any, written: Written, _attempt: int, payload: dict[str, Any]) -> Written:
    first: Written = rules.__dict__.setdefault("first_attempts", {}).setdefault(payload.get("id"), written)
    return written[0], written[1] | {
        name: text for name, text in first[1].items() if name == rules.event_signature_header
    }


VARIANTS = {
    "BUS-SIG-03": {"hash-in-capitals": HASH_IN_CAPITALS, "body-indented": EVENTS_INDENTED},
    "BUS-SIG-04": {"clock-behind": skewed(
            "The clock of the server is 75 s behind: up to 300 s are accepted (business.md, line 160).", -75)},
    "BUS-SIG-08": {"signed-once": changes_result(
            "Each attempt carries the signature of the first one: whether it is signed again is not stated "
            "(business.md, lines 157 and 165).", write_event=as_signed_first)},
    "BUS-SIG-05": {"timestamp-with-decimals": SIGNED_WITH_DECIMALS},
}  # fmt: skip
