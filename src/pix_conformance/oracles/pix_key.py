"""PIX keys: valid ones of each accepted type, and texts that are no PIX key; CPF and CNPJ with their check digits.

The documents do not say that a service verifies check digits, so the suite always sends right ones. Sources:
PAY-TRF-04, PAY-KEY, PAY-CUS-12.
"""

import itertools
import re
import uuid
from hashlib import sha256
from typing import Final

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
_CPF_TOP_WEIGHT: Final = 11
_CNPJ_TOP_WEIGHT: Final = 9


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


def cpf_check_digits(nine: str) -> str:
    """Return the two check digits of nine digits.

    >>> cpf_check_digits("529982247")
    '25'
    """
    return _check_digits(nine, top_weight=_CPF_TOP_WEIGHT)


def cnpj_check_digits(twelve: str) -> str:
    """Return the two check digits of twelve digits or capital letters.

    A letter counts as its ASCII code - 48 (IN RFB 2.229).

    >>> cnpj_check_digits("112223330001"), cnpj_check_digits("12ABC34501DE")
    ('81', '35')
    """
    return _check_digits(twelve, top_weight=_CNPJ_TOP_WEIGHT)


def _check_digits(body: str, top_weight: int) -> str:
    first = _check_digit(body, top_weight)
    return first + _check_digit(body + first, top_weight)


def _check_digit(body: str, top_weight: int) -> str:
    """Return the check digit modulo 11. The weights are 2, 3 ... `top_weight` from the right, then again from 2."""
    cycle = top_weight - 1
    total = sum((ord(sign) - 48) * (2 + place % cycle) for place, sign in enumerate(reversed(body)))
    rest = total % 11
    return str(11 - rest if rest > 1 else 0)
