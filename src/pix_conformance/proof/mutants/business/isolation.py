"""Mutants of BUS-ISO: isolation of accounts."""

from typing import ClassVar

from pix_conformance.proof.mutants.operators.business.ownership import (
    Credits,
    FindsOthers,
    Ledgers,
    ListsOthers,
    leaking,
    listing,
)
from pix_conformance.proof.mutants.operators.business.refusals import MissingIs, missing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row


def other_account(access: Access, owner: Access) -> bool:
    """Judge whether an object is another account's, in the same environment."""
    return access.account != owner.account and access.environment == owner.environment


globals().update(
    family(__name__, "isolation", FindsOthers, {
        "BusQueryOfOthers": (
            "A query shows the charge of another account.", "BUS-ISO-01", leaking("get_charge", other_account),
        ),
        "BusCancelOfOthers": (
            "A charge of another account can be canceled.",
            "BUS-ISO-02 BUS-ISO-03",
            leaking("cancel_charge", other_account),
        ),
        "BusPayOfOthers": (
            "A charge of another account can be paid.", "BUS-ISO-04 BUS-ISO-05", leaking("pay_charge", other_account),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "isolation", MissingIs, {
        "BusQueryOfForeignIs403": (
            "The operation get_charge answers 403 for a charge that is another account's.",
            "BUS-ISO-01 BUS-ENV-02 BUS-ENV-03",
            missing("get_charge", 403, foreign=True),
        ),
        "BusCancelOfForeignIs403": (
            "The operation cancel_charge answers 403 for a charge that is another account's.",
            "BUS-ISO-02",
            missing("cancel_charge", 403, foreign=True),
        ),
        "BusCancelOfForeignIs409": (
            "A cancel answers 409 for a charge of another account.",
            "BUS-ISO-02",
            missing("cancel_charge", 409, foreign=True),
        ),
        "BusPayOfForeignIs403": (
            "The operation pay_charge answers 403 for a charge that is another account's.",
            "BUS-ISO-04",
            missing("pay_charge", 403, foreign=True),
        ),
        "BusPayOfForeignIs200": (
            "A payment answers 200 for a charge of another account, and does nothing.",
            "BUS-ISO-04",
            missing("pay_charge", 200, foreign=True),
        ),
    })
)  # fmt: skip


class OfAState(BusinessRules):
    """Lets another account meet charges in one state: in queries, in lists, or by the refusal of an operation."""

    state: ClassVar[str] = ""
    operation: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Find a foreign charge for the query, and judge its state for the others."""
        row = self.store.find("business_charge", id=call.params["id"])
        met = row is not None and row["status"] == self.state and other_account(call.access, owner_of(row))
        if row is None or not met or call.operation != self.operation:
            return super().owned(call)
        if call.operation != "get_charge":
            raise Refusal("state", f"charge is {row['status']}, not pending")
        return row

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """List the foreign ones too."""
        own = super().listed(access, status)
        if self.operation != "list_charges" or status not in {None, self.state}:
            return own
        found = self.store.rows("business_charge", status=self.state)
        theirs = [row for row in found if other_account(access, owner_of(row))]
        return sorted([*own, *theirs], key=lambda row: row["created_at"], reverse=True)[: self.list_limit]


globals().update(
    family(__name__, "isolation", OfAState, {
        "BusForeignPaidShown": (
            "A query finds the paid charge of another account.",
            "BUS-ISO-01",
            {"state": "paid", "operation": "get_charge"},
        ),
        "BusForeignExpiredShown": (
            "A query finds the expired charge of another account.",
            "BUS-ISO-01",
            {"state": "expired", "operation": "get_charge"},
        ),
        "BusForeignCanceledCancelTold": (
            "Canceling the canceled charge of another account is refused for its state.",
            "BUS-ISO-02",
            {"state": "canceled", "operation": "cancel_charge"},
        ),
        "BusForeignExpiredCancelTold": (
            "Canceling the expired charge of another account is refused for its state.",
            "BUS-ISO-02",
            {"state": "expired", "operation": "cancel_charge"},
        ),
        "BusForeignPaidPayTold": (
            "Paying the paid charge of another account is refused for its state.",
            "BUS-ISO-04",
            {"state": "paid", "operation": "pay_charge"},
        ),
        "BusForeignExpiredListed": (
            "The list of the expired holds those of another account.",
            "BUS-ISO-06",
            {"state": "expired", "operation": "list_charges"},
        ),
        "BusForeignCanceledListed": (
            "The list holds the canceled charges of another account.",
            "BUS-ISO-06",
            {"state": "canceled", "operation": "list_charges"},
        ),
    })
)  # fmt: skip


class Trespasses(BusinessRules):
    """Reports another's charge as missing, and yet does what was asked."""

    operation: ClassVar[str] = ""
    status: ClassVar[str] = ""

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Do it."""
        if refusal.kind == "missing" and call.operation == self.operation:
            self.store.update("business_charge", {"status": self.status}, id=call.params["id"], status="pending")
        return super().refused(call, refusal)


globals().update(
    family(__name__, "isolation", Trespasses, {
        "BusForeignIsCanceledThough": (
            "A cancel of another account's charge is answered with 404, and the charge is canceled.",
            "BUS-ISO-03",
            {"operation": "cancel_charge", "status": "canceled"},
        ),
        "BusForeignIsPaidThough": (
            "A payment of another account's charge is answered with 404, and the charge is paid.",
            "BUS-ISO-05",
            {"operation": "pay_charge", "status": "paid"},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "isolation", ListsOthers, {
        "BusListOfAllAccounts": (
            "The list holds charges of every account.",
            "BUS-ISO-06",
            listing(lambda access, owner, _: other_account(access, owner)),
        ),
        "BusFilteredListOfAllAccounts": (
            "A list with a filter holds charges of every account.",
            "BUS-ISO-06",
            listing(lambda access, owner, status: bool(status) and other_account(access, owner)),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "isolation", Ledgers, {
        "BusLedgerOfAllAccounts": (
            "All accounts share one ledger.",
            "BUS-ISO-07",
            {"name": staticmethod(lambda access: access.environment)},
        ),
    })
)  # fmt: skip


class BusForeignPayCaptures(BusinessRules):
    """A payment of another account's pending charge is not found, and captured for its owner."""

    group = "isolation"
    breaks = ("BUS-ISO-07",)

    def not_found(self, call: Call) -> Refusal:
        """Capture before the refusal."""
        row = self.store.find("business_charge", id=call.params["id"])
        if call.operation == "pay_charge" and row is not None and row["status"] == "pending":
            self.capture(row)
        return super().not_found(call)


class BusLedgerAfterLimit(BusinessRules):
    """A ledger shows what is the caller's among the last 50 postings of all accounts."""

    group = "isolation"
    breaks = ("BUS-ISO-07",)

    def postings(self, access: Access, limit: int) -> list[Row]:
        """Choose among those."""
        found = self.store.rows("posting", "seq DESC", limit)
        own = [row for row in found if row["book"] == self.book(access)]
        return [row | {"entries": self.store.rows("entry", posting=row["id"])} for row in own]


globals().update(
    family(__name__, "isolation", Credits, {
        "BusForeignCredit": (
            "A payment raises the balance of another account as well.",
            "BUS-ISO-07",
            {"receives": Access("merchant-b", "sandbox")},
        ),
    })
)  # fmt: skip


class BusKeysShared(BusinessRules):
    """Idempotency keys are common to all accounts: another's key gives another's charge."""

    breaks = ("BUS-ISO-08",)
    group = "isolation"

    def idempotency_scope(self, call: Call) -> str:
        """Leave the account out."""
        return f"{call.operation}/{call.access.environment}"
