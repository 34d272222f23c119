"""CPF and CNPJ: their check digits.

The documents do not say that a service verifies them, so the suite always sends right ones. Sources: payments.md, lines
43-44 and 100-101.
"""

import re
from typing import Final

_CPF_BASE: Final = 9
_CNPJ_BASE: Final = 12
_CNPJ_TOP_WEIGHT: Final = 9


def cpf_check_digits(nine: str) -> str:
    """
    Return the two check digits of nine digits.

    >>> cpf_check_digits("529982247")
    '25'
    """
    return _check_digits(nine, top_weight=_CPF_BASE + 2)


def cnpj_check_digits(twelve: str) -> str:
    """Return the two check digits of twelve digits or capital letters.

    A letter counts as its ASCII code - 48 (IN RFB 2.229).

    >>> cnpj_check_digits("112223330001"), cnpj_check_digits("12ABC34501DE")
    ('81', '35')
    """
    return _check_digits(twelve, top_weight=_CNPJ_TOP_WEIGHT)


def is_cpf(value: object) -> bool:
    """Return whether the value is text of eleven digits with right check digits."""
    return _digits(value, 11) and cpf_check_digits(str(value)[:_CPF_BASE]) == str(value)[_CPF_BASE:]


def is_cnpj(value: object) -> bool:
    """Return whether the value is text of fourteen digits with right check digits."""
    return _digits(value, 14) and cnpj_check_digits(str(value)[:_CNPJ_BASE]) == str(value)[_CNPJ_BASE:]


def _digits(value: object, count: int) -> bool:
    return isinstance(value, str) and re.fullmatch(rf"[0-9]{{{count}}}", value) is not None


def _check_digits(body: str, top_weight: int) -> str:
    first = _check_digit(body, top_weight)
    return first + _check_digit(body + first, top_weight)


def _check_digit(body: str, top_weight: int) -> str:
    """Return the check digit modulo 11. The weights are 2, 3 ... `top_weight` from the right, then again from 2."""
    cycle = top_weight - 1
    total = sum((ord(sign) - 48) * (2 + place % cycle) for place, sign in enumerate(reversed(body)))
    rest = total % 11
    return str(11 - rest if rest > 1 else 0)
