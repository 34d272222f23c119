"""The text of a PIX QR code (BR Code), parsed and judged rule by rule.

Sources: BUS-QR, PAY-CHG-35. EMVCo's Merchant-Presented Mode 1.1 and the BCB's Manual do BR Code 2.0.1 state the rules.
The BCB's alone are: the currency is 986, the country BR, field 62-05 is mandatory (EMVCo leaves it out at will), one
template has the PIX identifier, and what makes a code dynamic.
"""

import re
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from pix_conformance.oracles.crc_explanation import explain

Rule = Callable[[object], str | None]

GUI: Final = "br.gov.bcb.pix"
LONGEST: Final = 512  # EMVCo 4.1, API Pix 2.9.0 `pixCopiaECola`
_AMOUNT: Final = re.compile(r"[0-9]+(\.[0-9]*)?")
_AMOUNT_LONGEST: Final = 13
_MANDATORY: Final = frozenset({"00", "52", "53", "58", "59", "60", "62", "63"})
_HEAD: Final = 4  # two digits of id, two of length
_ADDITIONAL: Final = "62"
_SHORT_CRC: Final = re.compile(r"6304([0-9A-Fa-f]{1,3})$")


class _Reading(NamedTuple):
    """The fields before the first fault, in order, and the fault."""

    fields: tuple[tuple[str, str], ...]
    fault: str | None

    def first(self, wanted: str) -> str | None:
        return next((value for name, value in self.fields if name == wanted), None)


def crc(text: str) -> str:
    """
    Return the CRC-16 (CCITT-FALSE, over UTF-8 bytes) of a text that ends in `6304`, as four upper-case digits.

    >>> crc("123456789")
    '29B1'
    """
    return f"{crc_hqx(_bytes(text), 0xFFFF):04X}"


def amount_agrees(text: object, cents: int) -> str | None:
    """Return how the amount in field 54 differs from `cents`; None if it is equal, absent or zero."""
    stated = _read(text).first("54")
    if stated is None:
        return None
    if not _is_amount(stated):
        return f"field 54 is not an amount: {stated!r}"
    amount = Decimal(stated)
    if not amount or amount * 100 == cents:
        return None
    return f"field 54 states {stated}, not {Decimal(cents) / 100:.2f}"


def length(text: object) -> str | None:
    """Return a problem if the text is longer than 512 characters."""
    if not isinstance(text, str):
        return _read(text).fault
    return f"is {len(text)} characters long, more than {LONGEST}" if len(text) > LONGEST else None


def ends_in_crc(text: object) -> str | None:
    """Return a problem if the last field is not 63 with four hexadecimal digits. Their value is not judged."""
    if problem := _short_crc(text):
        return problem
    fields = _read(text).fields
    if not fields or fields[-1][0] != "63":
        return "does not end with field 63"
    stated = fields[-1][1]
    return None if re.fullmatch(r"[0-9A-Fa-f]{4}", stated) else f"field 63 is {stated!r}, not four hexadecimal digits"


def dynamic(text: object) -> str | None:
    """Return why the PIX template is not that of a dynamic code: a payload URL without scheme (25), no PIX key (01)."""
    templates = [_read(value) for name, value in _read(text).fields if _is_account(name)]
    pix = next((template for template in templates if (template.first("00") or "").lower() == GUI), None)
    if pix is None:
        return f"no template in 26 to 51 names {GUI}"
    if pix.first("01") is not None:
        return "the PIX template holds a PIX key (01)"
    url = pix.first("25")
    if url is None:
        return "the PIX template has no payload URL (25)"
    return f"the payload URL {url!r} has a scheme" if "://" in url else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read(text: object) -> _Reading:
    if not isinstance(text, str):
        return _Reading((), "is not text")
    readings = [_by_characters(text)] if text.isascii() else [_by_characters(text), _by_bytes(text)]
    whole = [reading for reading in readings if reading.fault is None]
    return max(whole, key=_mandatory_fields, default=readings[0])


def _mandatory_fields(reading: _Reading) -> int:
    """Count the mandatory fields that a reading finds: one that reads lengths wrongly may swallow a field."""
    return len({name for name, _ in reading.fields} & _MANDATORY)


def _by_characters(text: str) -> _Reading:
    fields: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        head = text[at : at + _HEAD]
        size = _size(head)
        if not size:
            return _Reading(tuple(fields), f"at {at}, {head!r} is not an id and a length of 01 to 99")
        at += _HEAD
        if len(text) < at + size:
            return _Reading(tuple(fields), f"field {head[:2]} ends before its {size} characters")
        fields.append((head[:2], text[at : at + size]))
        at += size
    return _Reading(tuple(fields), None if fields else "is empty")


