"""Mutants of BUS-EXP, expiry."""

from collections.abc import Callable
from functools import cached_property

from pix_conformance.proof.difference import Difference, mutant, setting
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

GROUP = "time"


def ends(sentence: str, end: Callable[[float, float], float]) -> Difference:
    """Expire charges at another time than they show: a function of created_at and expires_at."""
    return setting(sentence, is_overdue=lambda rules, charge: (
        rules.clock.now() >= end(charge["created_at"], charge["expires_at"])))  # fmt: skip


MUTANTS = {
    "BUS-EXP-02": {"not-by-a-pay": setting(
            "A pay does not detect the expiry of a charge, a query does.",
            detects_expiry=lambda _, operation: operation in {"get_charge", "list_charges"})},
    "BUS-EXP-03": {
        "half-a-minute-early": ends("A charge expires 30 s before its expires_at.", lambda _, end: end - 30),
    },
}  # fmt: skip


@mutant("BUS-EXP-01/prolonged-by-queries", seen_in=("BUS-EXP-03",))
class ProlongedByQueries(BusinessRules):
    """A query of a pending charge prolongs its life by its whole length."""

    @cached_property
    def _ends(self) -> dict[str, float]:
        return {}

    def is_overdue(self, charge: Row) -> bool:
        end: float = self._ends.get(charge["id"]) or charge["expires_at"]
        return self.clock.now() >= end

    def expire_if_overdue(self, call: Call, charge: Row) -> Row:
        found = super().expire_if_overdue(call, charge)
        if found["status"] == "pending" and call.operation == "get_charge":
            self._ends[charge["id"]] = self.clock.now() + charge["expires_at"] - charge["created_at"]
        return found
