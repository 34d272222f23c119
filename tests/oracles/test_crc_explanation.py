"""Why the CRC of a code is wrong."""

from __future__ import annotations

import pytest

from pix_conformance.oracles.crc_explanation import KINDS, Kind, crc_of, explain
from pix_conformance.oracles.emv import RULES

CODE = "00020101021226370014br.gov.bcb.pix2515example.com/pix5204000053039865802BR5905Maria6006Cidade62070503***6304"

# The check values of the catalogue of parametrised CRC algorithms, for the text 123456789.
CHECKS = {
    "": 0x29B1,
    "CRC-16/XMODEM": 0x31C3,
    "1D0F": 0xE5CC,
    "CRC-16/GENIBUS": 0xD64E,
    "CRC-16/KERMIT": 0x2189,
    "CRC-16/MCRF4XX": 0x6F91,
    "CRC-16/X-25": 0x906E,
    "CRC-16/CMS": 0xAEE7,
    "CRC-16/UMTS": 0xFEE8,
    "CRC-16/MODBUS": 0x4B37,
    "CRC-16/ARC": 0xBB3D,
}


@pytest.mark.parametrize(
    ("name", "kind"), list(zip(CHECKS, KINDS, strict=True)), ids=[name or "right" for name in CHECKS]
)
def test_each_kind_is_the_algorithm_of_its_name(name: str, kind: Kind) -> None:
    assert name in kind.words
    assert crc_of(b"123456789", kind) == CHECKS[name]


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        (f"{crc_of(CODE.removesuffix('6304').encode(), KINDS[0]):04X}", "left out `6304`"),
        (f"{crc_of(CODE.encode(), KINDS[1]):04X}", "began with 0000 instead of FFFF (CRC-16/XMODEM)"),
        (f"{crc_of(CODE.encode(), KINDS[5]):04x}", "reversed the bits (CRC-16/MCRF4XX)"),
        (f"{crc_of(CODE.encode() + b'0000', KINDS[0]):04X}", "put `0000` behind `6304`"),
    ],
)
def test_the_mistake_is_named(digits: str, words: str) -> None:
    assert explain(CODE, digits) == words
    assert (RULES["crc"](CODE + digits) or "").endswith(f": the sender {words}")


def test_swapped_bytes_are_named() -> None:
    right = f"{crc_of(CODE.encode(), KINDS[0]):04X}"
    assert explain(CODE, right[2:] + right[:2]) == "swapped the two bytes"


def test_another_encoding_is_named() -> None:
    code = CODE.replace("Maria", "Mária")
    assert explain(code, f"{crc_of(code.encode('latin-1'), KINDS[0]):04X}") == (
        "encoded the text in Latin-1 instead of UTF-8"
    )


def test_digits_of_no_known_mistake_are_not_explained() -> None:
    digits = next(f"{one:04X}" for one in range(65_536) if explain(CODE, f"{one:04X}") is None)
    assert (RULES["crc"](CODE + digits) or "").endswith("; no known mistake explains it")
