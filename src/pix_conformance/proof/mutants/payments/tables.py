"""Kinds of departure that many defects share, and what turns a table of them into classes."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import GONE, changed, family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules

Judge = Callable[[Any], object]


class ChangesAnswers(PaymentsRules):
    """Changes one value in the answers of some operations that have one of the statuses."""

    operations: ClassVar[tuple[str, ...]] = ()
    statuses: ClassVar[tuple[int, ...]] = (200, 201)
    where: ClassVar[str] = ""

    @staticmethod
    def change(old: Any) -> Any:
        """Give the new value."""
        return old

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Change the body last of all."""
        answer = super().respond(call, answer)
        if call.operation in self.operations and answer.status in self.statuses:
            answer.body = changed(answer.body, self.where.split("."), self.change)
        return answer


def in_answers(operations: str, where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes answers; what is not callable is the new value."""
    return {
        "operations": tuple(operations.split()),
        "where": where,
        "change": staticmethod(change if callable(change) else lambda _: change),
    }


class Accepts(PaymentsRules):
    """Lets one field pass that must be refused, as if it had been sent right."""

    key: ClassVar[str] = ""
    rule: ClassVar[str | None] = None
    stand_in: ClassVar[Any] = None

    @staticmethod
    def passes(value: Any) -> bool:
        """Judge whether what was sent is let pass."""
        return value is GONE

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Put the stand-in where the field should be refused."""
        key = key_of(where, field.name)
        meant = key == self.key and self.rule in {None, field.rule}
        if meant and self.passes(holder.get(field.name, GONE)):
            return self.stand_in
        return super().read_field(holder, field, where)

    def read_element(self, element: Any, field: Field, path: str) -> dict[str, Any]:
        """Do so for the element of an array as well, whose key ends in brackets."""
        if key_of(path) == self.key and self.passes(element):
            return dict(self.stand_in)
        return super().read_element(element, field, path)


class Refuses(PaymentsRules):
    """Refuses one field that must be accepted."""

    key: ClassVar[str] = ""
    rule: ClassVar[str | None] = None

    @staticmethod
    def fails(value: Any) -> bool:
        """Judge whether a right value is refused."""
        return value is not GONE

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Complain of a right value."""
        meant = key == self.key and self.rule in {None, field.rule}
        return "is not supported" if meant and self.fails(value) else super().complaint(key, value, field)


class Requires(PaymentsRules):
    """Insists on one field that may be left out."""

    key: ClassVar[str] = ""
    rule: ClassVar[str | None] = None

    def is_required(self, key: str, field: Field) -> bool:
        """Judge it as if it had no default."""
        meant = key == self.key and self.rule in {None, field.rule}
        return meant or super().is_required(key, field)


def key_of(where: str, name: str = "") -> str:
    """Key of a field in the tables: `items[].title`."""
    return re.sub(r"\[\d+\]", "[]", f"{where}.{name}" if where and name else where or name)


def passing(key: str, passes: Judge, stand_in: Any, rule: str | None = None) -> dict[str, Any]:
    """Members of a class that accepts; the rule tells fields of the same name in two requests apart."""
    return {"key": key, "rule": rule, "passes": staticmethod(passes), "stand_in": stand_in}


def failing(key: str, fails: Judge, rule: str | None = None) -> dict[str, Any]:
    """Members of a class that refuses."""
    return {"key": key, "rule": rule, "fails": staticmethod(fails)}


def absent(value: Any) -> bool:
    """Judge whether a field was not sent."""
    return value is GONE


def anything(value: Any) -> bool:
    """Judge whether a field was sent, whatever it holds."""
    return value is not GONE


def a(*kinds: type) -> Judge:
    """Judge the type of what was sent, by exactly these types: True is no int."""
    return lambda value: type(value) in kinds


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


def shapes(module: str, label: str, operations: str, rows: Mapping[str, tuple[str, Any]]) -> dict[str, type]:
    """Make two classes of each value in an answer: it is left out, and it is of another type."""
    found: dict[str, type] = {}
    for where, (ids, wrong) in rows.items():
        name = label + "".join(part[:1].upper() + part[1:] for part in where.replace("*", "").split("."))
        words = f"in the answer of {' and '.join(operations.split())}"
        table = {
            f"{name}Missing": (f"{where} is missing {words}.", ids, in_answers(operations, where, GONE)),
            f"{name}Mistyped": (f"{where} is of a wrong type {words}.", ids, in_answers(operations, where, wrong)),
        }
        found |= family(module, "schema", ChangesAnswers, table)
    return found
