"""Refuses in another way, or what it must not refuse."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

MARGIN_S = 30


class Forbids(BusinessRules):
    """Refuses an operation on pending charges that carry something."""

    operation: ClassVar[str] = ""
    column: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Look at what it carries."""
        row = super().owned(call)
        if call.operation == self.operation and row["status"] == "pending" and row[self.column] is not None:
            raise self.not_possible(call, row)
        return row

    def not_possible(self, call: Call, charge: Row) -> Refusal:
        """Refuse for the state."""
        del call
        return Refusal("state", f"charge is {charge['status']}")


class MissingIs(BusinessRules):
    """Answers an id that is unknown, or another's, in another way."""

    operation: ClassVar[str] = ""
    foreign: ClassVar[bool] = False
    answer_status: ClassVar[int] = 404

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Change the status."""
        answer = super().refused(call, refusal)
        if refusal.kind == "missing" and call.operation == self.operation:
            exists = self.store.find("business_charge", id=call.params["id"]) is not None
            answer.status = self.answer_status if exists == self.foreign else answer.status
        return answer


def missing(operation: str, status: int, *, foreign: bool) -> dict[str, Any]:
    """Members of a class that answers what is missing otherwise."""
    return {"operation": operation, "answer_status": status, "foreign": foreign}


class RefusesNearEnd(BusinessRules):
    """Refuses an operation in the last half minute of a life."""

    operation: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Look at the time that is left."""
        row = super().owned(call)
        late = self.clock.now() > row["expires_at"] - MARGIN_S
        if call.operation == self.operation and row["status"] == "pending" and late:
            raise Refusal("state", "charge is about to expire")
        return row


class RefusesOtherwise(BusinessRules):
    """Refuses what it must, with another answer; `kinds` and `operations` left empty mean all of them."""

    kinds: ClassVar[tuple[str, ...]] = ()
    operations: ClassVar[tuple[str, ...]] = ()
    fits: ClassVar[Any]
    make: ClassVar[Any]

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Answer those refusals in its own way."""
        answer = super().refused(call, refusal)
        chosen = not self.kinds or refusal.kind in self.kinds
        here = call.operation in self.operations if self.operations else bool(call.operation)
        other: Answer = self.make(answer) if chosen and here and self.fits(refusal.message) else answer
        return other

    def encode(self, call: Call, body: Any) -> bytes:
        """Send bytes as they are."""
        return body if isinstance(body, bytes) else super().encode(call, body)


def refusing(kinds: str, operations: str, make: Any, fits: Callable[[str], bool] = bool) -> dict[str, Any]:
    """Members of a class that refuses otherwise: `make` is a status, or turns the right answer into another."""
    answered = make if callable(make) else lambda answer: Answer(make, answer.body, answer.headers)
    return {
        "kinds": tuple(kinds.split()),
        "operations": tuple(operations.split()),
        "fits": staticmethod(fits),
        "make": staticmethod(answered),
    }


def of_limit(message: str) -> bool:
    """Judge whether a refusal is about a limit."""
    return any(words in message for words in ("greater than", "at least", "at most"))


def limit_of(name: str) -> Callable[[str], bool]:
    """Make a judge of refusals that are about the limit of one field."""
    return lambda message: message.startswith(f"{name} ") and of_limit(message)
