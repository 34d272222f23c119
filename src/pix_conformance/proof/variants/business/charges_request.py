"""Conforming variants where BUS-CHG is silent: the creation of a charge."""

import re
from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.checks import checks_arguments, refuses_values
from pix_conformance.proof.variants.common.http import LENIENT_BODIES
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.fields import Field

PLANE = 0x10000
LATIN = 0x100
SIGNS = " .,:;-_/#@+()"


def refuse_unknown_fields(rules: Any, value: Any, fields: tuple[Field, ...]) -> None:
    unknown = set(value) - {one.name for one in fields} if isinstance(value, dict) else None
    if unknown:
        raise rules.invalid(min(unknown), "is not a field of a charge")


VARIANTS = {
    "BUS-CHG-02": {
        "returns-200": setting(
            "A creation returns 200: its status is not shown (business.md, line 99).", charge_created_status=200),
        "returns-202": setting(
            "A creation returns 202: its status is not shown (business.md, line 99).", charge_created_status=202),
    },
    "BUS-CHG-11": {"whole-floats-are-integers": setting(
            "100.0 is accepted as an integer, as JSON Schema does (business.md, line 21).",
            whole_floats_are_integers=True)},
    "BUS-CHG-12": {
        "any-amount": setting(
            "The amount has no upper limit: none is stated (business.md, line 21).", largest_integer=2**62),
        "up-to-1000": changes_result(
            "The highest amount is 1,000.00: no upper limit is stated (business.md, line 21).",
            judge_amount=lambda _rules, complaint, cents: "must be at most 100000" if cents > 100_000 else complaint),
    },
    "BUS-CHG-26": {"any-email": setting(
            "Any text is accepted as customer_email: its form is only implied (business.md, line 24).",
            judge_customer_email=lambda _rules, _value: None)},
    "BUS-CHG-36": {"null-refused": setting(
            "null in an optional field is refused: that it counts as absent is not stated (business.md, lines 22-25).",
            null_is_absent=False)},
    "BUS-CHG-37": {"unknown-fields-refused": checks_arguments(
            "A body with a field that the document does not name is refused: nothing is stated of one "
            "(business.md, lines 19-25).", read_body=refuse_unknown_fields)},
    "BUS-CHG-38": {"last-of-two-counts": setting(
            "Of a key that is there twice, the last one counts: nothing is stated of one (business.md, line 99).",
            refuses_duplicate_keys=False)},
    "BUS-CHG-39": {
        "plain-external-ref": changes_result(
            "external_ref has letters, digits and four signs: only its length is stated (business.md, line 23).",
            judge_external_ref=lambda _rules, complaint, value: complaint or (
                None if re.fullmatch(r"[A-Za-z0-9_.:-]*", value) else "must be plain")),
        "empty-refused": refuses_values(
            "Empty texts are refused: only the greatest length is stated (business.md, lines 22-24).",
            lambda _key, value: value == ""),
        "printable-only": changes_result(
            "Texts are printable and of the first plane of Unicode: only their length is stated "
            "(business.md, lines 22-23).",
            is_storable=lambda _rules, right, _key, text: right and all(
                one.isprintable() and ord(one) < PLANE for one in text)),
        "blanks-around-refused": changes_result(
            "Texts with blanks around them are refused: only their length is stated (business.md, lines 22-23).",
            is_storable=lambda _rules, right, _key, text: right and text == text.strip()),
        "latin-only": changes_result(
            "Texts have letters of Latin-1, digits and a few signs: only their length is stated "
            "(business.md, lines 22-23).",
            is_storable=lambda _rules, right, _key, text: right and all(
                ord(one) < LATIN and (one.isalnum() or one in SIGNS) for one in text)),
    },
    "BUS-CHG-42": {
        "any-media-type": setting(
            "A body of another media type is read: the refusal of one is not stated (business.md, line 98).",
            checks_content_type=False),
        "lenient-bodies": LENIENT_BODIES.also("BUS-CHG-38", "BUS-GEN-05"),
    },
}  # fmt: skip


@variant("BUS-CHG-39/counts-utf-16")
class CountsUtf16(BusinessRules):
    """Lengths of texts count units of UTF-16: what a character is, is not stated (business.md, lines 22-23)."""

    def complaint(self, key: str, value: Any, field: Any) -> str | None:
        limit = {"description": self.description_limit, "external_ref": self.external_ref_limit}.get(key)
        long = limit is not None and len(value.encode("utf-16-le")) // 2 > limit
        return f"must have at most {limit} characters" if long else super().complaint(key, value, field)
