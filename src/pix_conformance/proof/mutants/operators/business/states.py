"""Changes the state of a charge where it must not, or leaves it as it is."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.responses import SUCCESS
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

WINDOW_S = 0.3


def acting(operation: str, status: str, act: Any) -> dict[str, Any]:
    """Members of a class that does something to a charge of a status while it refuses."""
    return {"operation": operation, "states": (status,), "act": act}


class Unmoved(BusinessRules):
    """Answers a transition that it does not make."""

    operation: ClassVar[str] = ""
    status: ClassVar[str] = ""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Claim nothing where this status is asked for."""
        return changes["status"] == self.status or super().claim_charge(charge, changes)


def credited(rules: BusinessRules, charge: Row, share: int = 1) -> None:
    """Raise the balance by the amount of a charge, and post nothing."""
    key = {"book": rules.book(owner_of(charge)), "account_code": "merchant_available"}
    held = rules.balance_of(owner_of(charge), "merchant_available")
    rules.store.put("balance", key | {"amount": held + share * charge["amount"]})


class ActsThough(BusinessRules):
    """Refuses an operation on a charge in one of some states, and yet does something to the charge."""

    operation: ClassVar[str] = ""
    states: ClassVar[tuple[str, ...]] = ()
    act: ClassVar[Any]

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Do it once the refusal is certain."""
        if call.operation == self.operation and refusal.kind == "state":
            row = self.store.find("business_charge", id=call.params["id"])
            if row and row["status"] in self.states:
                self.act(row)
        return super().refused(call, refusal)


class AllowsInstead(BusinessRules):
    """Answers an operation that it should refuse as if it had been done, without doing it."""

    operation: ClassVar[str] = ""
    states: ClassVar[tuple[str, ...]] = ()

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Show the charge as it is."""
        if call.operation == self.operation and refusal.kind == "state":
            row = self.store.find("business_charge", id=call.params["id"])
            if row and row["status"] in self.states:
                return Answer(SUCCESS, self.charge_view(call, row))
        return super().refused(call, refusal)


def moved(rules: BusinessRules, charge: Row, status: str) -> None:
    """Put a charge into a state, whatever it was."""
    rules.store.update("business_charge", {"status": status}, id=charge["id"])
