"""Mutants of PAY-ENV: sandbox and production."""

from typing import ClassVar

from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class LiveTokenCreated(PaymentsRules):
    """A production pair gets its token with 201."""

    breaks = ("PAY-ENV-01",)
    group = "isolation"

    async def authenticate(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().authenticate(call)
        claims = self.read_token(answer.body["token"]) or {}
        return answer if claims.get("environment") == "sandbox" else Answer(201, answer.body)


class LiveChargesNothing(PaymentsRules):
    """A charge cannot be created with a production credential."""

    breaks = ("PAY-ENV-02",)
    group = "isolation"

    async def create_charge(self, call: Call) -> Answer:
        """Refuse it."""
        if not call.access.is_sandbox:
            raise Refusal("forbidden", "production is not enabled")
        return await super().create_charge(call)


class SeesEnvironments(PaymentsRules):
    """Shows the objects of the same account in one environment to its credential of the other."""

    route: ClassVar[str] = ""
    owner_environment: ClassVar[str] = "sandbox"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Compare accounts alone there."""
        meant = operation == self.route and owner.environment == self.owner_environment
        return (meant and access.account == owner.account) or super().sees(access, owner, operation)


globals().update(
    family(__name__, "isolation", SeesEnvironments, {
        "SandboxChargeShownLive": ("A sandbox charge is shown to the production credential.", "PAY-ENV-03",
            {"route": "get_charge"}),
        "LiveChargeShownInSandbox": ("A production charge is shown to the sandbox credential.", "PAY-ENV-04",
            {"route": "get_charge", "owner_environment": "production"}),
        "SandboxTransferShownLive": ("A sandbox transfer is shown to the production credential.", "PAY-ENV-05",
            {"route": "get_transfer"}),
    })
)  # fmt: skip


class BalanceOfBothEnvironments(PaymentsRules):
    """An account has one balance, in sandbox and production."""

    breaks = ("PAY-ENV-08",)
    group = "isolation"

    def book(self, access: Access) -> str:
        """Leave the environment out."""
        return f"{self.ledger_prefix}/{access.account}"


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


class HookRemovedFromProduction(PaymentsRules):
    """A production token removes webhooks of the sandbox, which its list does not show."""

    breaks = ("PAY-ENV-12",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Compare accounts only."""
        return (operation == "delete_webhook" and access.account == owner.account) or super().sees(
            access, owner, operation
        )


class SandboxPaidFromProduction(PaymentsRules):
    """The pay of a sandbox charge takes the production token of its account."""

    breaks = ("PAY-ENV-14",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Look at the account alone."""
        alike = operation == "pay_charge" and access.account == owner.account
        return alike or super().sees(access, owner, operation)


class SandboxCompletedFromProduction(SandboxPaidFromProduction):
    """The completion of a sandbox transfer takes the production token of its account."""

    group = "isolation"
    breaks = ("PAY-ENV-13",)

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Look at the account alone."""
        alike = operation == "complete_transfer" and access.account == owner.account
        return alike or PaymentsRules.sees(self, access, owner, operation)


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
