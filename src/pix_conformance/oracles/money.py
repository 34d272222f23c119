"""Money: an integer of cents (PAY-CHG-38, BUS-GEN-01)."""

import math


def is_cents(value: object) -> bool:
    """Return whether a JSON value is a whole number. A boolean is not; 100.0 is, as in JSON Schema.

    >>> [is_cents(value) for value in (1050, 1050.0, 10.5, True, "1050", None)]
    [True, True, False, False, False, False]
    """
    return (isinstance(value, int) and not isinstance(value, bool)) or is_whole_float(value)


def is_whole_float(value: object) -> bool:
    """Return whether a JSON number is whole but was written with a fraction or exponent (100.0, 1e2)."""
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()
