"""Transitions that should not be, that are answered wrongly, or that have no effect."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import (
    ActsThough,
    AllowsInstead,
    ChangesAnswers,
    RefusesOtherwise,
    in_answers,
    moved,
    refusing,
)
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


def renamed(old: str, new: str) -> dict[str, Any]:
    """Members of a class that shows one status under another name, wherever charges are shown."""
    return {"old": old, "new": new}


class Renames(BusinessRules):
    """Shows one status under another name."""

    old: ClassVar[str] = ""
    new: ClassVar[str] = ""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the other name."""
        view = super().charge_view(call, charge)
        return view | {"status": self.new} if view["status"] == self.old else view


def acting(operation: str, status: str, act: Any) -> dict[str, Any]:
    """Members of a class that does something to a charge of a status while it refuses."""
    return {"operation": operation, "states": (status,), "act": act}


def renamed_again(rules: BusinessRules, charge: Row) -> None:
    """Give a paid charge another e2e_id."""
    rules.store.update("business_charge", rules.paid_changes(charge), id=charge["id"])


class Pays(BusinessRules):
    """Gives a payment another e2e_id: a function of the right one."""

    change: ClassVar[Any]

    def paid_changes(self, charge: Row) -> Row:
        """Change it."""
        changes = super().paid_changes(charge)
        return changes | {"end_to_end_id": self.change(changes["end_to_end_id"])}


NEVER_PENDING = (
    "BUS-STATE-01 BUS-STATE-02 BUS-AUTH-10 BUS-AUTH-11 BUS-CHG-44 "
    "BUS-IDEM-03 BUS-ISO-03 BUS-ISO-05 BUS-LIST-02 BUS-PAY-10"
)
"""Everything that says of some charge that it is pending."""


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
        "BusExpiredIsCanceled": (
            "An expired charge is shown as canceled.", "BUS-EXP-01", renamed("expired", "canceled"),
        ),
    }),
    **family(__name__, "state", ChangesAnswers, {
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
        "BusE2eMissing": (
            "A paid charge shows no e2e_id.",
            "BUS-PAY-11",
            in_answers("get_charge", "e2e_id", None),
        ),
        "BusE2eEmpty": (
            "The e2e_id of a paid charge is empty.",
            "BUS-PAY-11",
            in_answers("get_charge", "e2e_id", lambda text: text and ""),
        ),
    }),
    **family(__name__, "state", Pays, {
        "BusE2eUuid": (
            "The e2e_id of a payment is made of its digits only, without E.",
            "BUS-PAY-12",
            {"change": staticmethod(lambda text: text[1:])},
        ),
        "BusE2eOfTenMore": (
            "The e2e_id of a payment is one character short.",
            "BUS-PAY-12",
            {"change": staticmethod(lambda text: text[:-1])},
        ),
        "BusE2eConstant": (
            "All payments have one e2e_id.",
            "BUS-PAY-13",
            {"change": staticmethod(lambda _: f"E9999999920261121120{'0' * 13}")},
        ),
    }),
    **family(__name__, "state", BusinessRules, {
        "BusPaidIsCancelable": (
            "A paid charge can be canceled.",
            "BUS-CAN-04 BUS-STATE-03 BUS-STATE-07",
            {"cancelable": ("pending", "paid")},
        ),
        "BusCanceledIsCancelable": (
            "A canceled charge can be canceled again.", "BUS-CAN-05", {"cancelable": ("pending", "canceled")},
        ),
        "BusExpiredIsCancelable": (
            "An expired charge can be canceled.", "BUS-CAN-06 BUS-STATE-05", {"cancelable": ("pending", "expired")},
        ),
        "BusCanceledIsPayable": (
            "A canceled charge can be paid.", "BUS-STATE-04", {"payable": ("pending", "canceled")},
        ),
        "BusExpiredIsPayable": (
            "A charge can be paid after its expiry was detected.",
            "BUS-STATE-05 BUS-EXP-02",
            {"payable": ("pending", "expired")},
        ),
        "BusPaidIsPayable": (
            "A paid charge is captured again by each further payment.",
            "BUS-STATE-08 BUS-STATE-06 BUS-EVT-19 BUS-EVT-14",
            {"payable": ("pending", "paid")},
        ),
    }),
    **family(__name__, "state", AllowsInstead, {
        f"BusCancelOf{status.capitalize()}Is200": (
            f"The cancel of a charge that is {status} is answered with 200, and does nothing.",
            ids,
            {"operation": "cancel_charge", "states": (status,)},
        )
        for status, ids in {"paid": "BUS-CAN-04", "canceled": "BUS-CAN-05", "expired": "BUS-CAN-06"}.items()
    }),
    **family(__name__, "state", RefusesOtherwise, {
        f"BusCancelOf{status.capitalize()}Is{code}": (
            f"The cancel of a charge that is {status} is refused with {code}.",
            ids,
            refusing("state", "cancel_charge", code, lambda message, status=status: f"is {status}," in message),  # type: ignore[misc]  # a default binds the loop's value
        )
        for status, ids, code in (
            ("paid", "BUS-CAN-04", 400),
            ("paid", "BUS-CAN-04", 422),
            ("canceled", "BUS-CAN-05", 404),
            ("expired", "BUS-CAN-06", 410),
        )
    }),
    **family(__name__, "state", ActsThough, {
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
        "BusExpiredIsCanceledThough": (
            "The cancel of an expired charge is refused with 409, and yet the charge is canceled.",
            "BUS-STATE-05",
            acting("cancel_charge", "expired", lambda rules, row: moved(rules, row, "canceled")),
        ),
        "BusExpiredIsPaidThough": (
            "The payment of an expired charge is refused, and yet the charge is paid.",
            "BUS-STATE-05 BUS-EXP-02",
            acting("pay_charge", "expired", lambda rules, row: moved(rules, row, "paid")),
        ),
        "BusSecondPaymentBooked": (
            "A second payment is refused, and booked in the ledger.",
            "BUS-STATE-08 BUS-STATE-06",
            acting("pay_charge", "paid", lambda rules, row: rules.capture(row)),
        ),
        "BusSecondPaymentAnnounced": (
            "A second payment is refused, and announced by an event.",
            "BUS-STATE-08 BUS-STATE-06 BUS-EVT-19",
            acting("pay_charge", "paid", lambda rules, row: rules.emit("business.pix.paid", row)),
        ),
        "BusSecondPaymentRenamed": (
            "A second payment is refused, and gives the charge a new e2e_id.",
            "BUS-STATE-08 BUS-STATE-06",
            acting("pay_charge", "paid", renamed_again),
        ),
        "BusCanceledIsBooked": (
            "The payment of a canceled charge is refused, and booked in the ledger.",
            "BUS-STATE-04",
            acting("pay_charge", "canceled", lambda rules, row: rules.capture(row)),
        ),
    }),
    **family(__name__, "state", AllowsInstead, {
        "BusSecondPaymentIs200": (
            "A second payment is answered with 200 and a new e2e_id, which no query shows.",
            "BUS-STATE-08",
            {
                "operation": "pay_charge",
                "states": ("paid",),
                "charge_view": lambda rules, call, row: BusinessRules.charge_view(
                    rules, call, row | {"end_to_end_id": formats.end_to_end_id(rules.clock.now())}
                    if call.operation == "pay_charge" else row,
                ),
            },
        ),
    }),
)  # fmt: skip


