"""Money: an integer of cents (PAY-CHG-38, BUS-GEN-01), or a balance in currency units (PAY-BAL-07)."""

import math
import re
from typing import Final, TypeGuard

_UNITS: Final = re.compile(r"(-?\d+)[.,](\d{1,2})")


def is_cents(value: object) -> TypeGuard[int | float]:
    """Return whether a JSON value is a whole number. A boolean is not; 100.0 is, as in JSON Schema.

    >>> [is_cents(value) for value in (1050, 1050.0, 10.5, True, "1050", None)]
    [True, True, False, False, False, False]
    """
    return (isinstance(value, int) and not isinstance(value, bool)) or is_whole_float(value)


def is_whole_float(value: object) -> TypeGuard[float]:
    """Return whether a JSON number is whole but was written with a fraction or exponent (100.0, 1e2)."""
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()


def cents_of(text: object) -> int:
    """Return the cents of an amount in currency units, also where it has one decimal or a comma.

    Raises ValueError with the reason for any other form.

    >>> cents_of("1234.50"), cents_of("-0,7")
    (123450, -70)
    >>> cents_of("1.234,56")
    Traceback (most recent call last):
    ValueError: `1.234,56` is no amount with two decimals
    """
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is no text with an amount")  # noqa: TRY004 - callers expect ValueError only
    parts = _UNITS.fullmatch(text)
    if parts is None:
        raise ValueError(f"`{text[:40]}` is no amount with two decimals")
    return int(parts[1] + parts[2].ljust(2, "0"))
