"""Mutants of PAY-SPL: the splits of a charge."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    NOT_THE_FIRST,
    NULL,
    NUMBERS,
    Accepts,
    Refuses,
    a,
    absent,
    failing,
    passing,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

ANY_EMAIL = "company@example.com"
SPLIT = {"email": "company@example.com", "percentage": Decimal(1)}


globals().update(
    family(__name__, "limits", Refuses, {
        "RefusesSplits": ("A charge with splits is refused.", "PAY-SPL-01", failing("splits", len)),
        "PercentageWhole": ("A percentage has no fraction.", "PAY-SPL-08 PAY-SPL-12",
            failing("splits[].percentage", lambda value: value != int(value))),
        "PercentageFromTenth": ("A percentage is 0.1 at least.", "PAY-SPL-08",
            failing("splits[].percentage", lambda value: value < Decimal("0.1"))),
        "PercentageFromOne": ("A percentage is 1 at least.", "PAY-SPL-08",
            failing("splits[].percentage", lambda value: value < 1)),
        "PercentageBelowHundred": ("A percentage is below 100.", "PAY-SPL-10",
            failing("splits[].percentage", lambda value: value == 100)),
    })
)  # fmt: skip


globals().update(
    family(__name__, "validation", Accepts, {
        "SplitAny": ("A split that is no object is accepted.", "PAY-SPL-02",
            passing("splits[]", lambda value: not isinstance(value, dict), SPLIT)),
        "SplitEmailOptional": ("A split without email is accepted.", "PAY-SPL-03",
            passing("splits[].email", absent, "company@example.com")),
        "SplitEmailFromNumber": ("A split's email may be a number.", "PAY-SPL-04",
            passing("splits[].email", NUMBERS, "company@example.com")),
        "SplitEmailNull": ("A split's email may be null.", "PAY-SPL-04",
            passing("splits[].email", NULL, "company@example.com")),
        "SplitEmailEmpty": ("A split's email may be an empty text.", "PAY-SPL-05",
            passing("splits[].email", lambda value: value == "", ANY_EMAIL)),
        "SplitEmailAnyText": ("A split's email is not checked to be one.", "PAY-SPL-05",
            passing("splits[].email", lambda value: isinstance(value, str) and "@" not in value, "x@example.com")),
        "PercentageOptional": ("A split without percentage is accepted.", "PAY-SPL-06",
            passing("splits[].percentage", absent, Decimal(1))),
        "PercentageFromText": ("A split's percentage may be a string.", "PAY-SPL-07",
            passing("splits[].percentage", a(str), Decimal(1))),
        "PercentageBoolean": ("A split's percentage of true is one.", "PAY-SPL-07",
            passing("splits[].percentage", a(bool), Decimal(1))),
        "PercentageNull": ("A split's percentage may be null.", "PAY-SPL-07",
            passing("splits[].percentage", NULL, Decimal(1))),
    })
)  # fmt: skip


class JudgesFirstSplit(PaymentsRules):
    """Of several splits only the first is looked at."""

    breaks = ("PAY-SPL-04", "PAY-SPL-05", "PAY-SPL-07", "PAY-SPL-09", "PAY-SPL-13", "PAY-SPL-17")
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Leave the others out."""
        splits = body.get("splits") if isinstance(body, dict) else None
        return super().read_charge({**body, "splits": splits[:1]} if isinstance(splits, list) else body)


class FirstSplitAddressed(PaymentsRules):
    """Only the first of several splits needs an e-mail that is one."""

    breaks = ("PAY-SPL-04", "PAY-SPL-05")
    group = "validation"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Look at the place."""
        unread = NOT_THE_FIRST.match(where) and field.rule == "judge_split_email"
        return ANY_EMAIL if unread else super().read_field(holder, field, where)


class PercentageZero(PaymentsRules):
    """A percentage of zero is accepted."""

    breaks = ("PAY-SPL-09",)
    group = "limits"
    minimum_percentage = Decimal(0)


class PercentageBelowHundredth(PaymentsRules):
    """A percentage of 0.009 is rounded to 0.01 before it is judged."""

    breaks = ("PAY-SPL-09",)
    group = "limits"

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Round, then judge."""
        return super().judge_percentage(round(Decimal(value), 2))


