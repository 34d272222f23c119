"""Reads one field of a request in another way."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.responses import to
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

LARGE = 1_000_000
REAL = 100
FIELD_LABELS = {
    "amount_cents": "Amount",
    "description": "Description",
    "external_ref": "Ref",
    "customer_email": "Email",
    "expires_in_seconds": "Expiry",
}
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "Number": ((int, Decimal), "a number"),
    "Boolean": ((bool,), "a boolean"),
    "Array": ((list,), "an array"),
    "Object": ((dict,), "an object"),
}


def whole(amount: int) -> int:
    """Return an amount in reais if it is whole, else in cents."""
    return amount if amount % REAL else amount // REAL


def as_number(label: str | None) -> Any:
    """Return a label of digits as a number."""
    return int(label) if label and label.isascii() and label.isdigit() and label[0] != "0" else label


class ReadsLive(BusinessRules):
    """Reads some field of a production charge otherwise."""

    field = ""

    async def create_charge(self, call: Call) -> Answer:
        """Remember the environment while the body is read."""
        self.__dict__["sandbox"] = call.access.is_sandbox
        return await super().create_charge(call)

    def complaint(self, key: str, value: Any, field: Any) -> str | None:
        """Take anything in production."""
        free = key == self.field and not self.__dict__.get("sandbox", True)
        return None if free else super().complaint(key, value, field)


class OfProduction(BusinessRules):
    """Makes charges of production otherwise."""

    change: ClassVar[Any]

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Change the row."""
        row = super().new_charge(access, read)
        return row if access.is_sandbox else row | self.change(row)


class Overlooks(BusinessRules):
    """Takes a field of a wrong type for absent if its value is empty or zero."""

    name: ClassVar[str] = ""

    def is_given(self, key: str, holder: dict[str, Any], name: str) -> bool:
        """Ask whether it is anything."""
        value = holder.get(name)
        return bool(value or isinstance(value, str)) if name == self.name else super().is_given(key, holder, name)


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


def is_digits(value: Any) -> bool:
    """Judge whether a text is a number in quotes."""
    return isinstance(value, str) and value.isdecimal()