def _by_bytes(text: str) -> _Reading:
    """Parse with lengths that count bytes: Latin-1 makes one character of each byte."""
    reading = _by_characters(_bytes(text).decode("latin-1"))
    try:
        fields = tuple((name, value.encode("latin-1").decode()) for name, value in reading.fields)
    except UnicodeDecodeError:
        return _Reading((), "a length splits a character")
    return _Reading(fields, reading.fault)


def _size(head: str) -> int:
    """Return the length in a field's head; 0 if it has none."""
    return int(head[2:]) if len(head) == _HEAD and head.isascii() and head.isdigit() else 0


def _is_amount(value: str) -> bool:
    return len(value) <= _AMOUNT_LONGEST and _AMOUNT.fullmatch(value) is not None


def _tlv(text: object) -> str | None:
    """Return where a text, or one of its templates, is no sequence of fields."""
    reading = _read(text)
    return _short_crc(text) or reading.fault or next(_faults_within(reading), None)


def _faults_within(reading: _Reading) -> Iterator[str]:
    """Yield what is wrong within the templates: accounts (26 to 51) and additional data (62)."""
    for name, value in reading.fields:
        fault = _read(value).fault if _is_account(name) or name == _ADDITIONAL else None
        if fault:
            yield f"within field {name}: {fault}"


def _is_account(name: str) -> bool:
    return "26" <= name <= "51"


def _short_crc(text: object) -> str | None:
    """Return that a CRC lacks its leading zeros, if it would be right with them."""
    short = _SHORT_CRC.search(text) if isinstance(text, str) else None
    if short is None or crc(short.string[: short.start(1)]) != short[1].upper().zfill(4):
        return None
    return f"the CRC has {len(short[1])} digits: a leading zero is missing"


def _format_indicator(text: object) -> str | None:
    fields = _read(text).fields
    return None if fields[:1] == (("00", "01"),) else "does not start with field 00 = 01"


def _crc(text: object) -> str | None:
    fault = ends_in_crc(text)
    if fault or not isinstance(text, str):
        return fault or "is not text"
    stated = _read(text).fields[-1][1]
    covered = text.removesuffix(stated)
    due = crc(covered)
    if stated.upper() == due:
        return None
    mistake = explain(covered, stated)
    return (
        f"field 63 is {stated}, the CRC is {due}: the sender {mistake}"
        if mistake
        else (f"field 63 is {stated}, the CRC is {due}; no known mistake explains it")
    )


def _no_duplicates(text: object) -> str | None:
    reading = _read(text)
    names = [name for name, _ in reading.fields]
    twice = sorted({name for name in names if names.count(name) > 1})
    return f"field {', '.join(twice)} appears more than once" if twice else reading.fault


def _required(name: str, pattern: str, words: str) -> Rule:
    def rule(text: object) -> str | None:
        value = _read(text).first(name)
        if value is None:
            return f"field {name} is missing"
        return None if re.fullmatch(pattern, value, re.DOTALL) else f"field {name} is {value!r}, not {words}"

    return rule


def _optional(name: str, right: Callable[[str], bool], words: str) -> Rule:
    """Make a rule for an optional field. It counts as absent only if the whole text was parsed."""

    def rule(text: object) -> str | None:
        reading = _read(text)
        value = reading.first(name)
        if value is None:
            return reading.fault
        return None if right(value) else f"field {name} is {value!r}, not {words}"

    return rule


def _additional(text: object) -> str | None:
    template = _read(text).first(_ADDITIONAL)
    if template is None:
        return "field 62 is missing"
    label = _read(template).first("05")
    if label is None:
        return "field 62 has no 05"
    return None if len(label) <= 25 else f"field 62-05 has {len(label)} characters, not 1 to 25"  # noqa: PLR2004 - EMVCo's limit


def _guis(text: object) -> Iterator[str]:
    for name, value in _read(text).fields:
        if _is_account(name):
            yield (_read(value).first("00") or "").lower()


def _pix_template(text: object) -> str | None:
    count = list(_guis(text)).count(GUI)
    return None if count == 1 else f"{count} templates in 26 to 51 name {GUI}, not one"


RULES: Final[dict[str, Rule]] = {
    "tlv": _tlv,
    "format_indicator": _format_indicator,
    "crc": _crc,
    "no_duplicates": _no_duplicates,
    "mcc": _required("52", "[0-9]{4}", "four digits"),
    "currency": _required("53", "986", "986"),
    "country": _required("58", "BR", "BR"),
    "name": _required("59", ".{1,25}", "1 to 25 characters"),
    "city": _required("60", ".{1,15}", "1 to 15 characters"),
    "additional": _additional,
    "pix_template": _pix_template,
    "initiation": _optional("01", lambda value: value in {"11", "12"}, "11 or 12"),
    "amount_form": _optional("54", _is_amount, "an amount of at most 13 characters"),
}
"""Each rule returns what is wrong with a text, or None. If the text is malformed, a rule judges the fields before the
fault."""
