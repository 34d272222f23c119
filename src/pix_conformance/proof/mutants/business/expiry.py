"""Mutants of BUS-EXP: expiry."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.responses import Renames, renamed
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

GRACE_S = 300
EARLY_S = 30


def lives(change: Any) -> dict[str, Any]:
    """Members of a class that takes another life than a charge shows: a function of created_at and expires_at."""
    return {"is_overdue": lambda rules, row: rules.clock.now() >= change(row["created_at"], row["expires_at"])}


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
        "BusExpiresByTheHour": (
            "Expiry counts from an hour later: the server's zone is off.",
            "BUS-EXP-01 BUS-EXP-02",
            lives(lambda _, end: end + 3600),
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
        "BusExpiresEarly": (
            "A charge is expired half a minute early.", "BUS-EXP-03", lives(lambda _, end: end - EARLY_S),
        ),
        "BusExpiresAtNineTenths": (
            "A charge is expired when nine tenths of its life are over.",
            "BUS-EXP-03",
            lives(lambda begin, end: begin + (end - begin) * 0.8),
        ),
    })
)  # fmt: skip


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


globals().update(
    family(__name__, "state", Renames, {
        "BusExpiredIsCanceled": (
            "An expired charge is shown as canceled.", "BUS-EXP-01", renamed("expired", "canceled"),
        ),
    })
)  # fmt: skip
