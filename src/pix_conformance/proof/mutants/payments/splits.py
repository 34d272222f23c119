"""Mutants of PAY-SPL, the splits of a charge."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, setting
from pix_conformance.proof.mutants.operators.fields import accepts, reads, refuses
from pix_conformance.proof.mutants.operators.values import is_a, is_absent, is_empty, is_null, is_number, matches
from pix_conformance.reference.payments import PaymentsRules

GROUP = "limits"
EMAIL = "company@example.com"
SPLIT = {"email": EMAIL, "percentage": 1}
TOO_MUCH = "must not exceed 100 in all"
Splits = Sequence[dict[str, Any]]


def total(splits: Splits) -> Decimal:
    return sum((Decimal(split["percentage"]) for split in splits), Decimal())


def judge_sums_of_several(rules: Any, splits: list[dict[str, Any]]) -> str | None:
    return PaymentsRules.judge_splits(rules, splits) if len(splits) > 1 else None


def judge_sum_of_floats(rules: Any, splits: Splits) -> str | None:
    floats = sum(float(split["percentage"]) for split in splits)
    return TOO_MUCH if floats > float(rules.maximum_percentage_sum) else None


MUTANTS = {
    "PAY-SPL-01": {
        "splits-refused": refuses("splits", len).says("A charge with splits is refused."),
    },
    "PAY-SPL-02": {
        "split-of-any-type": accepts("splits[]", lambda value: not isinstance(value, dict), SPLIT)
            .says("A split may be of any type."),
    },
    "PAY-SPL-03": {
        "email-missing": accepts("splits[].email", is_absent, EMAIL),
    },
    "PAY-SPL-04": {
        "email-number": accepts("splits[].email", is_number, EMAIL),
        "email-null": accepts("splits[].email", is_null, EMAIL),
        "only-first-split-judged": reads("splits", is_a(list), lambda splits: splits[:1])
            .says("Of several splits only the first is judged, and paid.")
            .also("PAY-SPL-05", "PAY-SPL-07", "PAY-SPL-09", "PAY-SPL-13", "PAY-SPL-17"),
    },
    "PAY-SPL-05": {
        "email-without-at": accepts("splits[].email", matches("[^@]*"), EMAIL).says("A split's email needs no @."),
        "email-empty": accepts("splits[].email", is_empty, EMAIL),
    },
    "PAY-SPL-06": {
        "percentage-missing": accepts("splits[].percentage", is_absent, 1),
    },
    "PAY-SPL-07": {
        "percentage-string": accepts("splits[].percentage", is_a(str), 1),
        "percentage-boolean": accepts("splits[].percentage", is_a(bool), 1),
        "percentage-null": accepts("splits[].percentage", is_null, 1),
    },
    "PAY-SPL-08": {
        "percentage-below-a-tenth-refused": refuses("splits[].percentage", lambda value: value < Decimal("0.1"))
            .of("limits").says("A percentage below 0.1 is refused."),
        "percentage-with-fraction-refused": refuses("splits[].percentage", lambda value: value != int(value))
            .also("PAY-SPL-12").of("limits").says("A percentage with a fraction is refused."),
    },
    "PAY-SPL-09": {
        "percentage-of-zero": setting("A percentage of zero is accepted.", minimum_percentage=Decimal(0)),
        "percentage-rounded": changes_arguments("A percentage is rounded to 0.01 before it is judged.",
            judge_percentage=lambda _, value: (round(Decimal(value), 2),)),
        "percentage-below-zero": changes_arguments("The sign of a percentage is not judged.",
            judge_percentage=lambda _, value: (abs(value),)),
    },
    "PAY-SPL-10": {
        "percentage-of-100-refused": refuses("splits[].percentage", lambda value: value == 100).of("limits")
            .says("A percentage of 100 is refused."),
    },
    "PAY-SPL-11": {
        "percentage-without-maximum": setting("The percentage of a single split may exceed 100.",
            maximum_percentage=Decimal(100_000), judge_splits=judge_sums_of_several),
        "percentage-cut-to-whole-number": setting(
            "A percentage is cut to a whole number before it is compared with 100.",
            judge_percentage=lambda rules, value: (
                PaymentsRules.judge_percentage(rules, int(value) if value > 1 else value)),
            judge_splits=judge_sums_of_several),
    },
    "PAY-SPL-12": {
        "sum-of-100-refused": changes_result(
            "Several splits of exactly 100 in all are refused.", judge_splits=lambda _, right, splits: (
                "must be below 100 in all" if len(splits) > 1 and total(splits) >= 100 else right)),
        "sum-of-floats": setting(
            "Percentages are added as floats, of which 33.03 + 36.71 + 30.26 exceed 100.",
            judge_splits=judge_sum_of_floats),
    },
    "PAY-SPL-13": {
        "sum-not-judged": changes_arguments("The sum of the percentages is not judged.",
            judge_splits=lambda _, splits: (splits[:1],)),
        "sum-of-first-two": changes_arguments("Only the first two percentages are added.",
            judge_splits=lambda _, splits: (splits[:2],)),
        "sum-of-distinct-emails": changes_arguments("Of several splits to one company only the last is added.",
            judge_splits=lambda _, splits: (list({one["email"]: one for one in splits}.values()),)),
        "sum-rounded": setting("The sum of the percentages is rounded to a whole number.",
            judge_splits=lambda _, splits: TOO_MUCH if round(total(splits)) > 100 else None),
        "sum-with-tolerance": setting("The sum of the percentages may be 100.01.",
            maximum_percentage_sum=Decimal("100.01")),
    },
    "PAY-SPL-17": {
        "no-share-taken": setting("No split is taken from a payment.", split_shares=lambda *_: []).of("state"),
        "only-first-share-taken": changes_result("Of several splits only the first is taken from a payment.",
            split_shares=lambda _, shares, *_about: shares[:1]).of("state"),
    },
    "PAY-SPL-18": {
        "share-of-gross": changes_arguments("A split is a percentage of the gross amount.",
            split_shares=lambda _, charge, _net: (charge, charge["amount"])).of("state"),
    },
}  # fmt: skip
