"""Conforming variants where PAY-CHG is silent: the creation of a charge."""

from typing import Any
from urllib.parse import urlsplit

from pix_conformance.proof.difference import Difference, changes_result, variant
from pix_conformance.proof.variants.common.checks import refuses_values
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules

NO_HOST = "https://"
EMPTY = ("description", "customer.name", "items", "splits")


def amounts_up_to(sentence: str, cents: int) -> Difference:
    """Refuse higher amounts of charges and transfers."""

    def judge(_rules: Any, complaint: str | None, value: int) -> str | None:
        return f"must be at most {cents}" if value > cents else complaint

    return changes_result(sentence, judge_charge_amount=judge, judge_transfer_amount=judge).also("PAY-TRF-27")


def only_https(_rules: Any, complaint: str | None, value: str) -> str | None:
    return complaint or (None if urlsplit(value).scheme == "https" else "must be an HTTPS address")


def without_host(_rules: Any, complaint: str | None, value: str) -> str | None:
    return None if value == NO_HOST else complaint


VARIANTS = {
    "PAY-CHG-07": {
        "up-to-500": amounts_up_to(
            "The highest amount is 500.00: no upper limit is stated (payments.md, lines 32 and 91).", 50_000),
        "up-to-1000": amounts_up_to(
            "The highest amount is 1,000.00: no upper limit is stated (payments.md, lines 32 and 91).", 100_000),
    },
    "PAY-CHG-14": {"empty-refused": refuses_values(
            "Empty texts and arrays of a charge are refused: whether they may be empty is not stated "
            "(payments.md, lines 34-37 and 45).", lambda key, value: key in EMPTY and value in ("", []))
            .also("PAY-CHG-22", "PAY-CHG-24", "PAY-CUS-17")},
    "PAY-CHG-15": {"printable-letters-only": refuses_values(
            "A description has printable characters of Latin-1 only, as it appears on a statement "
            "(payments.md, line 34).",
            lambda key, value: key == "description" and not all(
                one.isprintable() and one <= "\u00ff" for one in value))},
    "PAY-CHG-20": {
        "postback-https-only": changes_result(
            "A postbackUrl of plain http is refused: its scheme is not stated (payments.md, lines 35 and 94).",
            judge_charge_postback=only_https, judge_transfer_postback=only_https).also("PAY-TRF-24"),
        "postback-without-host": changes_result(
            "A postbackUrl without a host is accepted: it is called a URI, and a URI may have none "
            "(payments.md, lines 35 and 94; RFC 3986, section 3.2.2).",
            judge_charge_postback=without_host, judge_transfer_postback=without_host).also("PAY-TRF-24"),
    },
}  # fmt: skip


@variant("PAY-CHG-14/empty-is-absent", "PAY-CUS-17")
class EmptyIsAbsent(PaymentsRules):
    """An empty text of an optional field counts as absent: nothing is stated of one (payments.md, line 34)."""

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        empty = not field.required and holder.get(field.name) == ""
        return field.default if empty else super().read_field(holder, field, where)


@variant("PAY-CHG-15/counts-utf-16")
class CountsUtf16(PaymentsRules):
    """A description has at most 140 units of UTF-16: what a character is, is not stated (payments.md, line 34)."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        long = key == "description" and len(value.encode("utf-16-le")) // 2 > self.charge_description_limit
        return "must have at most 140 characters" if long else super().complaint(key, value, field)
