"""Operators of the fields of a request, for both APIs: accepted, refused, required or read in a wrong way.

A key names a field by its path (`amountInCents`, `items[].title`); a rule tells fields of the same key in two requests
apart, by the method that judges them (`judge_charge_description`).
"""

import re
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.responses import in_words
from pix_conformance.proof.mutants.operators.values import Judge, Kind
from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.fields import Field, FieldRules
from pix_conformance.reference.http import WireRules

GROUP = "validation"


def key_of(where: str, name: str = "") -> str:
    """Return the key of a field, or of an element of an array, at a path."""
    return re.sub(r"\[\d+\]", "[]", f"{where}.{name}" if where and name else where or name)


class Accepts(FieldRules):
    """Takes another value for one that must be refused."""

    key: ClassVar[str]
    rule: ClassVar[str]
    passes: ClassVar[Any]
    stand_in: ClassVar[Any]

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        meant = key_of(where, field.name) == self.key and self.rule in {"", field.rule}
        sent = holder.get(field.name, GONE)
        return self.stand_in if meant and self.passes(sent) else super().read_field(holder, field, where)

    def read_element(self, element: Any, field: Field, path: str) -> dict[str, Any]:
        meant = key_of(path) == self.key and self.passes(element)
        return dict(self.stand_in) if meant else super().read_element(element, field, path)


def accepts(key: str, passes: Judge, stand_in: Any, rule: str = "") -> Difference:
    """Accept values of a field that must be refused, as if another value had been sent."""
    members = {"key": key, "rule": rule, "passes": staticmethod(passes), "stand_in": stand_in}
    sentence = f"A wrong {key} is accepted, as if it were {in_words(stand_in)[3:]}."
    if isinstance(passes, Kind):
        sentence = f"{key} is accepted though it is {passes.words}."
    return Difference(sentence, Accepts, members, GROUP)


class Refuses(FieldRules):
    """Refuses right values."""

    key: ClassVar[str]
    rule: ClassVar[str]
    fails: ClassVar[Any]

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        meant = key == self.key and self.rule in {"", field.rule}
        return "is not supported" if meant and self.fails(value) else super().complaint(key, value, field)


def refuses(key: str, fails: Judge, rule: str = "") -> Difference:
    """Refuse values of a field that must be accepted."""
    members = {"key": key, "rule": rule, "fails": staticmethod(fails)}
    sentence = f"{key} is refused if it is {fails.words}." if isinstance(fails, Kind) else f"A right {key} is refused."
    return Difference(sentence, Refuses, members, GROUP)


class Requires(FieldRules):
    """Requires one field that may be left out."""

    key: ClassVar[str]
    rule: ClassVar[str]

    def is_required(self, key: str, field: Field) -> bool:
        return (key == self.key and self.rule in {"", field.rule}) or super().is_required(key, field)


def requires(key: str, rule: str = "") -> Difference:
    """Refuse a request without a field that may be left out."""
    return Difference(f"A request without {key} is refused.", Requires, {"key": key, "rule": rule}, GROUP)


class AcceptsBody(WireRules):
    """Reads another body in the place of one that must be refused."""

    operation: ClassVar[str]
    passes: ClassVar[Any]
    stand_in: ClassVar[Any]

    def json_body(self, call: Call) -> Any:
        try:
            sent = super().json_body(call)
        except Refusal:
            sent = call.body or GONE
            if call.operation != self.operation or not self.passes(sent):
                raise
        meant = call.operation == self.operation and self.passes(sent)
        return dict(self.stand_in) if meant else sent


def accepts_body(operation: str, passes: Judge, stand_in: dict[str, Any]) -> Difference:
    """Accept bodies that must be refused; what is not JSON is judged as bytes, no body as GONE."""
    members = {"operation": operation, "passes": staticmethod(passes), "stand_in": stand_in}
    return Difference(f"{operation} accepts a wrong body.", AcceptsBody, members, GROUP)


class RequiresBody(WireRules):
    """Refuses requests without a JSON body, of an operation that takes none."""

    operation: ClassVar[str]

    def authorize(self, call: Call) -> Any:
        access = super().authorize(call)
        if call.operation == self.operation:
            self.json_body(call)
        return access


def requires_body(operation: str) -> Difference:
    """Refuse an operation without a JSON body, though it takes none."""
    return Difference(f"{operation} without a JSON body is refused.", RequiresBody, {"operation": operation}, GROUP)


class ReadsOtherwise(FieldRules):
    """Changes the body before it is read."""

    name: ClassVar[str]
    fits: ClassVar[Any]
    change: ClassVar[Any]

    def read_body(self, value: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
        if not isinstance(value, dict) or all(one.name != self.name for one in fields):
            return super().read_body(value, fields)
        sent = value.get(self.name, GONE)
        return super().read_body(value | ({self.name: self.change(sent)} if self.fits(sent) else {}), fields)


def reads(name: str, fits: Judge, change: Any) -> Difference:
    """Read some values of a field of the body as another value, or as what a function makes of them."""
    made = change if callable(change) else lambda _: change
    members = {"name": name, "fits": staticmethod(fits), "change": staticmethod(made)}
    sentence = f"Some values of {name} are read as others."
    if isinstance(fits, Kind):
        read = "converted" if callable(change) else f"read as {in_words(change)[3:]}"
        sentence = f"{name} is {read} if it is {fits.words}."
    return Difference(sentence, ReadsOtherwise, members, GROUP)
