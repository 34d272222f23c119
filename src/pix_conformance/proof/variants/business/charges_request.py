"""Conforming variants where BUS-CHG is silent: the creation of a charge."""

from __future__ import annotations

import re
from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.fields import Field

PLANE = 0x10000
LATIN = 0x100
SIGNS = " .,:;-_/#@+()"


class CreatesWith200(BusinessRules):
    """The success status of a creation is not shown (business.md, line 99)."""

    charge_created_status = 200


class CreatesWith202(BusinessRules):
    """The success status of a creation is not shown (business.md, line 99)."""

    charge_created_status = 202


class TakesWholeFloats(BusinessRules):
    """100.0 is an integer to JSON Schema."""

    whole_floats_are_integers = True


class TakesAnyAmount(BusinessRules):
    """The highest amount is not stated: as much as is asked for."""

    largest_integer = 2**62


class TakesAThousand(BusinessRules):
    """The highest amount is not stated: a service has a limit of 1,000.00."""

    def judge_amount(self, value: int) -> str | None:
        """Refuse more."""
        return "must be at most 100000" if value > 100_000 else super().judge_amount(value)  # its limit


class TakesAnyEmail(BusinessRules):
    """That customer_email is validated is only implied (business.md, line 24)."""

    def judge_customer_email(self, value: str) -> str | None:  # anything goes
        """Take anything."""
        return None


class RefusesNull(BusinessRules):
    """Whether null stands for an absent optional field is not shown."""

    null_is_absent = False


class RefusesStrangers(BusinessRules):
    """Whether a request may carry further members is not shown."""

    def read_body(self, value: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
        """Refuse what the table does not have."""
        unknown = set(value) - {one.name for one in fields} if isinstance(value, dict) else None
        if unknown:
            raise self.invalid(min(unknown), "is not a field of a charge")
        return super().read_body(value, fields)


class TakesTheLastOfTwo(BusinessRules):
    """What a member means that stands twice is not shown."""

    refuses_duplicate_keys = False


class PlainLabels(BusinessRules):
    """Only the length of a label is stated: of letters, digits and four signs."""

    def judge_external_ref(self, value: str) -> str | None:
        """Refuse others."""
        plain = re.fullmatch(r"[A-Za-z0-9_.:-]*", value)
        return super().judge_external_ref(value) or (None if plain else "must be plain")


class CountsUnits(BusinessRules):
    """In what characters are counted is not shown: UTF-16 units."""

    def complaint(self, key: str, value: Any, field: Any) -> str | None:
        """Count as JavaScript and Java do."""
        limit = {"description": self.description_limit, "external_ref": self.external_ref_limit}.get(key)
        long = limit is not None and len(value.encode("utf-16-le")) // 2 > limit
        return f"must have at most {limit} characters" if long else super().complaint(key, value, field)


class RefusesEmptyTexts(BusinessRules):
    """Whether optional strings may be empty is not shown."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse empty ones."""
        return "must not be empty" if value == "" else super().complaint(key, value, field)


class TakesPrintableTexts(BusinessRules):
    """Only the length of a text is stated; a service may refuse characters that cannot be printed or kept."""

    def is_storable(self, key: str, text: str) -> bool:
        """Refuse controls, marks of direction and all beyond the first plane."""
        return super().is_storable(key, text) and all(one.isprintable() and ord(one) < PLANE for one in text)


class TakesTrimmedTexts(BusinessRules):
    """Only the length of a text is stated; a service may refuse blanks around it."""

    def is_storable(self, key: str, text: str) -> bool:
        """Refuse what trimming would change."""
        return super().is_storable(key, text) and text == text.strip()


class TakesLatinTexts(BusinessRules):
    """Only the length of a text is stated; a service may take letters of its own language, digits and a few signs."""

    def is_storable(self, key: str, text: str) -> bool:
        """Refuse what is not of Latin-1, and signs that mean something to other syntaxes."""
        return super().is_storable(key, text) and all(
            ord(one) < LATIN and (one.isalnum() or one in SIGNS) for one in text
        )


class TakesAnyMediaType(BusinessRules):
    """How another media type is answered is not shown."""

    checks_content_type = False


VARIANTS = [
    Variant("business-create-status", ("BUS-CHG-02",), {"200": CreatesWith200, "202": CreatesWith202}),
    Variant("business-floats", ("BUS-CHG-11",), {"whole": TakesWholeFloats}),
    Variant("business-highest", ("BUS-CHG-12",), {"any": TakesAnyAmount, "thousand": TakesAThousand}),
    Variant("business-email", ("BUS-CHG-26",), {"any": TakesAnyEmail}),
    Variant("business-null", ("BUS-CHG-36",), {"refused": RefusesNull}),
    Variant("business-strangers", ("BUS-CHG-37",), {"refused": RefusesStrangers}),
    Variant("business-twice", ("BUS-CHG-38",), {"last": TakesTheLastOfTwo}),
    Variant("business-labels", ("BUS-CHG-39",), {"plain": PlainLabels}),
    Variant("business-characters", ("BUS-CHG-39",), {"units": CountsUnits}),
    Variant("business-empty", ("BUS-CHG-39",), {"refused": RefusesEmptyTexts}),
    Variant(
        "business-texts",
        ("BUS-CHG-39",),
        {"printable": TakesPrintableTexts, "trimmed": TakesTrimmedTexts, "latin": TakesLatinTexts},
    ),
    Variant("business-media", ("BUS-CHG-42",), {"any": TakesAnyMediaType}),
]
