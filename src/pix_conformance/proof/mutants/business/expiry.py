"""Expiry that comes too late, too early, at the wrong states, or is not kept."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row

GRACE_S, EARLY_S = 300, 30


def lives(change: Any) -> dict[str, Any]:
    """Members of a class that takes another life than a charge shows: a function of created_at and expires_at."""
    return {"is_overdue": lambda rules, row: rules.clock.now() >= change(row["created_at"], row["expires_at"])}


def shows(change: Any) -> dict[str, Any]:
    """Members of a class that gives a charge another life than was asked for: a function of the seconds."""

    def new_charge(rules: Any, access: Access, read: dict[str, Any]) -> Row:
        seconds = change(read["expires_in_seconds"])
        return BusinessRules.new_charge(rules, access, read | {"expires_in_seconds": seconds})

    return {"new_charge": new_charge}


globals().update(
    family(__name__, "time", BusinessRules, {
        "BusExpiresLate": (
            "A charge is expired five minutes after its expires_at.",
            "BUS-EXP-01 BUS-EXP-02",
            lives(lambda _, end: end + GRACE_S),
        ),
        "BusExpiresNever": (
            "No charge ever expires.", "BUS-EXP-01 BUS-EXP-02", lives(lambda _, end: end + (1 << 30)),
        ),
        "BusExpiresTwiceAsLate": (
            "A charge lives twice as long as it shows.",
            "BUS-EXP-01 BUS-EXP-02",
            lives(lambda begin, end: end + (end - begin)),
        ),
        "BusExpiresEarly": (
            "A charge is expired half a minute early.", "BUS-EXP-03", lives(lambda _, end: end - EARLY_S),
        ),
        "BusExpiresAtNineTenths": (
            "A charge is expired when nine tenths of its life are over.",
            "BUS-EXP-03",
            lives(lambda begin, end: begin + (end - begin) * 0.8),
        ),
        "BusExpiresByTheHour": (
            "Expiry counts from an hour later: the server's zone is off.",
            "BUS-EXP-01 BUS-EXP-02",
            lives(lambda _, end: end + 3600),
        ),
        "BusExpiryIgnored": (
            "Whatever expires_in_seconds says, a charge lives an hour.", "BUS-CHG-35", shows(lambda _: 3600),
        ),
        "BusExpiryInMinutes": (
            "The seconds are taken for minutes.", "BUS-CHG-34 BUS-CHG-35", shows(lambda seconds: seconds * 60),
        ),
        "BusExpiryTenSecondsOff": (
            "A charge lives ten seconds longer than was asked.",
            "BUS-CHG-34 BUS-CHG-35",
            shows(lambda seconds: seconds + 10),
        ),
        "BusExpiryCapped": (
            "A charge lives an hour at most.", "BUS-CHG-35", shows(lambda seconds: min(seconds, 3600)),
        ),
        "BusExpiryWholeMinutes": (
            "Of the life of a charge only whole minutes count.",
            "BUS-CHG-35",
            shows(lambda seconds: seconds // 60 * 60),
        ),
        "BusQueryDetectsNoExpiry": (
            "Only a confirmation detects an expiry, a query does not.",
            "BUS-EXP-01",
            {"detects_expiry": lambda _rules, operation: operation == "pay_charge"},
        ),
        "BusPaymentDetectsNoExpiry": (
            "Only a query detects an expiry; who pays first pays.",
            "BUS-EXP-02",
            {"detects_expiry": lambda _rules, operation: operation in {"get_charge", "list_charges"}},
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


class BusExpiryOnlyShown(BusinessRules):
    """A query shows an expiry without keeping it: list and cancel still find the charge pending."""

    group = "time"
    breaks = ("BUS-LIST-05", "BUS-CAN-06", "BUS-STATE-05", "BUS-LIST-07")

    def seen(self, call: Call, charge: Row) -> Row:
        """Change what is shown, not what is stored."""
        noticed = self.detects_expiry(call.operation) and charge["status"] == "pending" and self.is_overdue(charge)
        return charge | {"status": "expired"} if noticed else charge

    def expire_all(self, call: Call) -> None:
        """Notice nothing."""


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


class BusQueryProlongs(BusinessRules):
    """Each query of a pending charge has it live as long again as it was made for, whatever is shown."""

    group = "time"
    breaks = ("BUS-EXP-01",)
    seen_in = ("BUS-EXP-03",)
    ends: ClassVar[dict[str, float]] = {}

    def is_overdue(self, row: Row) -> bool:
        """Look at the end that its last query gave it."""
        end = self.ends.get(row["id"])
        return super().is_overdue(row) if end is None else self.clock.now() >= end

    def seen(self, call: Call, charge: Row) -> Row:
        """Count from now on."""
        found = super().seen(call, charge)
        if found["status"] == "pending" and call.operation == "get_charge":
            self.ends[charge["id"]] = self.clock.now() + charge["expires_at"] - charge["created_at"]
        return found
