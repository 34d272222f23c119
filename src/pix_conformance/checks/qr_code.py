"""Relations over the copy-and-paste code (EMV) of a charge and over its image, which shows it as a QR code."""

import base64
import re

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.matchers import value
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import Subject
from pix_conformance.model.why import Why
from pix_conformance.oracles import emv, qr_image

FORMATS = {b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"RIFF": "WebP"}
UNREAD = "no QR code can be read in the image"


@relation("{path} is an image in base64")
def is_an_image(charge: Subject, path: str) -> str | None:
    """Expect a field to hold an image of any format that can be opened."""
    return "; ".join(f"{path} {mismatch}" for mismatch in qr_image.mismatches(value(charge, path))) or None


@relation("a QR code can be read in the image {path}")
def shows_a_qr_code(charge: Exchange, path: str) -> Problem:
    """Expect a QR code with any text in an image; Unknown if the image cannot be opened."""
    picture = value(charge, path)
    if (reason := _unreadable(picture)) is not None:
        return Unknown(Why.PRECONDITION, f"{path} {reason} ({charge.evidence})")
    readable = qr_image.is_readable(picture)
    if readable is None:
        return Unknown(Why.PRECONDITION, f"{path} has a QR code that is damaged ({charge.evidence})")
    return None if readable else UNREAD


@relation("the QR code in {image} contains {code}")
def shows_the_code(charge: Exchange, image: str, code: str) -> Problem:
    """Expect the QR code in an image to contain the copy-and-paste code; Unknown if the image cannot be opened."""
    picture = value(charge, image)
    if (reason := _unreadable(picture)) is not None:
        return Unknown(Why.PRECONDITION, f"{image} {reason} ({charge.evidence})")
    if (shown := qr_image.decode(picture)) is None:
        return UNREAD
    return None if shown == value(charge, code) else f"the image shows {shown!r}, not {code}"


def _unreadable(picture: object) -> str | None:
    """Return why no QR code can be looked for in an image; None if one can."""
    if mismatches := qr_image.mismatches(picture):
        return "; ".join(mismatches)
    return None if qr_image.is_drawn(picture) else "is an SVG image that cannot be drawn"


def image_format(text: str) -> tuple[str, str]:
    """Return the head of a data URI before the base64 of an image, empty without one, and the format of the image."""
    head, _, coded = text.rpartition(",")
    try:
        data = base64.b64decode(re.sub(r"\s", "", coded))
    except ValueError:
        return head, "no base64"
    known = (name for magic, name in FORMATS.items() if data.startswith(magic))
    return head, next(known, "SVG" if b"<svg" in data[:2000] else "unknown")


@relation("{path} follows the rule {rule} of EMV codes")
def follows_emv_rule(charge: Subject, path: str, rule: str) -> str | None:
    """Expect a code to follow one rule of `oracles.emv.RULES`, as far as the code can be read."""
    problem = emv.RULES[rule](value(charge, path))
    return f"{path}: {problem}" if problem else None


@relation("an amount in {path} is {cents} cents")
def has_no_other_amount(charge: Subject, path: str, cents: int) -> str | None:
    """Expect a code to have the amount of its charge, to have 0, or to have none."""
    problem = emv.amount_agrees(value(charge, path), cents)
    return f"{path}: {problem}" if problem else None
