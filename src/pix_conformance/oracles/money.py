"""Money: an integer of cents, except in the balance of the payments API, which is text in reais.

Sources: payments.md, lines 19-20 and 129; business.md, line 11.
"""

import math
import re
from typing import Final

_CURRENCY_UNITS: Final = re.compile(r"(-?)([0-9]+)\.([0-9]{2})")


def is_cents(value: object) -> bool:
    """Return whether a JSON value is a whole number. A boolean is not; 100.0 is, as in JSON Schema.

    >>> [is_cents(value) for value in (1050, 1050.0, 10.5, True, "1050", None)]
    [True, True, False, False, False, False]
    """
    return (isinstance(value, int) and not isinstance(value, bool)) or is_whole_float(value)


def is_whole_float(value: object) -> bool:
    """Return whether a JSON number is whole but was written with a fraction or exponent (100.0, 1e2)."""
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()


def cents_of(text: str) -> int:
    """Return the cents of a text in reais with two decimals. Raises ValueError for any other text.

    >>> cents_of("10.50"), cents_of("-0.07")
    (1050, -7)
    """
    match = _CURRENCY_UNITS.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not an amount in reais with two decimals")
    return int("".join(match.groups()))
