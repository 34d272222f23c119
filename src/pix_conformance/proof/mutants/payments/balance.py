"""Mutants of PAY-BAL: the balance."""

import re
from typing import Any

from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class BalanceAccepted(PaymentsRules):
    """The balance is answered 203, as it comes from a copy."""

    breaks = ("PAY-BAL-01",)
    group = "schema"

    async def get_balance(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().get_balance(call)
        return Answer(203, answer.body)


class BalanceNeedsBody(PaymentsRules):
    """The balance insists on a JSON body."""

    breaks = ("PAY-BAL-01",)
    group = "schema"

    async def get_balance(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().get_balance(call)


globals().update(
    shapes(__name__, "Balance", "get_balance", {
        "success": ("PAY-BAL-02", "true"),
        "data": ("PAY-BAL-03 PAY-BAL-01", lambda data: [data]),
        "data.pix": ("PAY-BAL-04", lambda wallet: wallet["balance"]),
        "data.pix.balance": ("PAY-BAL-04", float),
        "data.pixBlocked": ("PAY-BAL-05", None),
        "data.pixBlocked.balance": ("PAY-BAL-05", None),
        "data.reserve": ("PAY-BAL-06", None),
        "data.reserve.balance": ("PAY-BAL-06", lambda text: int(float(text) * 100)),
    })
)  # fmt: skip


class BalanceWithoutCents(PaymentsRules):
    """A balance shows whole units, with two zeros behind them."""

    breaks = ("PAY-BAL-07",)
    group = "limits"

    def money_text(self, cents: int) -> str:
        """Cut the cents off."""
        return f"{cents // 100}.00"


class BalanceOfSixDigits(PaymentsRules):
    """A balance of 10,000.00 and more is written from six digits."""

    breaks = ("PAY-BAL-07",)
    group = "schema"

    def money_text(self, cents: int) -> str:
        """Round it."""
        return f"{float(f'{cents / 100:.6g}'):.2f}"


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BalanceInCents": (
            "The free balance is a string of cents, without decimals.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.pix.balance", lambda text: str(int(float(text) * 100))),
        ),
        "BalanceOfOneDecimal": (
            "The reserve is written as JSON would write the number: 0.0.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.reserve.balance", lambda text: str(float(text))),
        ),
        "BalanceOfFourDecimals": (
            "The blocked balance has four decimals.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.pixBlocked.balance", lambda text: f"{float(text):.4f}"),
        ),
        "BalanceWithCurrency": (
            "The free balance is written with the sign of the currency.",
            "PAY-BAL-07 PAY-BAL-08",
            in_answers("get_balance", "data.pix.balance", lambda text: f"R$ {text}"),
        ),
        "BalanceLosesItsZero": (
            "The free balance loses the last zero of whole tens of cents: 10.4.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.pix.balance", lambda text: re.sub(r"(?<=[1-9])0$", "", text)),
        ),
        "BalanceWithComma": (
            "The balances are written with a decimal comma.",
            "PAY-BAL-08",
            in_answers("get_balance", "data.pix.balance", lambda text: text.replace(".", ",")),
        ),
    })
)  # fmt: skip


class BalanceAsFloat(PaymentsRules):
    """The balance is formatted from a float without padding: 0.0, 10.5."""

    breaks = ("PAY-BAL-07",)
    group = "schema"

    def money_text(self, cents: int) -> str:
        """Divide and print."""
        return str(cents / 100)


class BalanceWithoutWholeDecimals(PaymentsRules):
    """The free balance of whole units is written without decimals, unless it is zero."""

    breaks = ("PAY-BAL-07",)
    group = "schema"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Cut the zeros off."""
        view = super().balance_view(access)
        text = view["pix"]["balance"]
        return view | {"pix": {"balance": text.removesuffix(".00") if text != "0.00" else text}}


class BalanceWithThousands(PaymentsRules):
    """Balances have separators of thousands, and look as if there were much money."""

    breaks = ("PAY-BAL-08",)
    group = "schema"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Show a reserve beyond a thousand."""
        return super().balance_view(access) | {"reserve": {"balance": "1,234.50"}}


class WalletsExchanged(PaymentsRules):
    """The free balance is shown as the blocked one, and the other way round."""

    breaks = ("PAY-BAL-09",)
    group = "schema"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Exchange the two."""
        view = super().balance_view(access)
        return view | {"pix": view["pixBlocked"], "pixBlocked": view["pix"]}


class BalanceOfCents(PaymentsRules):
    """The balance counts cents, with two decimals behind them."""

    breaks = ("PAY-BAL-11",)
    group = "schema"

    def money_text(self, cents: int) -> str:
        """Write the number of cents."""
        return f"{cents}.00"


class FreeAndInReserve(PaymentsRules):
    """What is free is shown in reserve as well."""

    breaks = ("PAY-BAL-12",)
    group = "state"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Show it twice."""
        view = super().balance_view(access)
        return view | {"reserve": view["pix"]}


class PaidTwice(PaymentsRules):
    """A payment is paid in twice."""

    breaks = ("PAY-BAL-13",)
    group = "state"

    def settle(self, charge: Row) -> None:
        """Book it, and book it again."""
        super().settle(charge)
        super().settle(charge)


class CompletionDebitsAgain(PaymentsRules):
    """A transfer takes its amount when it is created, and again when it is completed."""

    breaks = ("PAY-BAL-14",)
    group = "state"

    def book_completion(self, transfer: Row) -> None:
        """Take it again."""
        super().book_completion(transfer)
        self.book_transfer(transfer)
