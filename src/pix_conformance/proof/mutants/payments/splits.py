"""Mutants of PAY-SPL, the splits of a charge."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, overrides, setting
from pix_conformance.proof.mutants.operators.fields import accepts, refuses
from pix_conformance.proof.mutants.operators.values import is_a, is_absent, is_empty

GROUP = "limits"
EMAIL = "company@example.com"
SPLIT = {"email": EMAIL, "percentage": 1}
TOO_MUCH = "must not exceed 100 in all"
Splits = Sequence[dict[str, Any]]


def judge_sum_of_floats(rules: Any, splits: Splits) -> str | None:
    floats = sum(float(split["percentage"]) for split in splits)
    return TOO_MUCH if floats > float(rules.maximum_percentage_sum) else None


MUTANTS = {
    "PAY-SPL-01": {"splits-refused": refuses("splits", len).says("A charge with splits is refused.")},
    "PAY-SPL-02": {"split-of-any-type": accepts("splits[]", lambda value: not isinstance(value, dict), SPLIT)
            .says("A split may be of any type.")},
    "PAY-SPL-03": {"email-missing": accepts("splits[].email", is_absent, EMAIL)},
    "PAY-SPL-04": {"email-number": accepts("splits[].email", is_a("number"), EMAIL)},
    "PAY-SPL-05": {"email-empty": accepts("splits[].email", is_empty, EMAIL)},
    "PAY-SPL-06": {"percentage-missing": accepts("splits[].percentage", is_absent, 1)},
    "PAY-SPL-07": {"percentage-string": accepts("splits[].percentage", is_a("string"), 1)},
    "PAY-SPL-08": {"percentage-below-a-tenth-refused": refuses(
            "splits[].percentage", lambda value: value < Decimal("0.1"))
            .also("PAY-SPL-12").of("limits").says("A percentage below 0.1 is refused.")},
    "PAY-SPL-09": {
        "percentage-rounded": changes_arguments("A percentage is rounded to 0.01 before it is judged.",
            judge_percentage=lambda _, value: (round(Decimal(value), 2),)),
        "percentage-below-zero": changes_arguments("The sign of a percentage is not judged.",
            judge_percentage=lambda _, value: (abs(value),)),
    },
    "PAY-SPL-10": {"percentage-of-100-refused": refuses("splits[].percentage", lambda value: value == 100).of("limits")
            .says("A percentage of 100 is refused.")},
    "PAY-SPL-11": {"percentage-cut-to-whole-number": overrides(
            "A percentage is cut to a whole number before it is compared with 100.",
            judge_percentage=lambda _, right, value: right(int(value) if value > 1 else value),
            judge_splits=lambda _, right, splits: right(splits) if len(splits) > 1 else None)},
    "PAY-SPL-12": {"sum-of-floats": setting(
            "Percentages are added as floats, of which 33.03 + 36.71 + 30.26 exceed 100.",
            judge_splits=judge_sum_of_floats)},
    "PAY-SPL-13": {"sum-of-first-two": changes_arguments("Only the first two percentages are added.",
            judge_splits=lambda _, splits: (splits[:2],))},
    "PAY-SPL-17": {"only-first-share-taken": changes_result("Of several splits only the first is taken from a payment.",
            split_shares=lambda _, shares, *_about: shares[:1]).of("state")},
    "PAY-SPL-18": {"share-of-gross": changes_arguments("A split is a percentage of the gross amount.",
            split_shares=lambda _, charge, _net: (charge, charge["amount"])).of("state")},
}  # fmt: skip
