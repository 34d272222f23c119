"""Answers a refusal with another status or code."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

HOOK_RULES = " ".join(f"PAY-WH-{number:02d}" for number in (*range(2, 10), 11, 16, 17))
CREATE_CHARGE = "create_charge"
CREATE_TRANSFER = "create_transfer"
CREATE_WEBHOOK = "create_webhook"
LIST_WEBHOOKS = "list_webhooks"
GET_TRANSFER = "get_transfer"


def unauthorized(status: int, code: str = "UNAUTHORIZED") -> Any:
    """Make another answer of a refused credential."""
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


def answering(status: int, code: str = "INVALID_REQUEST") -> Any:
    """Make another answer of a refusal."""
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


def refusing(kind: str, operation: str, make: Callable[[Refusal], Answer]) -> dict[str, Any]:
    """Members of a class that answers one kind of refusal of one operation (or of "every") in another way."""
    return {"kind": kind, "operation": operation, "make": staticmethod(make)}


class RefusesOtherwise(PaymentsRules):
    """Refuses what it must, with another answer."""

    kind: ClassVar[str] = ""
    operation: ClassVar[str] = "every"

    @staticmethod
    def make(refusal: Refusal) -> Answer:
        """Give the answer instead."""
        return Answer(400, {"error": "INVALID_REQUEST", "message": refusal.message})

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Answer that kind of refusal in its own way."""
        meant = self.operation in {"every", call.operation} and call.operation != ""
        if meant and refusal.kind == self.kind:
            return self.make(refusal)
        return super().refused(call, refusal)
