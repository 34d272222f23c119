"""What neighbours meet: charges of another account in one state, and balances that take part."""

from typing import ClassVar

from pix_conformance.proof.mutants.business.isolation import other_account
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row


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
        "BusForeignCanceledCancelTold": (
            "Canceling the canceled charge of another account is refused for its state.",
            "BUS-ISO-02",
            {"state": "canceled", "operation": "cancel_charge"},
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


class Credits(BusinessRules):
    """Adds what was paid to the balance of another access too, and posts nothing there."""

    receives: ClassVar[Access]

    def capture(self, charge: Row) -> None:
        """Credit both."""
        super().capture(charge)
        if owner_of(charge) == Access("merchant-a", "sandbox"):
            key = {"book": self.book(self.receives), "account_code": "merchant_available"}
            held = self.balance_of(self.receives, "merchant_available")
            self.store.put("balance", key | {"amount": held + charge["amount"]})


globals().update(
    family(__name__, "isolation", Credits, {
        "BusForeignCredit": (
            "A payment raises the balance of another account as well.",
            "BUS-ISO-07",
            {"receives": Access("merchant-b", "sandbox")},
        ),
        "BusLiveCredit": (
            "A simulated payment raises the production balance as well.",
            "BUS-ENV-05",
            {"receives": Access("merchant-a", "production")},
        ),
    })
)  # fmt: skip


class BusLivePayAnnounced(BusinessRules):
    """A simulation that is refused in production is announced as a payment."""

    group = "events"
    breaks = ("BUS-EVT-19",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Send the events of production payments too."""
        return super().should_emit(event, row) or event == "business.pix.paid"

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Announce it."""
        if call.operation == "pay_charge" and refusal.kind == "forbidden":
            with self.store.transaction():
                self.emit("business.pix.paid", self.owned(call))
        return super().refused(call, refusal)
