"""Accepts, refuses or requires one field of a request."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules

CNPJ_LENGTH = 14
CPF_LENGTH = 11
CHARGE_TEXT = "judge_charge_description"
TRANSFER_TEXT = "judge_transfer_description"
CHARGE_BACK = "judge_charge_postback"
TRANSFER_BACK = "judge_transfer_postback"
NOT_THE_FIRST = re.compile(r"(items|splits)\[[1-9]")
Judge = Callable[[Any], object]
RANDOM_KEY = "123e4567-e89b-42d3-a456-426655440000"


def unlike(pattern: str) -> Callable[[str], bool]:
    """Make a judge of texts that do not match a pattern."""
    return lambda text: not re.fullmatch(pattern, text)


def begins_with_zero(length: int) -> Callable[[str], bool]:
    """Judge whether digits lose their zeros as a number."""
    return lambda text: len(text) == length and text.startswith("0")


def digits(count: int) -> Any:
    """Make a judge of texts of so many digits."""
    return lambda value: value.isdigit() and len(value) == count


def without_scheme(value: Any) -> bool:
    """Judge whether an address lacks its scheme."""
    return isinstance(value, str) and value.startswith("example.com/")


def is_path(value: Any) -> bool:
    """Judge whether an address is a path alone."""
    return isinstance(value, str) and value.startswith("/")


def with_blank_in_host(value: object) -> bool:
    """Judge whether the host of an address is empty or holds a blank."""
    return value == "https://" or (isinstance(value, str) and value.startswith("https://exam "))


def key_of(where: str, name: str = "") -> str:
    """Key of a field in the tables: `items[].title`."""
    return re.sub(r"\[\d+\]", "[]", f"{where}.{name}" if where and name else where or name)


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


NUMBERS = a(int, Decimal)
NULL = a(type(None))


def is_fraction(value: Any) -> bool:
    """Judge whether a number is not whole."""
    return isinstance(value, Decimal) and value != value.to_integral_value()


def like(pattern: str) -> Any:
    """Make a judge of texts that match a pattern."""
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None
