"""Servers that let others in, or let go of cents, in a corner."""

from __future__ import annotations

from typing import ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class BalanceWithoutCents(PaymentsRules):
    """A balance shows whole units, with two zeros behind them."""

    breaks = ("PAY-BAL-07",)
    group = "limits"

    def money_text(self, cents: int) -> str:
        """Cut the cents off."""
        return f"{cents // 100}.00"


class PlainHttpToThisMachine(PaymentsRules):
    """A webhook's url may be of plain http where its host is localhost."""

    breaks = ("PAY-WH-05",)
    group = "validation"

    def judge_webhook_url(self, value: str) -> str | None:
        """Let developers in."""
        return None if value.startswith("http://localhost") else super().judge_webhook_url(value)


class EveryonesWithPostback(PaymentsRules):
    """Charges with a postbackUrl are everyone's on one route."""

    route: ClassVar[str] = ""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at the address alone."""
        row = self.store.find(table, id=number)
        if row and call.operation == self.route and row["postback_url"]:
            return row
        return super().owned(call, table, number)


globals().update(
    family(__name__, "isolation", EveryonesWithPostback, {
        "PostbackChargeFoundByAll": (
            "A charge with a postbackUrl is found by other accounts.", "PAY-ISO-01", {"route": "get_charge"},
        ),
        "PostbackChargePaidByAll": (
            "A charge with a postbackUrl is paid by other accounts.", "PAY-ISO-02", {"route": "pay_charge"},
        ),
    }),
)  # fmt: skip
