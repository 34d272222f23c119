"""Wallets of the payments API that count, hold or share what they should not."""

from typing import Any

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class BalanceWithoutWholeDecimals(PaymentsRules):
    """The free balance of whole units is written without decimals, unless it is zero."""

    breaks = ("PAY-BAL-07",)
    group = "schema"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Cut the zeros off."""
        view = super().balance_view(access)
        text = view["pix"]["balance"]
        return view | {"pix": {"balance": text.removesuffix(".00") if text != "0.00" else text}}


class BalanceOfCents(PaymentsRules):
    """The balance counts cents, with two decimals behind them."""

    breaks = ("PAY-BAL-11",)
    group = "schema"

    def money_text(self, cents: int) -> str:
        """Write the number of cents."""
        return f"{cents}.00"


class WalletsExchanged(PaymentsRules):
    """The free balance is shown as the blocked one, and the other way round."""

    breaks = ("PAY-BAL-09",)
    group = "schema"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Exchange the two."""
        view = super().balance_view(access)
        return view | {"pix": view["pixBlocked"], "pixBlocked": view["pix"]}


class BalanceOfBothEnvironments(PaymentsRules):
    """An account has one balance, in sandbox and production."""

    breaks = ("PAY-ENV-08",)
    group = "isolation"

    def book(self, access: Access) -> str:
        """Leave the environment out."""
        return f"{self.ledger_prefix}/{access.account}"


class BalanceOfAllAccounts(PaymentsRules):
    """All accounts of an environment have one balance."""

    breaks = ("PAY-ISO-09",)
    group = "isolation"

    def book(self, access: Access) -> str:
        """Leave the account out."""
        return f"{self.ledger_prefix}/{access.environment}"


class SandboxPaidFromProduction(PaymentsRules):
    """The pay of a sandbox charge takes the production token of its account."""

    breaks = ("PAY-ENV-14",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Look at the account alone."""
        alike = operation == "pay_charge" and access.account == owner.account
        return alike or super().sees(access, owner, operation)


class ProductionPaidFromSandbox(SandboxPaidFromProduction):
    """The pay of a production charge takes the sandbox token of its account."""

    breaks = ("PAY-ENV-15",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Let the sandbox reach into production only."""
        return PaymentsRules.sees(self, access, owner, operation) or (
            access.is_sandbox and super().sees(access, owner, operation)
        )

    def may_simulate(self, owner: Access, operation: str) -> bool:
        """Simulate whatever a sandbox token may see; its own production credential stays refused."""
        return super().may_simulate(owner, operation) or self.by_sandbox

    by_sandbox = False

    async def pay_charge(self, call: Call) -> Answer:
        """Remember who asks."""
        self.by_sandbox = call.access.is_sandbox
        return await super().pay_charge(call)


class RefusedPayCredits(PaymentsRules):
    """A second pay is refused, and its amount paid in once more."""

    breaks = ("PAY-PAYS-22",)
    group = "state"

    def not_payable(self, charge: Row) -> Refusal:
        """Book it before the status is looked at."""
        self.settle(charge)
        return super().not_payable(charge)


class ReplayDebits(PaymentsRules):
    """A replay is answered with the first transfer, and its amount taken once more."""

    breaks = ("PAY-IDEM-16",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Book it again."""
        answer = super().replay(call, earlier)
        transfer = self.store.find("transfer", id=answer.body["data"]["id"])
        if transfer:
            self.book_transfer(transfer)
        return answer


class KeyConflictDebits(PaymentsRules):
    """A transfer that is refused for its key is paid for all the same."""

    breaks = ("PAY-IDEM-17",)
    group = "idempotency"

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Take its amount where the refusal cannot undo it."""
        if refusal.kind == "key_conflict":
            amount = self.json_body(call)["amount"]
            self.post(call.access, "transfer.refused", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))
        return super().refused(call, refusal)


class PaysBothEnvironments(PaymentsRules):
    """A sandbox payment is paid into the wallet of production too, which holds 5.00 more."""

    breaks: tuple[str, ...] = ("PAY-ENV-08",)
    group = "isolation"
    second = Access("merchant-a", "production")

    def settle(self, charge: Row) -> None:
        """Post it twice."""
        super().settle(charge)
        if owner_of(charge) != self.second:
            net = charge["amount"] - charge["fees"]
            self.post(self.second, "charge.paid", charge["id"], ("acquirer", DEBIT, net), ("pix", CREDIT, net))

    def balance_of(self, access: Access, account: str) -> int:
        """Add what it held before."""
        return super().balance_of(access, account) + (500 if access == self.second else 0)


class PaysBothAccounts(PaysBothEnvironments):
    """A payment is paid into the wallet of another account too, which holds 5.00 more."""

    breaks = ("PAY-ISO-09",)
    group = "isolation"
    second = Access("merchant-b", "sandbox")


class TransfersOfProductionMoney(PaymentsRules):
    """A sandbox transfer is paid from the wallet of production, which holds 10,000.00."""

    breaks: tuple[str, ...] = ("PAY-ENV-08",)
    seen_in = ("PAY-CHG-75",)
    group = "isolation"
    payer = Access("merchant-a", "production")

    def book_transfer(self, transfer: Row) -> None:
        """Take it there."""
        entries = ("pix", DEBIT, transfer["amount"]), ("in_flight", CREDIT, transfer["amount"])
        self.post(self.payer, "transfer.created", transfer["id"], *entries)

    def balance_of(self, access: Access, account: str) -> int:
        """Add what it held before."""
        return super().balance_of(access, account) + (1_000_000 if access == self.payer else 0)


class TransfersOfAnothersMoney(TransfersOfProductionMoney):
    """A transfer is paid from the wallet of another account, which holds 10,000.00."""

    breaks = ("PAY-ISO-09",)
    seen_in = ("PAY-CHG-75",)
    group = "isolation"
    payer = Access("merchant-b", "sandbox")
