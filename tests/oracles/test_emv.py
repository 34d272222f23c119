"""The BR Code oracle: examples of the central bank, texts with one defect each, and what a wrong CRC is the CRC of."""

import itertools
from collections.abc import Callable

import pytest

from pix_conformance.oracles import emv
from pix_conformance.oracles.crc_explanation import KINDS, CrcKind, crc_of, explain
from pix_conformance.oracles.emv import RULES

_HEAD = "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441"
_RIGHT = f"{_HEAD}5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4"
_STATIC = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000"
_REC = (
    "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/"
)
OFFICIAL = {
    "static, PIX manual": f"{_STATIC}5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
    "dynamic, PIX manual 2.2": (
        "00020101021226730014br.gov.bcb.pix2551pix.example.com/v2/8b3da2f39a4140d1a91abd93113bd441"
        "5204000053039865406123.455802BR5913Fulano de Tal6008BRASILIA62190515RP12345678-201963047309"
    ),
    "many templates, BR Code manual 2.0.1": (
        "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-426655440000"
        "27300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA"
        "61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38"
    ),
    "charge and recurrence, API Pix 2.9.0": (
        "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441"
        f"{_REC}94ed2badcbc04c15b0bb7fa35319489063047741"
    ),
    "due charge and recurrence, API Pix 2.9.0": (
        "00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7"
        f"{_REC}3ffa640fa4f14080adccb949fa2dc0d06304A441"
    ),
    "recurrence alone, API Pix 2.9.0": f"00020126180014br.gov.bcb.pix{_REC}2353c790eefb11eaadc10242ac120002630462C9",
    "dynamic, newer manual": _RIGHT,
    "not ASCII": f"{_STATIC}5204000053039865802BR5913Fulano de Tal6008BRASÍLIA62070503***6304B4F6",
    "CRC with a leading zero": f"{_HEAD}5204000053039865802BR5913Fulano 0000016008BRASILIA62070503***63040A2D",
    "CRC in lower case": _RIGHT[:-4] + "64e4",
}
DEFECTS = {
    "currency": f"{_HEAD}5204000053038405802BR5913Fulano de Tal6008BRASILIA62070503***63047551",
    "country": f"{_HEAD}5204000053039865802US5913Fulano de Tal6008BRASILIA62070503***6304F491",
    "name": f"{_HEAD}5204000053039865802BR5926AAAAAAAAAAAAAAAAAAAAAAAAAA6008BRASILIA62070503***63040840",
    "additional": f"{_HEAD}5204000053039865802BR5913Fulano de Tal6008BRASILIA630443EC",
    "no_duplicates": f"{_HEAD}5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***5802BR6304ABC4",
    "pix_template": _RIGHT.replace("br.gov.bcb.pix", "br.gov.bcb.spi").replace("630464E4", "63044934"),
}


def _signed(body: str) -> str:
    return f"{body}6304{emv.crc(body + '6304')}"


def _changed(old: str, new: str) -> str:
    assert old in _RIGHT
    return _signed(_RIGHT[:-8].replace(old, new, 1))


MADE = [
    ("format_indicator", _changed("000201", "000202")),
    ("format_indicator", _signed("010212" + "000201" + _RIGHT[12:-8])),
    ("crc", _RIGHT[:-4] + "64E5"),
    ("crc", _RIGHT[:-4] + "815C"),
    ("crc", _RIGHT[:-4] + "E324"),
    ("crc", _RIGHT[:-4] + "64G4"),
    ("crc", _RIGHT[:-8]),
    ("crc", _RIGHT + "8003abc"),
    ("mcc", _changed("52040000", "5203000")),
    ("mcc", _changed("52040000", "5204000A")),
    ("name", _changed("5913Fulano de Tal", "")),
    ("city", _changed("6008BRASILIA", "6016" + "A" * 16)),
    ("additional", _changed("62070503***", "62300526" + "A" * 26)),
    ("additional", _changed("62070503***", "62070603***")),
    ("pix_template", _changed("5204", _STATIC[6:].replace("2658", "2758") + "5204")),
    ("initiation", _changed("010212", "010213")),
    ("tlv", _changed("62070503***", "62110503***9901")),
    ("amount_form", _changed("5303986", "530398654041,50")),
    ("amount_form", _changed("5303986", "5303986541412345678901.23")),
]


def _broken(text: str) -> set[str]:
    return {name for name, rule in emv.RULES.items() if rule(text) is not None}


@pytest.mark.parametrize("text", OFFICIAL.values(), ids=OFFICIAL)
def test_an_official_text_breaks_no_rule(text: str) -> None:
    assert _broken(text) == set()
    assert emv.length(text) is None


