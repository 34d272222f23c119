"""What goes wrong late: shortly before the end of a life, after it, or when many charges are newer."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

MARGIN_S, KEPT = 30, 200


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


class RefusesNearEnd(BusinessRules):
    """Refuses an operation in the last half minute of a life."""

    operation: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Look at the time that is left."""
        row = super().owned(call)
        late = self.clock.now() > row["expires_at"] - MARGIN_S
        if call.operation == self.operation and row["status"] == "pending" and late:
            raise Refusal("state", "charge is about to expire")
        return row


class ListsStates(BusinessRules):
    """Shows another status in some lists."""

    shows: ClassVar[Any]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Change it there."""
        view = super().charge_view(call, charge)
        if call.operation == "list_charges":
            view["status"] = self.shows(self, call, charge)
        return view


def showing(shows: Any) -> dict[str, Any]:
    """Members of a class that lists a status of its own."""
    return {"shows": staticmethod(shows)}


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
    }),
    **family(__name__, "time", RefusesNearEnd, {
        "BusPayEndsEarly": (
            "A charge cannot be paid in the last half minute of its life.",
            "BUS-PAY-01",
            {"operation": "pay_charge"},
        ),
        "BusCancelEndsEarly": (
            "A charge cannot be canceled in the last half minute of its life.",
            "BUS-CAN-01",
            {"operation": "cancel_charge"},
        ),
    }),
    **family(__name__, "state", ListsStates, {
        "BusDoneListedAsExpired": (
            "A list shows whatever is past its expires_at as expired, also what is paid or canceled.",
            "BUS-LIST-02",
            showing(lambda rules, _, row: "expired" if rules.is_overdue(row) else row["status"]),
        ),
        "BusExpiredListedAsPending": (
            "A list without filter shows what is expired as pending.",
            "BUS-LIST-07",
            showing(lambda _, call, row: (
                "pending" if row["status"] == "expired" and not call.query.get("status") else row["status"]
            )),
        ),
    })
)  # fmt: skip


class BusFilterAfterLimit(BusinessRules):
    """A filtered list holds what has the status among the newest 200 of all."""

    group = "limits"
    breaks = ("BUS-LIST-15",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among those."""
        return [row for row in super().listed(access, None) if status in {None, row["status"]}]


class BusAccountAfterLimit(BusinessRules):
    """A list holds what is the caller's among the newest 200 of all accounts."""

    group = "limits"
    breaks = ("BUS-LIST-07",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among those."""
        where = {} if status is None else {"status": status}
        found = self.store.rows("business_charge", self.list_order(), self.list_limit, **where)
        return [row for row in found if owner_of(row) == access]


class BusOldForgotten(BusinessRules):
    """Of an account the newest 200 charges are kept."""

    group = "limits"
    breaks = ("BUS-CHG-64", "BUS-LIST-15")

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Delete what is older."""
        answer = super().open_charge(call, read)
        where = {"account": call.access.account, "environment": call.access.environment}
        for row in self.store.rows("business_charge", self.list_order(), -1, **where)[KEPT:]:
            self.store.delete("business_charge", id=row["id"])
        return answer
