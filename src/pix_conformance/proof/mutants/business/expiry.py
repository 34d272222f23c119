"""Mutants of BUS-EXP, expiry."""

from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import in_status, on
from pix_conformance.proof.mutants.operators.states import becomes, capture_if_expired
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

GROUP = "time"


def cancel_instead(rules: Any, found: Row, call: Call, charge: Row) -> Row:
    if call.operation == "pay_charge" and (charge["status"], found["status"]) == ("pending", "expired"):
        becomes("canceled")(rules, charge)
        return charge | {"status": "canceled"}
    return found


MUTANTS = {
    "BUS-EXP-02": {"not-by-a-pay": setting(
            "A pay does not detect the expiry of a charge, a query does.",
            detects_expiry=lambda _, operation: operation in {"get_charge", "list_charges"})},
    "BUS-EXP-06": {"canceled-by-late-pay": changes_result(
            "A pay after the expiry of a charge, which no request has noticed, cancels it.",
            expire_if_overdue=cancel_instead)},
    "BUS-EXP-07": {"posted-by-late-pay": changes_result(
            "The pay that detects the expiry of a charge posts its payment.", expire_if_overdue=capture_if_expired)
            .when(on("pay_charge"), in_status("pending"))},
    "BUS-EXP-03": {"half-a-minute-early": setting(
            "A charge expires 30 s before its expires_at.",
            is_overdue=lambda rules, charge: rules.clock.now() >= charge["expires_at"] - 30)},
}  # fmt: skip


@mutant("BUS-EXP-01/prolonged-by-queries", seen_in=("BUS-EXP-03",))
class ProlongedByQueries(BusinessRules):
    """A query of a pending charge prolongs its life by its whole length."""

    def is_overdue(self, charge: Row) -> bool:
        return self.clock.now() >= float(self.__dict__.get(f"end of {charge['id']}") or charge["expires_at"])

    def expire_if_overdue(self, call: Call, charge: Row) -> Row:
        found = super().expire_if_overdue(call, charge)
        if found["status"] == "pending" and call.operation == "get_charge":
            life = charge["expires_at"] - charge["created_at"]
            self.__dict__[f"end of {charge['id']}"] = self.clock.now() + life
        return found
