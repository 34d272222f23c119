"""
End-to-end id of a PIX payment: `E`, the payer's institution (8), UTC minute (12), a sequence (11).

Neither document states the form (payments.md 122, 170, 246; business.md 40 only name the field): it is the field's
own rule, a `should`. The institution may be alphanumeric (API Pix 2.9.0).
"""

import re
from typing import Final

_LENGTH: Final = 32
_MINUTE: Final = r"20[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([01][0-9]|2[0-3])[0-5][0-9]"


def mismatches(value: object) -> list[str]:
    """
    Say what is wrong with an end-to-end id.

    >>> mismatches("E12345678202611201200abcdef12345")
    []
    """
    if not isinstance(value, str):
        return ["is not text"]
    wrong = []
    if len(value) != _LENGTH:
        wrong.append(f"is {len(value)} characters long, not {_LENGTH}")
    if not re.fullmatch("[0-9A-Za-z]*", value):
        wrong.append("holds more than letters and digits")
    if not re.match("E[0-9A-Z]{8}", value):
        wrong.append("does not start with E and an institution of eight digits or capitals")
    if not re.fullmatch(_MINUTE, value[9:21]):
        wrong.append(f"carries no UTC minute (yyyyMMddHHmm) after the institution, but {value[9:21]!r}")
    return wrong
