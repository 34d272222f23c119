"""Conforming variants where BUS-CAN is silent: cancellation."""

from __future__ import annotations

from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


class AnswersNothing(BusinessRules):
    """The bodies of cancel and pay are not shown (business.md, lines 114 and 120)."""

    def cancel_view(self, call: Call, charge: Row) -> Any:  # nothing is shown
        """Say that it worked."""
        return {"ok": True}

    def pay_view(self, call: Call, charge: Row) -> Any:  # likewise
        """Say that it worked."""
        return {"status": "accepted"}


class AnswersWith204(BusinessRules):
    """Neither bodies nor statuses of cancel and pay are shown."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Answer a success of these two without content."""
        answer = super().respond(call, answer)
        silent = call.operation in {"cancel_charge", "pay_charge"} and answer.status == 200  # its own
        return Answer(204, None, answer.headers) if silent else answer

    def encode(self, call: Call, body: Any) -> bytes:
        """Write no content as nothing."""
        return b"" if body is None else super().encode(call, body)


class DetectsOnCancel(BusinessRules):
    """Whether a cancel after expires_at detects the expiry is not stated."""

    def detects_expiry(self, operation: str) -> bool:  # on every operation
        """Detect it always."""
        return True


class DetectsOnQueryOnly(BusinessRules):
    """Only the first query or confirmation is said to detect expiry; a list need not."""

    def detects_expiry(self, operation: str) -> bool:
        """Detect it on a query and on pay."""
        return operation in {"get_charge", "pay_charge"}

    def expire_all(self, call: Call) -> None:
        """Leave the list as it is."""


class RefusesBodies(BusinessRules):
    """Cancel and pay have no body; what becomes of one that is sent is not shown."""

    def owned(self, call: Call) -> Row:
        """Refuse it once the charge is known."""
        row = super().owned(call)
        if call.operation in {"cancel_charge", "pay_charge"} and call.body not in {b"", b"{}"}:
            raise Refusal("invalid", "body must be empty")
        return row


VARIANTS = [
    Variant("business-transition-body", ("BUS-CAN-03", "BUS-PAY-03"), {"words": AnswersNothing, "204": AnswersWith204}),
    Variant("business-expiry", ("BUS-CAN-07", "BUS-LIST-14"), {"always": DetectsOnCancel, "query": DetectsOnQueryOnly}),
    Variant("business-no-body", ("BUS-CAN-09", "BUS-PAY-04"), {"refused": RefusesBodies}),
]
