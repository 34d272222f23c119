"""Judges of a value that was sent, for the operators of fields; GONE is one that was not sent."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE

Judge = Callable[[Any], bool]
CPF_LENGTH, CNPJ_LENGTH = 11, 14


def is_a(*kinds: type) -> Judge:
    """Make a judge of the type of a value, by exactly these types: True is no int."""
    return lambda value: type(value) in kinds


is_number = is_a(int, Decimal)
is_null = is_a(type(None))


def is_absent(value: Any) -> bool:
    """Judge whether a field was not sent."""
    return value is GONE


def is_present(value: Any) -> bool:
    """Judge whether a field was sent, whatever it holds."""
    return value is not GONE


def is_fraction(value: Any) -> bool:
    """Judge whether a value is a number that is not whole."""
    return isinstance(value, Decimal) and value != value.to_integral_value()


def matches(pattern: str) -> Judge:
    """Make a judge of texts that match a pattern as a whole."""
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def holds_one_of(marks: str) -> Judge:
    """Make a judge of texts that hold one of these characters."""
    return lambda value: isinstance(value, str) and any(mark in value for mark in marks)


def is_digits(length: int) -> Judge:
    """Make a judge of texts of so many digits."""
    return lambda value: isinstance(value, str) and value.isdigit() and len(value) == length


def begins_with_zero(length: int) -> Judge:
    """Make a judge of texts of so many characters, the first of which is a zero."""
    return lambda value: isinstance(value, str) and len(value) == length and value.startswith("0")
