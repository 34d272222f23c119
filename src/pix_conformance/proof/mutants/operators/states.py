"""Operators of states, for both APIs: a transition that is not made, or made although it is refused."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.mutants.operators.either_api import EitherApi
from pix_conformance.proof.situation import Situation
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

GROUP = "state"


class ActsThoughRefused(EitherApi):
    """Does something to an object, and refuses."""

    operation: ClassVar[str]
    kind: ClassVar[str]
    act: ClassVar[Any]

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        if call.operation == self.operation and refusal.kind == self.kind:
            found = self.act(self, Situation(self, (call,)).row)
            if isinstance(found, Answer):
                return found
        return super().refused(call, refusal)


def acts_though_refused(sentence: str, operation: str, kind: str, act: Callable[[Any, Row], object]) -> Difference:
    """Do something to the charge or transfer of a refused operation; what `act` returns is the answer, if it is one.

    Guards choose the objects: `.when(in_status("paid"))`.
    """
    return Difference(
        sentence, ActsThoughRefused, {"operation": operation, "kind": kind, "act": staticmethod(act)}, GROUP
    )


class MakesNoTransition(EitherApi):
    """Answers as if a charge had another status, and leaves it as it is."""

    status: ClassVar[str]

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        return changes["status"] == self.status or super().claim_charge(charge, changes)


def no_transition_to(status: str) -> Difference:
    """Answer the transition of a charge to a status without making it."""
    return Difference(
        f"A charge does not become {status}, though the response says so.", MakesNoTransition, {"status": status}, GROUP
    )


class ShowsOtherStatus(EitherApi):
    """Shows one status of a charge under another name."""

    right: ClassVar[str]
    wrong: ClassVar[str]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        view = super().charge_view(call, charge)
        return view | {"status": self.wrong} if view["status"] == self.right else view


def shows_status(right: str, wrong: str) -> Difference:
    """Show the charges of one status with another one."""
    return Difference(
        f"A charge that is {right} is shown as {wrong}.", ShowsOtherStatus, {"right": right, "wrong": wrong}, GROUP
    )