@pytest.mark.parametrize(("rule", "text"), [*DEFECTS.items(), *MADE])
def test_one_defect_breaks_its_rule_alone(rule: str, text: str) -> None:
    assert _broken(text) == {rule}


@pytest.mark.parametrize("text", ["", "0", "0002", "0000", "000501", "AB0201", _RIGHT[1:], _RIGHT[:-1], _RIGHT + "x"])
def test_what_is_not_tlv_is_refused(text: str) -> None:
    assert "tlv" in _broken(text)


def test_every_rule_fails_on_nothing_and_on_what_is_not_text() -> None:
    assert all(rule(value) for rule in emv.RULES.values() for value in ("", "garbage", None, 7, b"x", ["00"]))


def test_a_crc_of_three_digits_leaves_the_other_fields_readable() -> None:
    text = OFFICIAL["CRC with a leading zero"].replace("63040A2D", "6304A2D")
    broken = _broken(text)
    for rule in (RULES["tlv"], RULES["crc"], emv.ends_in_crc):
        assert rule(text) == "the CRC has 3 digits: a leading zero is missing"
    assert {"tlv", "crc"} <= broken
    assert not {"mcc", "currency", "country", "name", "city", "additional", "pix_template"} & broken


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("62070503***", "62070504***", "62"),
        ("62070503***", "62070502***", "62"),
        ("0014br.gov.bcb.pix", "0015br.gov.bcb.pix", "26"),
        ("0014br.gov.bcb.pix", "0013br.gov.bcb.pix", "26"),
    ],
)
def test_a_length_within_a_template_has_to_fit(old: str, new: str, field: str) -> None:
    assert (RULES["tlv"](_changed(old, new)) or "").startswith(f"within field {field}: ")


def test_lengths_in_bytes_are_read_where_lengths_in_characters_do_not_fit() -> None:
    assert _broken(_changed("6008BRASILIA", "6009BRASÍLIA")) == set()


@pytest.mark.parametrize(
    ("stated", "agrees"), [("10.50", True), ("10.5", True), ("0", True), ("10.51", False), ("1050", False)]
)
def test_a_stated_amount_agrees_with_the_cents(stated: str, agrees: bool) -> None:  # noqa: FBT001 - a column of the table
    text = _changed("5303986", f"530398654{len(stated):02}{stated}")
    assert (emv.amount_agrees(text, 1050) is None) is agrees


def test_a_code_without_an_amount_agrees_with_any_amount() -> None:
    assert emv.amount_agrees(_RIGHT, 1050) is None


def test_512_characters_are_allowed() -> None:
    assert emv.length("0" * 512) is None
    assert emv.length("0" * 513)


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
def test_each_kind_is_the_algorithm_of_its_name(name: str, kind: CrcKind) -> None:
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
    digits = f"{crc_of(code.encode('latin-1'), KINDS[0]):04X}"
    assert explain(code, digits) == "encoded the text in Latin-1 instead of UTF-8"


def test_digits_of_no_known_mistake_are_not_explained() -> None:
    digits = next(f"{number:04X}" for number in range(65_536) if explain(CODE, f"{number:04X}") is None)
    assert (RULES["crc"](CODE + digits) or "").endswith("; no known mistake explains it")


CITIES = (
    "Conceição",
    "São Luís",
    "Açucena",
    "Nova Friburgo",
    "Brasília",
    "Maceió",
    "Mogi-Guaçu",
    "Ibiá",
    "Três Corações",
)
NAMES = ("Fulano de Tal", "João Conceição", "Café São José", "Pão & Cia", "Loja Ímã", "Ação Já Ltda")


@pytest.mark.parametrize("size", [len, lambda text: len(text.encode())], ids=["characters", "bytes"])
def test_a_right_code_is_right_whether_its_lengths_count_characters_or_bytes(size: Callable[[str], int]) -> None:
    """The other way of counting may parse too, and swallow a field."""
    for city, name, txid in itertools.product(CITIES, NAMES, ("***", "RP12345678-2019", "A1", "7" * 25)):
        fields = {
            "52": "0000",
            "53": "986",
            "54": "10.50",
            "58": "BR",
            "59": name,
            "60": city,
            "62": f"05{len(txid):02}{txid}",
        }
        code = _signed(_STATIC + "".join(f"{tag}{size(value):02}{value}" for tag, value in fields.items()))
        assert [rule for rule, judge in RULES.items() if judge(code)] == [], code
        assert emv.ends_in_crc(code) is None
        assert emv.amount_agrees(code, 1_050) is None
