"""The codes of many charges, held against one rule at a time (business.md, lines 7 and 39)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pix_conformance.checks.matchers import Computed, computed
from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles import emv

PICTURES = ("data:image/", "iVBORw0KGgo", "/9j/", "R0lGOD", "<svg", "PHN2Zy")
"""How PNG, JPEG, GIF and SVG begin in base64 and in text."""


def first_violation(
    charges: Sequence[Exchange], question: str, rule: Callable[[object], str | None]
) -> tuple[Exchange, Computed]:
    """Return the first charge whose qr_code breaks the rule, with the judgement; the first of all if none does.

    A code that cannot be read to its end breaks only the rule that it can: the others are Inconclusive.
    """
    found = ((charge, rule(charge.at("qr_code"))) for charge in charges)
    charge, problem = next(((charge, problem) for charge, problem in found if problem), (charges[0], None))
    unread = emv.RULES["tlv"](charge.at("qr_code"))
    if problem and unread and rule is not emv.RULES["tlv"]:
        raise Inconclusive(f"qr_code cannot be read: {unread} ({charge.evidence})")
    return charge, computed(question, problem)


def pictures(value: Any, name: str = "the answer") -> list[str]:
    """Name the members, at any depth, that hold an image as a data URI, in base64 or as SVG."""
    if isinstance(value, dict):
        return [found for key, one in value.items() for found in pictures(one, key)]
    if isinstance(value, list):
        return [found for one in value for found in pictures(one, name)]
    return [name] if isinstance(value, str) and value.startswith(PICTURES) else []
