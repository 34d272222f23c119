"""Conforming variants where BUS-CAN is silent: cancellation."""

from typing import Any

from pix_conformance.proof.difference import setting, variant
from pix_conformance.proof.variants.common.checks import checks_result
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal

TRANSITIONS = {"cancel_charge", "pay_charge"}


def refuse_body(_rules: Any, _row: Any, call: Call) -> None:
    if call.operation in TRANSITIONS and call.body not in {b"", b"{}"}:
        raise Refusal("invalid", "body must be empty")


VARIANTS = {
    "BUS-CAN-03": {"other-bodies": setting(
            "Cancel and pay return ok or a word: their bodies are not shown (business.md, lines 114 and 120).",
            cancel_view=lambda _rules, _call, _charge: {"ok": True},
            pay_view=lambda _rules, _call, _charge: {"status": "accepted"}).also("BUS-PAY-03")},
    "BUS-CAN-07": {
        "detected-on-cancel": setting(
            "A cancel after expires_at detects the expiry: whether it does is not stated (business.md, line 81).",
            detects_expiry=lambda _rules, _operation: True).also("BUS-LIST-14"),
        "detected-on-query-only": setting(
            "Query and pay detect an expiry, a list does not: only these two are named (business.md, line 81).",
            detects_expiry=lambda _rules, operation: operation in {"get_charge", "pay_charge"},
            expire_all=lambda _rules, _call: None).also("BUS-LIST-14"),
    },
    "BUS-CAN-09": {"body-refused": checks_result(
            "A body of cancel or pay is refused: neither has one (business.md, lines 114 and 118).",
            owned=refuse_body).also("BUS-PAY-04")},
}  # fmt: skip


@variant("BUS-CAN-03/no-content", "BUS-PAY-03")
class NoContent(BusinessRules):
    """Cancel and pay return 204 without a body: their responses are not shown (business.md, lines 114 and 120)."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        answer = super().respond(call, answer)
        empty = call.operation in TRANSITIONS and answer.status == 200
        return Answer(204, None, answer.headers) if empty else answer

    def encode(self, call: Call, body: Any) -> bytes:
        return b"" if body is None else super().encode(call, body)
