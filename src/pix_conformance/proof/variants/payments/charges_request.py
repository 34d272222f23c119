"""Conforming variants where PAY-CHG is silent: the creation of a charge."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules

LOW_LIMIT = 50_000
LIMIT = 100_000
LAST_LETTER = "\u00ff"
NO_HOST = "https://"


class LowLimit(PaymentsRules):
    """No upper limit is stated, and none is ruled out: 500.00 for each charge and transfer."""

    def judge_charge_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LOW_LIMIT}" if value > LOW_LIMIT else super().judge_charge_amount(value)

    def judge_transfer_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LOW_LIMIT}" if value > LOW_LIMIT else super().judge_transfer_amount(value)


class LimitsAmounts(PaymentsRules):
    """No upper limit is stated, and none is ruled out: 1,000.00 for each charge and transfer."""

    def judge_charge_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LIMIT}" if value > LIMIT else super().judge_charge_amount(value)

    def judge_transfer_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LIMIT}" if value > LIMIT else super().judge_transfer_amount(value)


class WantsContent(PaymentsRules):
    """Whether an optional field may be empty is not shown."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse empty texts and arrays."""
        empty = value in ("", []) and key in {"description", "customer.name", "items", "splits"}
        return "must not be empty" if empty else super().complaint(key, value, field)


class EmptyIsAbsent(PaymentsRules):
    """Whether an optional text may be empty is not shown: as if it were not there, in the currency as well."""

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Take the default for an empty text."""
        empty = not field.required and holder.get(field.name) == ""
        return field.default if empty else super().read_field(holder, field, where)


class StatementLetters(PaymentsRules):
    """Of which signs a description is, is not shown: letters, digits and punctuation that a statement can print."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse others."""
        strange = key == "description" and not all(one.isprintable() and one <= LAST_LETTER for one in value)
        return "must be printable" if strange else super().complaint(key, value, field)


class CountsUnits(PaymentsRules):
    """In what the 140 characters are counted is not shown: UTF-16 units."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Count as JavaScript and Java do."""
        long = key == "description" and len(value.encode("utf-16-le")) // 2 > self.charge_description_limit
        return "must have at most 140 characters" if long else super().complaint(key, value, field)


def _not_https(value: str) -> str | None:
    return None if urlsplit(value).scheme == "https" else "must be an HTTPS address"


class WantsHttpsPostback(PaymentsRules):
    """Whether a postbackUrl of plain http is accepted is not shown."""

    def judge_charge_postback(self, value: str) -> str | None:
        """Take https only."""
        return super().judge_charge_postback(value) or _not_https(value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Take https only."""
        return super().judge_transfer_postback(value) or _not_https(value)


class AnyAuthority(PaymentsRules):
    """A postbackUrl is called a URI, and a URI may have an empty host (RFC 3986, section 3.2.2)."""

    def judge_charge_postback(self, value: str) -> str | None:
        """Take it."""
        return None if value == NO_HOST else super().judge_charge_postback(value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Take it."""
        return None if value == NO_HOST else super().judge_transfer_postback(value)


VARIANTS = [
    Variant("payments-low-limit", ("PAY-CHG-07", "PAY-TRF-27"), {"five-hundred": LowLimit}),
    Variant("payments-limits", ("PAY-CHG-07", "PAY-TRF-27"), {"thousand": LimitsAmounts}),
    Variant("payments-empty", ("PAY-CHG-14", "PAY-CHG-22", "PAY-CHG-24", "PAY-CUS-17"), {"refused": WantsContent}),
    Variant("payments-no-text", ("PAY-CHG-14", "PAY-CUS-17"), {"absent": EmptyIsAbsent}),
    Variant("payments-statement", ("PAY-CHG-15",), {"printable": StatementLetters}),
    Variant("payments-characters", ("PAY-CHG-15",), {"units": CountsUnits}),
    Variant("payments-postback", ("PAY-CHG-20", "PAY-TRF-24"), {"https": WantsHttpsPostback}),
    Variant("payments-authorities", ("PAY-CHG-20", "PAY-TRF-24"), {"any": AnyAuthority}),
]
