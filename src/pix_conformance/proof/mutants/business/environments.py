"""Mutants of BUS-ENV: sandbox and production."""

from typing import ClassVar

from pix_conformance.proof.mutants.operators.business.ownership import (
    OWNER,
    Credits,
    FindsOthers,
    Ledgers,
    ListsOthers,
    leaking,
    listing,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row


class BusLiveFinanceRefused(BusinessRules):
    """A production key is refused where the balance is read."""

    breaks = ("BUS-ENV-01",)
    group = "isolation"

    def authorize(self, call: Call) -> Access:
        """Know the sandbox only on that route."""
        access = super().authorize(call)
        if call.operation == "get_finance" and not access.is_sandbox:
            raise self.unauthorized("API key is not valid here")
        return access


def to_live(access: Access, owner: Access) -> bool:
    """Judge whether an object is the same account's in the sandbox, seen from production."""
    return access.account == owner.account and not access.is_sandbox and owner.is_sandbox


def to_sandbox(access: Access, owner: Access) -> bool:
    """Judge whether an object is the same account's in production, seen from the sandbox."""
    return to_live(owner, access)


globals().update(
    family(__name__, "isolation", FindsOthers, {
        "BusSandboxSeenLive": (
            "The production key shows charges of the sandbox.", "BUS-ENV-02", leaking("get_charge", to_live),
        ),
        "BusSandboxCanceledFromLive": (
            "The production key cancels charges of the sandbox.", "BUS-ENV-02", leaking("cancel_charge", to_live),
        ),
        "BusLiveSeenInSandbox": (
            "The sandbox key shows charges of production.", "BUS-ENV-03", leaking("get_charge", to_sandbox),
        ),
        "BusLiveCanceledFromSandbox": (
            "The sandbox key cancels charges of production.", "BUS-ENV-03", leaking("cancel_charge", to_sandbox),
        ),
        "BusLivePaidFromSandbox": (
            "The sandbox key pays charges of production.",
            "BUS-ENV-03, seen in BUS-PAY-15",
            leaking("pay_charge", to_sandbox),
        ),
    })
)  # fmt: skip


class BusLiveIsSandbox(BusinessRules):
    """The prefix of the key chooses nothing: production keys open the sandbox."""

    breaks = ("BUS-ENV-02", "BUS-ENV-03", "BUS-ENV-04", "BUS-ENV-05", "BUS-PAY-09", "BUS-PAY-10")
    group = "isolation"

    def find_key(self, key: str) -> Access | None:
        """Open the sandbox whatever the key."""
        found = super().find_key(key)
        return found and Access(found.account, OWNER.environment)


class MeetsAcross(BusinessRules):
    """Lets a route of one environment find the charges of the other that are in one state."""

    operation: ClassVar[str] = "get_charge"
    environment: ClassVar[str] = ""
    state: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Leave the environment out."""
        row = self.store.find("business_charge", id=call.params["id"], account=call.access.account, status=self.state)
        here = call.operation == self.operation and call.access.environment == self.environment
        return row if here and row is not None else super().owned(call)


globals().update(
    family(__name__, "isolation", MeetsAcross, {
        "BusSandboxPaidSeenLive": (
            "A query of production finds the paid charges of the sandbox.",
            "BUS-ENV-02",
            {"environment": "production", "state": "paid"},
        ),
        "BusSandboxCanceledSeenLive": (
            "A query of production finds the canceled charges of the sandbox.",
            "BUS-ENV-02",
            {"environment": "production", "state": "canceled"},
        ),
        "BusSandboxPaidKnownToCancelLive": (
            "A cancel of production is told that a charge of the sandbox is paid.",
            "BUS-ENV-02",
            {"operation": "cancel_charge", "environment": "production", "state": "paid"},
        ),
        "BusLivePendingSeenInSandbox": (
            "A query of the sandbox finds the pending charges of production.",
            "BUS-ENV-03",
            {"environment": "sandbox", "state": "pending"},
        ),
    })
)  # fmt: skip


class BusKeysOfBothEnvironments(BusinessRules):
    """Idempotency keys are common to sandbox and production: in one the charge of the other is handed out."""

    group = "isolation"
    breaks = ("BUS-ENV-02",)

    def idempotency_scope(self, call: Call) -> str:
        """Leave the environment out."""
        return f"{call.operation}/{call.access.account}"


globals().update(
    family(__name__, "isolation", ListsOthers, {
        "BusListOfBothEnvironments": (
            "The list holds the account's charges of both environments.",
            "BUS-ENV-04",
            listing(lambda access, owner, _: access.account == owner.account),
        ),
        "BusLiveListOfSandbox": (
            "The list of production holds the charges of the sandbox too.",
            "BUS-ENV-04",
            listing(lambda access, owner, _: to_live(access, owner)),
        ),
        "BusSandboxListOfLive": (
            "The list of the sandbox holds the charges of production too.",
            "BUS-ENV-04",
            listing(lambda access, owner, _: to_sandbox(access, owner)),
        ),
    })
)  # fmt: skip


class BusSandboxListsPendingOfLive(BusinessRules):
    """The list of pending sandbox charges holds those of production too."""

    group = "isolation"
    breaks = ("BUS-ENV-04",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Leave the environment out."""
        if not access.is_sandbox or status != "pending":
            return super().listed(access, status)
        where = {"account": access.account, "status": status}
        return self.store.rows("business_charge", self.list_order(), self.list_limit, **where)


class MixesFiltered(BusinessRules):
    """Has a filtered list of one environment hold the charges of the other too."""

    environment: ClassVar[str] = ""

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Leave the environment out."""
        if status is None or access.environment != self.environment:
            return super().listed(access, status)
        both = {"account": access.account, "status": status}
        return self.store.rows("business_charge", self.list_order(), self.list_limit, **both)


globals().update(
    family(__name__, "isolation", MixesFiltered, {
        "BusFilteredLiveListOfSandbox": (
            "A filtered list of production holds the charges of the sandbox too.",
            "BUS-ENV-04",
            {"environment": "production"},
        ),
        "BusFilteredSandboxListOfLive": (
            "A filtered list of the sandbox holds the charges of production too.",
            "BUS-ENV-04",
            {"environment": "sandbox"},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "isolation", Ledgers, {
        "BusLedgerOfBothEnvironments": (
            "Sandbox and production of an account share one ledger.",
            "BUS-ENV-05",
            {"name": staticmethod(lambda access: access.account)},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "isolation", Credits, {
        "BusLiveCredit": (
            "A simulated payment raises the production balance as well.",
            "BUS-ENV-05",
            {"receives": Access("merchant-a", "production")},
        ),
    })
)  # fmt: skip


class BusLivePayCaptures(BusinessRules):
    """A simulation that is refused in production is captured there."""

    group = "isolation"
    breaks = ("BUS-ENV-05",)

    async def pay_charge(self, call: Call) -> Answer:
        """Capture before the refusal."""
        row = self.owned(call)
        if not call.access.is_sandbox and row["status"] == "pending":
            self.capture(row)
        return await super().pay_charge(call)
