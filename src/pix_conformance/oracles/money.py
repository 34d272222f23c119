"""
Money: whole cents everywhere, except the balance, which is text in currency units.

Sources: payments.md 19-20, 129; business.md 11.
"""

import math
import re
from typing import Final

_CURRENCY_UNITS: Final = re.compile(r"(-?)([0-9]+)\.([0-9]{2})")


def is_cents(value: object) -> bool:
    """
    Tell whether a JSON value is a whole number. A boolean is none; 100.0 is one, as JSON Schema has it.

    >>> [is_cents(value) for value in (1050, 1050.0, 10.5, True, "1050", None)]
    [True, True, False, False, False, False]
    """
    return (isinstance(value, int) and not isinstance(value, bool)) or is_whole_float(value)


def is_whole_float(value: object) -> bool:
    """Tell whether a JSON number was written with a fraction or exponent and is whole all the same (100.0, 1e2)."""
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()


def is_currency_units(value: object) -> bool:
    """
    Tell whether this is text of currency units with exactly two decimals; a minus sign is allowed.

    >>> [is_currency_units(value) for value in ("10.50", "-0.01", "10.5", "1,050.00", " 1.00", 10.5)]
    [True, True, False, False, False, False]
    """
    return isinstance(value, str) and _CURRENCY_UNITS.fullmatch(value) is not None


def cents_of(text: str) -> int:
    """
    Return the cents of currency units with two decimals; ValueError for any other text.

    >>> cents_of("10.50"), cents_of("-0.07")
    (1050, -7)
    """
    match = _CURRENCY_UNITS.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not currency units with two decimals")
    return int("".join(match.groups()))
