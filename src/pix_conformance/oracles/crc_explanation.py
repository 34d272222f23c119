"""What a sender did instead, whose CRC of a PIX code is wrong: it covers another text, or is another CRC-16."""

from collections.abc import Iterator
from typing import Final, NamedTuple

_BITS: Final = 16
_ALL: Final = 0xFFFF


class CrcKind(NamedTuple):
    """One CRC of 16 bits: polynomial, first value, whether bits are read in reverse, what the result is XORed with."""

    words: str
    polynomial: int = 0x1021
    first: int = _ALL
    reversed: bool = False
    xor: int = 0


KINDS: Final = (
    CrcKind(""),
    CrcKind("began with 0000 instead of FFFF (CRC-16/XMODEM)", first=0),
    CrcKind("began with 1D0F instead of FFFF", first=0x1D0F),
    CrcKind("inverted the result (CRC-16/GENIBUS)", xor=_ALL),
    CrcKind("reversed the bits and began with 0000 (CRC-16/KERMIT)", first=0, reversed=True),
    CrcKind("reversed the bits (CRC-16/MCRF4XX)", reversed=True),
    CrcKind("reversed the bits and inverted the result (CRC-16/X-25)", reversed=True, xor=_ALL),
    CrcKind("used the polynomial 8005 (CRC-16/CMS)", polynomial=0x8005),
    CrcKind("used the polynomial 8005 and began with 0000 (CRC-16/UMTS)", polynomial=0x8005, first=0),
    CrcKind("used the polynomial 8005 with reversed bits (CRC-16/MODBUS)", polynomial=0x8005, reversed=True),
    CrcKind(
        "used the polynomial 8005 with reversed bits and began with 0000 (CRC-16/ARC)",
        polynomial=0x8005,
        first=0,
        reversed=True,
    ),
)
"""The first is the right one."""


def explain(text: str, stated: str) -> str | None:
    """Return which one or two mistakes give the stated digits to a text that ends in `6304`; None if none does.

    >>> explain("000201010212630", "0000") is None
    True
    """
    given = stated.upper()
    for what, covered in _covered(text):
        for kind in KINDS:
            value = crc_of(covered, kind)
            words = " and ".join(filter(None, (what, kind.words)))
            if words and f"{value:04X}" == given:
                return words
            swapped = f"{value & 0xFF:02X}{value >> 8:02X}"
            if swapped == given and swapped != f"{value:04X}":
                return f"{words} and swapped the two bytes" if words else "swapped the two bytes"
    return None


def crc_of(data: bytes, kind: CrcKind) -> int:
    """Return the CRC of some bytes.

    >>> [f"{crc_of(b'123456789', one):04X}" for one in KINDS[:3]]
    ['29B1', '31C3', 'E5CC']
    """
    value = kind.first
    for byte in data:
        value ^= (_mirrored(byte, 8) if kind.reversed else byte) << 8
        for _ in range(8):
            value = ((value << 1) ^ (kind.polynomial if value & 0x8000 else 0)) & _ALL
    return (_mirrored(value, _BITS) if kind.reversed else value) ^ kind.xor


def _covered(text: str) -> Iterator[tuple[str, bytes]]:
    """Yield what a sender may have computed the CRC of, in words and as bytes; first the right bytes."""
    data = text.encode("utf-8", "surrogatepass")
    body = text.removesuffix("6304")
    yield "", data
    yield "left out `6304`", body.encode("utf-8", "surrogatepass")
    yield "left out `04`", text.removesuffix("04").encode("utf-8", "surrogatepass")
    yield "put `0000` behind `6304`", data + b"0000"
    if not text.isascii():
        yield "encoded the text in Latin-1 instead of UTF-8", text.encode("latin-1", "replace")
        yield "encoded the text in Latin-1 and left out `6304`", body.encode("latin-1", "replace")
        yield "wrote `?` for each character that is not ASCII", text.encode("ascii", "replace")
    yield "encoded the text in UTF-16", text.encode("utf-16-le", "surrogatepass")


def _mirrored(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)
