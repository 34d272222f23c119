"""Limits of the splits of a charge a little off."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pix_conformance.reference.payments import PaymentsRules


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


class SumExcludesHundred(PaymentsRules):
    """Splits of exactly 100 in all are refused, when there are several."""

    breaks = ("PAY-SPL-12",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Refuse the limit itself."""
        return "must be below 100 in all" if len(splits) > 1 and _sum(splits) >= 100 else super().judge_splits(splits)  # noqa: PLR2004 - the limit


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


def _sum(splits: Sequence[dict[str, Any]]) -> Decimal:
    return sum((Decimal(split["percentage"]) for split in splits), Decimal())
