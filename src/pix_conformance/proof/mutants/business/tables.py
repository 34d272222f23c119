"""Kinds of departure that many defects share, and what turns a table of them into classes."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import GONE, Change, changed
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

SUCCESS, REFUSED = 200, 400
OWNER = Access("merchant-a", "sandbox")
"""Whose data a server shows that does not ask."""


class ChangesAnswers(BusinessRules):
    """Changes one value in the successful answers of some operations."""

    operations: ClassVar[tuple[str, ...]] = ()
    where: ClassVar[str] = ""
    change: ClassVar[Any]

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Change the body last of all."""
        answer = super().respond(call, answer)
        if call.operation in self.operations and answer.status < REFUSED:
            answer.body = changed(answer.body, self.where.split("."), self._changed)
        return answer

    def _changed(self, old: Any) -> Any:
        return old if old is GONE else self.change(old)


def in_answers(operations: str, where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes answers; what is not callable is the new value."""
    return {"operations": tuple(operations.split()), "where": where, "change": staticmethod(to(change))}


def to(change: Any) -> Change:
    """Turn a new value into a change; a change stays."""
    return change if callable(change) else lambda _: change


class ReadsOtherwise(BusinessRules):
    """Changes the body of a creation before it is read; what is no object is read as it is."""

    change: ClassVar[Any]

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Read something else than was sent."""
        return super().read_charge(self.change(dict(body)) if isinstance(body, dict) else body)


def reading(name: str, fits: Callable[[Any], bool], change: Any) -> dict[str, Any]:
    """Members of a class that reads one field otherwise if its value fits; a missing one is GONE."""

    def change_body(body: dict[str, Any]) -> dict[str, Any]:
        value = body.get(name, GONE)
        return body | {name: to(change)(value)} if fits(value) else body

    return {"change": staticmethod(change_body)}


def a(*kinds: type) -> Callable[[Any], bool]:
    """Judge the type of what was sent, by exactly these types: True is no int."""
    return lambda value: type(value) in kinds


class KeepsOtherwise(BusinessRules):
    """Stores another value in one column of a new charge."""

    column: ClassVar[str] = ""
    change: ClassVar[Any]

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Change the row; what was not given stays so."""
        row = super().new_charge(access, read)
        value = row[self.column]
        return row if value is None else row | {self.column: self.change(value)}


def keeping(column: str, change: Any) -> dict[str, Any]:
    """Members of a class that stores otherwise."""
    return {"column": column, "change": staticmethod(to(change))}


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


class ActsThough(BusinessRules):
    """Refuses an operation on a charge in one of some states, and yet does something to the charge."""

    operation: ClassVar[str] = ""
    states: ClassVar[tuple[str, ...]] = ()
    act: ClassVar[Any]

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Do it once the refusal is certain."""
        if call.operation == self.operation and refusal.kind == "state":
            row = self.store.find("business_charge", id=call.params["id"])
            if row and row["status"] in self.states:
                self.act(row)
        return super().refused(call, refusal)


class AllowsInstead(BusinessRules):
    """Answers an operation that it should refuse as if it had been done, without doing it."""

    operation: ClassVar[str] = ""
    states: ClassVar[tuple[str, ...]] = ()

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Show the charge as it is."""
        if call.operation == self.operation and refusal.kind == "state":
            row = self.store.find("business_charge", id=call.params["id"])
            if row and row["status"] in self.states:
                return Answer(SUCCESS, self.charge_view(call, row))
        return super().refused(call, refusal)


def moved(rules: BusinessRules, charge: Row, status: str) -> None:
    """Put a charge into a state, whatever it was."""
    rules.store.update("business_charge", {"status": status}, id=charge["id"])


def body_of(call: Call) -> dict[str, Any]:
    """Parse what a call sent; an empty object for what is none."""
    try:
        body = json.loads(call.body or b"")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def sketched(rules: BusinessRules, access: Access, body: dict[str, Any]) -> Row:
    """Make a charge of a body that may be invalid: the label that it bears, and plain values for all else."""
    ref = body.get("external_ref")
    fields = {"amount_cents": 1050, "description": None, "customer_email": None, "expires_in_seconds": 3600}
    return rules.new_charge(access, {**fields, "external_ref": ref if isinstance(ref, str) else None})