class PercentageNegative(PaymentsRules):
    """The sign of a percentage is not looked at."""

    breaks = ("PAY-SPL-09",)
    group = "limits"

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Judge it without its sign."""
        return super().judge_percentage(abs(Decimal(value)))


class FirstSplitAtLeast(PaymentsRules):
    """Only the first of several splits has a smallest percentage."""

    breaks = ("PAY-SPL-09",)
    group = "limits"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Look at the place."""
        value = holder.get(field.name)
        low = field.rule == "judge_percentage" and isinstance(value, int | Decimal) and value < self.minimum_percentage
        return value if low and NOT_THE_FIRST.match(where) else super().read_field(holder, field, where)


class PercentageAboveHundred(PaymentsRules):
    """A percentage may exceed 100, and so may the sum of one."""

    breaks = ("PAY-SPL-11",)
    group = "limits"
    maximum_percentage = Decimal(100_000)

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Judge sums of several only."""
        return super().judge_splits(splits) if len(splits) > 1 else None


class PercentageJustAboveHundred(PaymentsRules):
    """A percentage is cut to a whole number before it is held against 100."""

    breaks = ("PAY-SPL-11",)
    group = "limits"

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Cut what exceeds, then judge."""
        return super().judge_percentage(int(value) if value > 1 else value)

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Judge sums of several only."""
        return super().judge_splits(splits) if len(splits) > 1 else None


class SumOfFloats(PaymentsRules):
    """The percentages are added as binary floating point: 33.03 + 36.71 + 30.26 is more than 100."""

    breaks = ("PAY-SPL-12",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Add floats."""
        total = sum(float(split["percentage"]) for split in splits)
        return "must not exceed 100 in all" if total > float(self.maximum_percentage_sum) else None


def _sum(splits: Sequence[dict[str, Any]]) -> Decimal:
    return sum((Decimal(split["percentage"]) for split in splits), Decimal())


class SumExcludesHundred(PaymentsRules):
    """Splits of exactly 100 in all are refused, when there are several."""

    breaks = ("PAY-SPL-12",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Refuse the limit itself."""
        return "must be below 100 in all" if len(splits) > 1 and _sum(splits) >= 100 else super().judge_splits(splits)


class SumOfDistinctEmails(PaymentsRules):
    """Of several splits to one company only the last is added."""

    breaks = ("PAY-SPL-13",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Keep one for each address."""
        return super().judge_splits(list({one["email"]: one for one in splits}.values()))


class SumUnchecked(PaymentsRules):
    """The sum of the percentages is not looked at."""

    breaks = ("PAY-SPL-13",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Judge one by one only."""
        return super().judge_splits(splits[:1])


class SumRounded(PaymentsRules):
    """The sum of the percentages is rounded to a whole number before it is held against 100."""

    breaks = ("PAY-SPL-13",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Round, then compare."""
        return "must not exceed 100 in all" if round(_sum(splits)) > self.maximum_percentage_sum else None


class SumWithTolerance(PaymentsRules):
    """The sum of the percentages may exceed 100 by a hundredth, to make up for floats."""

    breaks = ("PAY-SPL-13",)
    group = "limits"
    maximum_percentage_sum = Decimal("100.01")


class SumOfFirstTwo(PaymentsRules):
    """Only the first two percentages are added."""

    breaks = ("PAY-SPL-13",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Forget the third."""
        return super().judge_splits(splits[:2])


class SplitNotTaken(PaymentsRules):
    """Whoever charges keeps the whole of a payment that is split."""

    breaks = ("PAY-SPL-17",)
    group = "state"

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Share nothing."""
        del charge, net
        return []


class FirstSplitTaken(PaymentsRules):
    """Of several splits the first is taken only."""

    breaks = ("PAY-SPL-17",)
    group = "state"

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Forget the others."""
        return super().split_shares(charge, net)[:1]


class SplitOfGross(PaymentsRules):
    """A split is a part of the gross amount of a payment."""

    breaks = ("PAY-SPL-18",)
    group = "state"

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Forget the fees."""
        del net
        return super().split_shares(charge, charge["amount"])
