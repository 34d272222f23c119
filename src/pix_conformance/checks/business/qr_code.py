"""The qr_code of a charge, held against one rule of the central bank at a time (BUS-QR)."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.why import Why
from pix_conformance.oracles import emv

IMAGES = ("data:image/", "iVBORw0KGgo", "/9j/", "R0lGOD", "<svg", "PHN2Zy")
"""How PNG, JPEG, GIF and SVG begin in base64 and in text."""
RULES: Mapping[str, Callable[[object], str | None]] = MappingProxyType(
    {**emv.RULES, "ends_in_crc": emv.ends_in_crc, "dynamic": emv.dynamic, "length": emv.length}
)


@relation("qr_code keeps the rule {rule}")
def qr_code_keeps(charge: Exchange, rule: str) -> Problem:
    """Judge the code; Unknown if it cannot be read to its end, unless that is the rule."""
    return _unless_unread(charge, rule, RULES[rule](charge.at("qr_code")))


@relation("the amount in qr_code is that of the charge, {cents} cents")
def qr_code_has_amount(charge: Exchange, cents: int) -> Problem:
    """Compare the amount, if the code has one that is not zero; Unknown as for qr_code_keeps."""
    return _unless_unread(charge, "amount", emv.amount_agrees(charge.at("qr_code"), cents))


def _unless_unread(charge: Exchange, rule: str, problem: str | None) -> Problem:
    unread = RULES["tlv"](charge.at("qr_code"))
    if problem and unread and rule != "tlv":
        return Unknown(Why.PRECONDITION, f"qr_code cannot be read: {unread} ({charge.evidence})")
    return problem


def first_breaking(rule: str, charges: Sequence[Exchange]) -> Exchange:
    """Return the first charge whose qr_code breaks the rule; the first of all if none does."""
    return next((charge for charge in charges if RULES[rule](charge.at("qr_code"))), charges[0])


@relation("no field is an image")
def has_no_image(charge: Exchange) -> str | None:
    """Search all fields, at any depth, for a data URI, an image in base64 or an SVG."""
    pictures = images(charge.json)
    return f"{pictures[0]} is a picture" if pictures else None


def images(value: Any, name: str = "the answer") -> list[str]:
    """Name the fields, at any depth, that hold an image as a data URI, in base64 or as SVG."""
    if isinstance(value, dict):
        return [picture for key, part in value.items() for picture in images(part, key)]
    if isinstance(value, list):
        return [picture for part in value for picture in images(part, name)]
    return [name] if isinstance(value, str) and value.startswith(IMAGES) else []
