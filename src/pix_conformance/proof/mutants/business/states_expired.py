"""Mutants of BUS-STATE: a charge whose expiry was detected."""

from pix_conformance.proof.mutants.operators.business.states import ActsThough, acting, credited, moved
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row


class BusRepeatReopensExpired(BusinessRules):
    """A creation repeated once its charge has expired makes the charge pending for another hour."""

    group = "idempotency"
    breaks = ("BUS-STATE-05",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Open it again."""
        answer = super().replay(call, earlier)
        again = {"status": "pending", "expires_at": self.clock.now() + self.default_expiry}
        self.store.update("business_charge", again, id=answer.body["id"], status="expired")
        return answer


class BusExpiryForgotten(BusinessRules):
    """An expiry that a query has detected is forgotten by the next query."""

    group = "time"
    breaks = ("BUS-STATE-05",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Turn back what was expired, once it is asked for again."""
        if charge["status"] == "expired":
            self.store.update("business_charge", {"status": "pending"}, id=charge["id"])
            return charge | {"status": "pending"}
        return super().seen(call, charge)


class BusPaymentRevives(BusinessRules):
    """A payment attempt gives an expired charge another hour, and leaves it pending."""

    group = "time"
    breaks = ("BUS-STATE-05", "BUS-EXP-02")

    def may_pay(self, charge: Row) -> bool:
        """Refuse this one attempt only."""
        if charge["status"] == "expired":
            changes = {"status": "pending", "expires_at": self.clock.now() + 3600}
            self.store.update("business_charge", changes, id=charge["id"])
        return super().may_pay(charge)


class BusFoundExpiredCaptures(BusinessRules):
    """The query that finds a charge expired captures its amount."""

    group = "state"
    breaks = ("BUS-STATE-05",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Compare before and after."""
        found = super().seen(call, charge)
        if call.operation == "get_charge" and (charge["status"], found["status"]) == ("pending", "expired"):
            self.capture(charge)
        return found


globals().update(
    family(__name__, "state", BusinessRules, {
        "BusExpiredIsPayable": (
            "A charge can be paid after its expiry was detected.",
            "BUS-STATE-05 BUS-EXP-02",
            {"payable": ("pending", "expired")},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "state", ActsThough, {
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
        "BusExpiredIsCredited": (
            "The payment of an expired charge is refused, and raises the balance.",
            "BUS-STATE-05 BUS-EXP-02",
            {"operation": "pay_charge", "states": ("expired",), "act": credited},
        ),
    })
)  # fmt: skip
