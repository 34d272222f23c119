"""Mutants of BUS-EVT, events: whether they are sent, and why."""

from typing import Any

from pix_conformance.proof.difference import mutant
from pix_conformance.proof.mutants.guards import (
    ANOTHER_OF_LABEL,
    DESCRIBED,
    UNLABELLED,
    WITH_EMAIL,
    WITHOUT_KEY,
    amount_below,
    amount_from,
    in_status,
)
from pix_conformance.proof.mutants.operators.events import (
    invents,
    no_event,
    sends_again,
    sends_though_refused,
)
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

GROUP = "events"
CREATED, PAID, CANCELED = "business.pix.created", "business.pix.paid", "business.pix.canceled"


def charge_of(rules: Any, call: Call) -> Row | None:
    found: Row | None = rules.store.find("business_charge", id=call.params["id"])
    return found


MUTANTS = {
    "BUS-EVT-01": {
        "none-of-creation": no_event(CREATED),
        "none-of-unlabelled": no_event(CREATED).when(UNLABELLED),
        "none-of-second-of-label": no_event(CREATED).when(ANOTHER_OF_LABEL),
    },
    "BUS-EVT-02": {
        "none-of-payment": no_event(PAID),
        "none-of-second-of-label": no_event(PAID).when(ANOTHER_OF_LABEL),
        "none-of-small": no_event(PAID).when(amount_below(100)),
        "none-of-10000": no_event(PAID).when(amount_from(10_000_01)),
        "none-with-email": no_event(PAID).when(WITH_EMAIL),
        "none-of-unlabelled": no_event(PAID).when(UNLABELLED),
    },
    "BUS-EVT-03": {
        "none-of-unlabelled": no_event(CANCELED).when(UNLABELLED),
        "none-of-described": no_event(CANCELED).when(DESCRIBED),
    },
    "BUS-EVT-19": {
        "cancel-of-expired": sends_though_refused(CANCELED, "cancel_charge", "state", charge_of)
            .when(in_status("expired")),
        "pay-of-expired": sends_though_refused(PAID, "pay_charge", "state", charge_of).when(in_status("expired")),
        "two-of-a-creation-without-key": sends_again(CREATED, "create_charge").when(WITHOUT_KEY),
    },
    "BUS-EVT-27": {
        "created-of-no-charge": invents(CREATED, external_ref="order-1001").seen_in("BUS-LIST-09", "BUS-EVT-01"),
    },
}  # fmt: skip


@mutant("BUS-EVT-01/fifteenth-is-lost", seen_in=("BUS-PAY-01",))
class FifteenthIsLost(BusinessRules):
    """Every fifteenth event is never sent, of whatever kind it is."""

    events = 0

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        self.events += 1
        if self.events % 15:
            super().send_event(url, payload)


@mutant("BUS-EVT-03/none-once-queried")
class NoneOnceQueried(BusinessRules):
    """No business.pix.canceled is sent, if the charge was queried before."""

    async def get_charge(self, call: Call) -> Answer:
        self.__dict__.setdefault("queried", set()).add(call.params["id"])
        return await super().get_charge(call)

    def should_emit(self, event: str, row: Row) -> bool:
        queried = row["id"] in self.__dict__.get("queried", ())
        return not (event == CANCELED and queried) and super().should_emit(event, row)


@mutant("BUS-EVT-19/label-that-is-too-long")
class LabelThatIsTooLong(BusinessRules):
    """A creation that is refused for the length of its external_ref sends an event with the beginning of it."""

    def judge_external_ref(self, value: str) -> str | None:
        complaint = super().judge_external_ref(value)
        if complaint:
            owner = {"account": "merchant-a", "environment": "sandbox"}
            self.emit(CREATED, owner | {"amount": 1_000, "end_to_end_id": None, "external_ref": value[:120]})
        return complaint


@mutant("BUS-EVT-19/pay-in-production")
class PayInProduction(BusinessRules):
    """A simulation that is refused in production sends a paid event."""

    def should_emit(self, event: str, row: Row) -> bool:
        return super().should_emit(event, row) or event == PAID

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        if call.operation == "pay_charge" and refusal.kind == "forbidden":
            with self.store.transaction():
                self.emit(PAID, self.owned(call))
        return super().refused(call, refusal)