class Unmoved(BusinessRules):
    """Answers a transition that it does not make."""

    operation: ClassVar[str] = ""
    status: ClassVar[str] = ""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Claim nothing where this status is asked for."""
        return changes["status"] == self.status or super().claim_charge(charge, changes)


globals().update(
    family(__name__, "state", Unmoved, {
        "BusCancelWithoutEffect": (
            "A cancel is answered with 200, and the charge stays pending.", "BUS-CAN-01", {"status": "canceled"},
        ),
        "BusPayWithoutEffect": (
            "A payment is answered with 200, booked and announced, and the charge stays pending.",
            "BUS-PAY-01",
            {"status": "paid"},
        ),
    })
)  # fmt: skip


class BusCancelExpires(BusinessRules):
    """A cancel makes the charge expired."""

    group = "state"
    breaks = ("BUS-CAN-01",)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Write another status than was asked for."""
        wrong = changes | {"status": "expired"} if changes["status"] == "canceled" else changes
        return super().claim_charge(charge, wrong)


class BusCancelDeletes(BusinessRules):
    """A cancel deletes the charge."""

    group = "state"
    breaks = ("BUS-CAN-01",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Delete it once it is canceled."""
        answer = await super().cancel_charge(call)
        self.store.delete("business_charge", id=call.params["id"])
        return answer


class BusCancelRefused(BusinessRules):
    """No charge can be canceled: every cancel is answered with 409."""

    group = "state"
    breaks = ("BUS-CAN-01",)
    cancelable = ()


class BusPayRefused(BusinessRules):
    """The sandbox refuses the simulation with 403, as if it were production."""

    group = "state"
    breaks = ("BUS-PAY-01",)

    async def pay_charge(self, call: Call) -> Answer:
        """Take every key for one of production."""
        del call
        raise Refusal("forbidden", "payment simulation is not available")


class BusPaidOnceSeen(BusinessRules):
    """A paid charge is pending again once a query has shown it."""

    group = "state"
    breaks = ("BUS-STATE-03",)

    async def get_charge(self, call: Call) -> Answer:
        """Write back what the charge was before."""
        answer = await super().get_charge(call)
        self.store.update("business_charge", {"status": "pending"}, id=call.params["id"], status="paid")
        return answer


class BusE2eOfMoment(BusinessRules):
    """Each query of a paid charge makes up an e2e_id."""

    group = "state"
    breaks = ("BUS-EVT-14",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Make it up."""
        view = super().charge_view(call, charge)
        made_up = {"e2e_id": formats.end_to_end_id(self.clock.now())}
        return view | made_up if call.operation == "get_charge" and charge["status"] == "paid" else view
