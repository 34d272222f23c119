"""
Texts for length limits and for echoes.

A limit of n "characters" is sure for ASCII only; the others tell which unit a service counts.
Sources of the limits: payments.md 34, 93, 383; business.md 22-23, 189-190.
"""

from itertools import cycle, islice
from typing import Final


def ascii_text(n: int) -> str:
    """
    Return n lower-case ASCII letters.

    >>> ascii_text(5)
    'abcde'
    """
    return _take("abcdefghijklmnopqrstuvwxyz", n)


def precomposed(n: int) -> str:
    """Return n accented letters: n code points, n UTF-16 units, 2n UTF-8 bytes."""
    return _take("ãéçõíúâêôà", n)


def spaced(n: int) -> str:
    """
    Return n characters, all of them blanks but the first and the last.

    >>> spaced(5)
    'a   z'
    """
    return f"a{' ' * (n - 2)}z"


def marked(n: int) -> str:
    r"""
    Return n printable ASCII signs that HTML, URLs or programs write longer.

    >>> marked(6)
    '&<>\'"%'
    """
    return _take("&<>'\"%", n)


def astral(n: int) -> str:
    """Return n pictures beyond the BMP: n code points, 2n UTF-16 units, 4n UTF-8 bytes."""
    return _take("\U0001f600\U0001f4b8\U0001f9fe\U0001f680", n)


def combining(n: int) -> str:
    """Return n letters with a combining accent: n to the eye and in NFC, 2n code points, 3n UTF-8 bytes."""
    return "".join(letter + "\u0301" for letter in _take("aeiou", n))


AWKWARD: Final[tuple[tuple[str, str], ...]] = (
    ("Pão de Açúcar & Cia", "accents and an ampersand"),
    ("cafe\u0301", "an accent that combines (not NFC)"),
    ("\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "right to left"),
    ("\u202eevil\u202c", "an override of direction"),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e7\U0001f1f7", "joined emoji and a flag"),
    ("日本語テキスト", "letters of three bytes"),
    ("'; DROP TABLE charges; -- <script>alert(1)</script>&amp;", "SQL and HTML"),
    ('"quoted" \\ back\\slash \\u00e3', "quotes and backslashes"),
    ("{{7*7}} ${7*7} %s %d %n a+b%20c%2Bd", "templates, formats and what URLs escape"),
    ("first line\nsecond line\ttab\r\nthird line", "line breaks of one and of two signs, and a tab"),
    (" around ", "blanks around"),
    ("two  or   three", "blanks in a row"),
    ("0", "a digit"),
    ("0012", "digits after zeros"),
    ("null", "a word of JSON"),
    ("1e3", "a number by its looks"),
)
"""Texts that any JSON string may hold, all within the smallest limit (120), and what is awkward about each."""


def _take(letters: str, n: int) -> str:
    return "".join(islice(cycle(letters), n))
