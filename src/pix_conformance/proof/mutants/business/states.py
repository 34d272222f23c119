"""Mutants of BUS-STATE: the states of a charge."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.responses import ChangesAnswers, Renames, in_answers, renamed
from pix_conformance.proof.mutants.operators.business.states import ActsThough, acting, credited, moved
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row

NEVER_PENDING = (
    "BUS-STATE-01 BUS-STATE-02 BUS-AUTH-10 BUS-AUTH-11 BUS-CHG-44 "
    "BUS-IDEM-03 BUS-ISO-03 BUS-ISO-05 BUS-LIST-02 BUS-PAY-10"
)
"""Everything that says of some charge that it is pending."""


class BodySetsColumns(BusinessRules):
    """A creation takes over members that are the service's to give."""

    columns: ClassVar[tuple[str, ...]] = ()

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Keep the body in sight."""
        self.__dict__["asked"] = body if isinstance(body, dict) else {}
        return super().read_charge(body)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Take over what was sent."""
        sent = self.__dict__["asked"]
        taken = {name: sent[name] for name in self.columns if isinstance(sent.get(name), str)}
        return super().new_charge(access, read) | taken


globals().update(
    family(__name__, "state", BodySetsColumns, {
        "BusBodySetsStatus": (
            "A creation that names a status makes the charge of that status.", "BUS-STATE-01", {"columns": ("status",)},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", Renames, {
        "BusPendingInCapitals": (
            "A pending charge is shown as PENDING.",
            NEVER_PENDING,
            renamed("pending", "PENDING"),
        ),
        "BusPendingIsActive": (
            "A pending charge is shown as active.",
            NEVER_PENDING,
            renamed("pending", "active"),
        ),
        "BusPaidIsApproved": (
            "A paid charge is shown as approved.", "BUS-STATE-02 BUS-PAY-01", renamed("paid", "approved"),
        ),
        "BusCanceledInBritish": (
            "A canceled charge is shown as cancelled.", "BUS-STATE-02 BUS-CAN-01", renamed("canceled", "cancelled"),
        ),
        "BusExpiredIsTimedOut": (
            "An expired charge is shown as timed_out.", "BUS-STATE-02 BUS-EXP-01", renamed("expired", "timed_out"),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "BusCreatedAsCreated": (
            "A creation answers a fifth status, created, that no query shows.",
            "BUS-STATE-01 BUS-STATE-02",
            in_answers("create_charge", "status", "created"),
        ),
        "BusCreatedAsPaid": (
            "A creation answers that the charge is paid.",
            "BUS-STATE-01 BUS-CHG-44 BUS-IDEM-05 BUS-LIST-07",
            in_answers("create_charge", "status", "paid"),
        ),
        "BusPaidIsSettled": (
            "A query shows a paid charge as settled; the list knows it as paid.",
            "BUS-STATE-02 BUS-PAY-01",
            in_answers("get_charge", "status", lambda status: "settled" if status == "paid" else status),
        ),
    })
)  # fmt: skip


class BusPaidExpires(BusinessRules):
    """A paid charge expires when its time has passed."""

    group = "time"
    breaks = ("BUS-STATE-03",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Look at the time only."""
        if charge["status"] == "paid" and self.is_overdue(charge):
            self.store.update("business_charge", {"status": "expired"}, id=charge["id"])
            return charge | {"status": "expired"}
        return super().seen(call, charge)


class ExpiresDone(BusinessRules):
    """Lets an operation find a charge expired that is in a final state already."""

    operation: ClassVar[str] = ""
    state: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Look at its time before its state."""
        row = super().owned(call)
        if call.operation == self.operation and row["status"] == self.state and self.is_overdue(row):
            self.store.update("business_charge", {"status": "expired"}, id=row["id"])
            return row | {"status": "expired"}
        return row


globals().update(
    family(__name__, "time", ExpiresDone, {
        "BusPaidExpiresOncePaidAgain": (
            "A second payment past its end makes a paid charge expired.",
            "BUS-STATE-03",
            {"operation": "pay_charge", "state": "paid"},
        ),
        "BusPaidExpiresOnceCanceled": (
            "A refused cancel past its end makes a paid charge expired.",
            "BUS-STATE-03",
            {"operation": "cancel_charge", "state": "paid"},
        ),
        "BusCanceledExpiresOncePaid": (
            "A payment past its end makes a canceled charge expired.",
            "BUS-STATE-04",
            {"operation": "pay_charge", "state": "canceled"},
        ),
    })
)  # fmt: skip


def refunded(rules: BusinessRules, charge: Row) -> None:
    """Post a payment back."""
    pair = ("merchant_available", DEBIT, charge["amount"]), ("psp_clearing", CREDIT, charge["amount"])
    rules.post(owner_of(charge), "refund.reversal", "canceled", *pair)


globals().update(
    family(__name__, "state", ActsThough, {
        "BusPaidIsUndone": (
            "The cancel of a paid charge is refused with 409, and yet the charge is canceled.",
            "BUS-STATE-03",
            acting("cancel_charge", "paid", lambda rules, row: moved(rules, row, "canceled")),
        ),
        "BusPaidIsReopened": (
            "A second payment is refused, and leaves the charge pending.",
            "BUS-STATE-03",
            acting("pay_charge", "paid", lambda rules, row: moved(rules, row, "pending")),
        ),
        "BusPaidIsRefunded": (
            "The cancel of a paid charge is refused, and its amount taken from the balance.",
            "BUS-STATE-03",
            {"operation": "cancel_charge", "states": ("paid",), "act": refunded},
        ),
        "BusCanceledIsPaidThough": (
            "The payment of a canceled charge is refused, and yet the charge is paid.",
            "BUS-STATE-04 BUS-STATE-07",
            acting("pay_charge", "canceled", lambda rules, row: moved(rules, row, "paid")),
        ),
        "BusCanceledIsReopened": (
            "A second cancel is refused with 409, and leaves the charge pending.",
            "BUS-STATE-04 BUS-CAN-05 BUS-EVT-19",
            acting("cancel_charge", "canceled", lambda rules, row: moved(rules, row, "pending")),
        ),
        "BusCanceledIsBooked": (
            "The payment of a canceled charge is refused, and booked in the ledger.",
            "BUS-STATE-04",
            acting("pay_charge", "canceled", lambda rules, row: rules.capture(row)),
        ),
        "BusCanceledIsCredited": (
            "The payment of a canceled charge is refused, and raises the balance.",
            "BUS-STATE-04",
            {"operation": "pay_charge", "states": ("canceled",), "act": credited},
        ),
    })
)  # fmt: skip


class BusPaidOnceSeen(BusinessRules):
    """A paid charge is pending again once a query has shown it."""

    group = "state"
    breaks = ("BUS-STATE-03",)

    async def get_charge(self, call: Call) -> Answer:
        """Write back what the charge was before."""
        answer = await super().get_charge(call)
        self.store.update("business_charge", {"status": "pending"}, id=call.params["id"], status="paid")
        return answer


class BusCanceledExpires(BusinessRules):
    """A canceled charge expires when its time has passed."""

    group = "time"
    breaks = ("BUS-STATE-04",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Look at the time only."""
        if charge["status"] == "canceled" and self.is_overdue(charge):
            self.store.update("business_charge", {"status": "expired"}, id=charge["id"])
            return charge | {"status": "expired"}
        return super().seen(call, charge)


class BusCancelTakesBalance(BusinessRules):
    """A cancel lowers the balance by the amount that was never paid, and posts nothing."""

    group = "state"
    breaks = ("BUS-STATE-04",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Give it away."""
        answer = await super().cancel_charge(call)
        key = {"book": self.book(call.access), "account_code": "merchant_available"}
        held = self.balance_of(call.access, "merchant_available")
        self.store.put("balance", key | {"amount": held - self.owned(call)["amount"]})
        return answer


class BusCapturedOnCreation(BusinessRules):
    """A charge is captured when it is created, not when it is paid."""

    group = "state"
    breaks = ("BUS-STATE-04",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Book it at once."""
        answer = super().open_charge(call, read)
        row = self.store.find("business_charge", id=answer.body["id"])
        if row:
            super().capture(row)
        return answer

    def capture(self, charge: Row) -> None:
        """Book nothing more."""


globals().update(
    family(__name__, "state", BusinessRules, {
        "BusCanceledIsPayable": (
            "A canceled charge can be paid.", "BUS-STATE-04", {"payable": ("pending", "canceled")},
        ),
    })
)  # fmt: skip


class BusCreditedOnCreation(BusinessRules):
    """The balance rises when a charge is created, and not when it is paid."""

    group = "state"
    breaks = ("BUS-STATE-04",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Credit it early."""
        row = super().new_charge(access, read)
        credited(self, row)
        return row

    def capture(self, charge: Row) -> None:
        """Post it, and take the credit back."""
        super().capture(charge)
        credited(self, charge, -1)
