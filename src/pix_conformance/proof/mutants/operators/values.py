"""Judges of a value that was sent, for the operators of fields; GONE is one that was not sent."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE

Judge = Callable[[Any], object]
CPF_LENGTH, CNPJ_LENGTH = 11, 14
TYPES: dict[type, str] = {
    str: "a string",
    int: "a number",
    Decimal: "a number",
    bool: "a boolean",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


@dataclass(frozen=True)
class Kind:
    """A judge whose `words` follow "it is" in the sentence of an operator."""

    words: str
    judge: Judge

    def __call__(self, value: Any) -> object:
        """Judge a value."""
        return self.judge(value)


def is_a(*types: type) -> Kind:
    """Make a judge of the type of a value, by exactly these types: True is no int."""
    return Kind(" or ".join(dict.fromkeys(TYPES[one] for one in types)), lambda value: type(value) in types)


is_number = is_a(int, Decimal)
is_null = is_a(type(None))
is_absent = Kind("missing", lambda value: value is GONE)
is_present = Kind("sent at all", lambda value: value is not GONE)
is_not_json = Kind("not JSON", lambda value: isinstance(value, bytes))
is_empty = Kind("empty", lambda value: value == "")
is_fraction = Kind(
    "a number with a fraction", lambda value: isinstance(value, Decimal) and value != value.to_integral_value()
)


def matches(pattern: str) -> Judge:
    """Make a judge of texts that match a pattern as a whole."""
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def is_digits(length: int) -> Kind:
    """Make a judge of texts of so many digits."""
    return Kind(
        f"of {length} digits", lambda value: isinstance(value, str) and value.isdigit() and len(value) == length
    )


def begins_with_zero(length: int) -> Kind:
    """Make a judge of texts of so many characters, the first of which is a zero."""
    return Kind(
        f"of {length} digits, the first a zero",
        lambda value: isinstance(value, str) and len(value) == length and value.startswith("0"),
    )
