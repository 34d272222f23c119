"""PIX keys: valid ones of each accepted type, and texts that are no PIX key.

Source: PAY-TRF-04, PAY-KEY.
"""

import itertools
import re
import uuid
from hashlib import sha256
from typing import Final

from pix_conformance.oracles.tax_id import cnpj_check_digits, cpf_check_digits

_AREA_CODES: Final = ("11", "21", "31", "41", "48", "51", "61", "62", "71", "81", "85", "91", "92")
_FORMS: Final = {
    "cpf": r"[0-9]{11}",
    "cnpj": r"[0-9]{14}",
    "phone": r"\+55[1-9][0-9]9?[0-9]{8}",
    "evp": r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    "email": r"[A-Za-z0-9.!#$&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
}
_LEAST_DIGITS: Final = 8
"""A text with fewer digits may be the visible end of a masked key."""
_MASKED: Final = re.compile(r"[*#]|([.x_-])\1", re.IGNORECASE)


def cpf(n: int) -> str:
    """Return the n-th CPF: eleven digits with right check digits."""
    body = _digits("cpf", n, 9)
    return body + cpf_check_digits(body)


def cnpj(n: int) -> str:
    """Return the n-th CNPJ: fourteen digits of a first establishment (0001) with right check digits."""
    body = _digits("cnpj", n, 8) + "0001"
    return body + cnpj_check_digits(body)


def from_0(name: str) -> str:
    """Return the first CPF or CNPJ that begins with 0, which a conversion to a number would lose.

    >>> from_0("cpf")[0], kind(from_0("cnpj"))
    ('0', 'cnpj')
    """
    make = {"cpf": cpf, "cnpj": cnpj}[name]
    return next(number for number in map(make, itertools.count(1)) if number.startswith("0"))


def email(n: int) -> str:
    """Return the n-th e-mail, at a reserved domain that receives no mail (RFC 2606).

    >>> email(7)
    'pix.7@example.com'
    """
    return f"pix.{n}@example.com"


def phone(n: int) -> str:
    """Return the n-th mobile phone: +55, an existing area code, nine digits."""
    area = _AREA_CODES[n % len(_AREA_CODES)]
    return f"+55{area}9{_digits('phone', n, 8)}"


def evp(n: int) -> str:
    """Return the n-th random key (EVP): a lower-case UUID, version 4."""
    return str(uuid.UUID(bytes=_seed("evp", n)[:16], version=4))


def kind(key: object) -> str | None:
    """Return the type that a key has by its form: cpf, cnpj, email, phone, evp or None.

    Check digits are not judged.

    >>> kind("52998224725"), kind("+5561912345678"), kind("61 91234-5678")
    ('cpf', 'phone', None)
    """
    if not isinstance(key, str):
        return None
    return next((name for name, form in _FORMS.items() if re.fullmatch(form, key)), None)


def another(shown: str, sent: str) -> bool:
    """Return whether `shown` is a whole PIX key other than `sent`, in any notation.

    A masked key or a placeholder is not a whole key.

    >>> another("529.982.247-25", "52998224725"), another("***982247**", "52998224725")
    (False, False)
    >>> another("5299822472", "05299822472"), another("pix.1@example.com", "pix.2@example.com")
    (True, True)
    """
    if _MASKED.search(shown):
        return False
    if kind(shown) in {"email", "evp"}:
        return shown.lower() != sent.lower()
    digits, meant = (re.sub(r"[\s().+/-]", "", key) for key in (shown, sent))
    is_whole = digits.isascii() and digits.isdigit() and len(digits) >= _LEAST_DIGITS
    return is_whole and digits.removeprefix("55") != meant.removeprefix("55")


def _seed(name: str, n: int) -> bytes:
    return sha256(f"{name} {n}".encode()).digest()


def _digits(name: str, n: int, count: int) -> str:
    """Return digits with at least two different values: some services refuse repeated digits."""
    body = str(int.from_bytes(_seed(name, n)) % 10**count).zfill(count)
    return body if len(set(body)) > 1 else "12345678901234"[:count]
