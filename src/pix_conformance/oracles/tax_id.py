"""CPF and CNPJ: their check digits.

The documents do not say that a service verifies them, so the suite always sends right ones. Sources:
PAY-CUS-12, PAY-TRF-04.
"""

from typing import Final

_CPF_TOP_WEIGHT: Final = 11
_CNPJ_TOP_WEIGHT: Final = 9


def cpf_check_digits(nine: str) -> str:
    """
    Return the two check digits of nine digits.

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
