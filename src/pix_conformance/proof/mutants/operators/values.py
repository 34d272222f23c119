"""Judges of a value that was sent, for the operators of fields; GONE is one that was not sent."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE

Judge = Callable[[Any], object]
TYPES: dict[str, list[type]] = {
    "string": [str],
    "number": [int, Decimal],
    "boolean": [bool],
    "array": [list],
    "object": [dict],
    "null": [type(None)],
}
"""The types of JSON, with those of a parsed value."""


@dataclass(frozen=True)
class Kind:
    """A judge whose `words` follow "it is" in the sentence of an operator."""

    words: str
    judge: Judge

    def __call__(self, value: Any) -> object:
        """Judge a value."""
        return self.judge(value)


def is_a(*names: str) -> Kind:
    """Make a judge of the type of a value, by the names of JSON: `is_a("array", "object")`. true is no number."""
    words = [name if name == "null" else f"{'an' if name[0] in 'ao' else 'a'} {name}" for name in names]
    types = [one for name in names for one in TYPES[name]]
    return Kind(" or ".join(words), lambda value: type(value) in types)


is_absent = Kind("missing", lambda value: value is GONE)
is_present = Kind("sent at all", lambda value: value is not GONE)
is_no_json = Kind("not JSON", lambda value: isinstance(value, bytes))
is_empty = Kind("empty", lambda value: value == "")
is_fraction = Kind(
    "a number with a fraction", lambda value: isinstance(value, Decimal) and value != value.to_integral_value()
)


def matches(pattern: str) -> Judge:
    """Make a judge of texts that match a pattern as a whole."""
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def is_digits(length: int) -> Kind:
    """Make a judge of texts of so many digits."""
    return Kind(f"of {length} digits", matches(rf"\d{{{length}}}"))


def begins_with_zero(length: int) -> Kind:
    """Make a judge of texts of so many characters, the first of which is a zero."""
    return Kind(f"of {length} digits, the first a zero", matches(rf"0.{{{length - 1}}}"))
