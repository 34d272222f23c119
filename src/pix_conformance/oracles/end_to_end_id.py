"""The end-to-end id of a PIX payment: `E`, the payer's institution (8), UTC minute (12), a sequence (11).

The documents only name the field (PAY-TRF-59, PAY-PAYS-07, PAY-CMP-07, BUS-CHG-52). The form is the BCB's, so it
is a `should`. The institution may be alphanumeric (BCB, API Pix 2.9.0).
"""

import re
from datetime import UTC, datetime
from typing import Final

_LENGTH: Final = 32
_FORM_OF_MINUTE: Final = "%Y%m%d%H%M"
_MINUTE: Final = r"20[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([01][0-9]|2[0-3])[0-5][0-9]"


def mismatches(value: object) -> list[str]:
    """Return what is wrong with an end-to-end id; empty if nothing is.

    >>> mismatches("E12345678202611201200abcdef12345")
    []
    """
    if not isinstance(value, str):
        return ["is not text"]
    wrong = []
    if len(value) != _LENGTH:
        wrong.append(f"is {len(value)} characters long, not {_LENGTH}")
    if not re.fullmatch("[0-9A-Za-z]*", value):
        wrong.append("contains characters other than letters and digits")
    if not re.match("E[0-9A-Z]{8}", value):
        wrong.append("does not start with E and an institution of eight digits or capitals")
    if minute_of(value) is None:
        wrong.append(f"has {value[9:21]!r} instead of a UTC minute (yyyyMMddHHmm) after the institution")
    return wrong


def minute_of(value: str) -> datetime | None:
    """Return the UTC minute in an end-to-end id; None if it has none, or one of a day that no calendar has.

    >>> minute_of("E12345678202602301200abcdef12345") is None
    True
    """
    text = value[9:21]
    if not re.fullmatch(_MINUTE, text):
        return None
    try:
        return datetime.strptime(text, _FORM_OF_MINUTE).replace(tzinfo=UTC)
    except ValueError:
        return None
