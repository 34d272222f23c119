"""Formats: e-mail, URI, UUID, CPF, CNPJ, phone, end-to-end id."""

import re
import string
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pix_conformance.reference.state import RandomSource

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LETTERS = string.ascii_letters + string.digits
_LONGEST_EMAIL, _LONGEST_LOCAL_PART, _LONGEST_URI = 254, 64, 2048
_LONGEST_NUMBER = 18


def is_email(text: str) -> bool:
    """Return whether the text is local@domain.tld with at most 254 characters."""
    short = len(text) <= _LONGEST_EMAIL and len(text.partition("@")[0]) <= _LONGEST_LOCAL_PART
    return short and bool(_EMAIL.fullmatch(text))


def is_uri(text: str) -> bool:
    """Return whether the text is an absolute URI of at most 2048 characters; http(s) needs a host."""
    if len(text) > _LONGEST_URI or not _URI.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme not in {"http", "https"} or bool(parts.hostname and parts.port != 0)
    except ValueError:
        return False


def is_uuid(text: str) -> bool:
    """Return whether the text has the form 8-4-4-4-12, in upper or lower case."""
    return bool(_UUID.fullmatch(text))


def is_digits(text: str, length: int | None = None) -> bool:
    """Return whether the text has digits 0 to 9 only: at least one, or exactly `length`."""
    return text.isascii() and text.isdigit() and length in {None, len(text)}


def number(text: str) -> int | None:
    """Return the integer that the text stands for, if a database column can hold it; None otherwise."""
    return int(text) if is_digits(text) and len(text) <= _LONGEST_NUMBER else None


def is_brazilian_phone(text: str) -> bool:
    """Return whether the text is +55, an area code and 8 or 9 digits."""
    return bool(re.fullmatch(r"\+55[1-9][0-9]{9,10}", text))


def has_cpf_digits(text: str) -> bool:
    """Return whether the last two of 11 digits are the check digits of the others."""
    return _checked(text, (range(10, 1, -1), range(11, 1, -1)))


def has_cnpj_digits(text: str) -> bool:
    """Return whether the last two of 14 digits are the check digits of the others."""
    first = (5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    return _checked(text, (first, (6, *first)))


def end_to_end_id(epoch: float, source: RandomSource | None = None) -> str:
    """Return a new end-to-end id (BCB): E, 8 digits of a participant, the UTC minute, 11 letters or digits."""
    minute = datetime.fromtimestamp(epoch, UTC).strftime("%Y%m%d%H%M")
    return f"E99999999{minute}{(source or RandomSource()).letters(_LETTERS, 11)}"


def _checked(text: str, weights: tuple[range | tuple[int, ...], ...]) -> bool:
    for row in weights:
        rest = sum(int(digit) * weight for digit, weight in zip(text, row, strict=False)) % 11
        if int(text[len(row)]) != (11 - rest) % 11 % 10:
            return False
    return True
