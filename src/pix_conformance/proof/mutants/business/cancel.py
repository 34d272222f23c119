"""Mutants of BUS-CAN, cancellation."""

import asyncio
from typing import Any

from pix_conformance.proof.difference import mutant, setting
from pix_conformance.proof.mutants.guards import DESCRIBED, IN_PRODUCTION, OF_UNKNOWN_CHARGE, in_status, near_expiry
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_long
from pix_conformance.proof.mutants.operators.refusals import refused, refuses_operation
from pix_conformance.proof.mutants.operators.states import acts_though_refused, no_transition_to
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row

GROUP = "state"


def as_it_is(rules: Any, charge: Row) -> Answer:
    return Answer(200, rules.charge_view(None, charge))


MUTANTS = {
    "BUS-CAN-01": {
        "never": refuses_operation("cancel_charge"),
        "not-with-description": refuses_operation("cancel_charge").when(DESCRIBED),
        "not-in-last-30-s": refuses_operation("cancel_charge").when(near_expiry(30)).of("time"),
        "not-in-production": refuses_operation("cancel_charge", "forbidden").when(IN_PRODUCTION).of("isolation"),
        "without-effect": no_transition_to("canceled"),
    },
    "BUS-CAN-04": {
        "paid-is-cancelable": setting("A paid charge can be canceled.", cancelable=("pending", "paid"))
            .also("BUS-STATE-03", "BUS-STATE-07"),
        "of-paid-returns-200": acts_though_refused(
            "A cancel returns 200 and does nothing.", "cancel_charge", "state", as_it_is).when(in_status("paid")),
        "of-paid-returns-400": refused("state", "cancel_charge", status=400).when(in_status("paid")),
        "of-paid-returns-422": refused("state", "cancel_charge", status=422).when(in_status("paid")),
    },
    "BUS-CAN-05": {
        "canceled-is-cancelable": setting("A canceled charge can be canceled.", cancelable=("pending", "canceled")),
        "of-canceled-returns-200": acts_though_refused(
            "A cancel returns 200 and does nothing.", "cancel_charge", "state", as_it_is).when(in_status("canceled")),
        "of-canceled-returns-200-in-production": acts_though_refused(
            "A cancel returns 200 and does nothing.", "cancel_charge", "state", as_it_is)
            .when(in_status("canceled"), IN_PRODUCTION).of("isolation"),
        "of-canceled-returns-404": refused("state", "cancel_charge", status=404).when(in_status("canceled")),
    },
    "BUS-CAN-06": {
        "expired-is-cancelable": setting("An expired charge can be canceled.", cancelable=("pending", "expired"))
            .also("BUS-STATE-05"),
        "of-expired-returns-200": acts_though_refused(
            "A cancel returns 200 and does nothing.", "cancel_charge", "state", as_it_is).when(in_status("expired")),
        "of-expired-returns-410": refused("state", "cancel_charge", status=410).when(in_status("expired")),
    },
    "BUS-CAN-08": {
        "of-unknown-returns-409": refused("missing", "cancel_charge", status=409).when(OF_UNKNOWN_CHARGE)
            .of("isolation"),
        "of-unknown-returns-200": refused("missing", "cancel_charge", status=200).when(OF_UNKNOWN_CHARGE)
            .of("isolation"),
    },
    "BUS-CAN-15": {
        "long-id-returns-500": answers_ids("cancel_charge", is_long).also("BUS-GEN-03")
            .says("A cancel by an id of more than 100 characters returns 500."),
    },
}  # fmt: skip


@mutant("BUS-CAN-01/makes-expired")
class MakesExpired(BusinessRules):
    """A cancel makes the charge expired."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        wrong = {"status": "expired"} if changes["status"] == "canceled" else {}
        return super().claim_charge(charge, changes | wrong)


@mutant("BUS-CAN-01/deletes")
class Deletes(BusinessRules):
    """A cancel deletes the charge."""

    async def cancel_charge(self, call: Call) -> Answer:
        answer = await super().cancel_charge(call)
        self.store.delete("business_charge", id=call.params["id"])
        return answer


@mutant(
    "BUS-CAN-02/body-required", "BUS-CAN-01", "BUS-CAN-06", "BUS-ENV-02", "BUS-ENV-03", "BUS-ISO-02", group="validation"
)
class BodyRequired(BusinessRules):
    """A cancel without a JSON body is refused."""

    async def cancel_charge(self, call: Call) -> Answer:
        self.json_body(call)
        return await super().cancel_charge(call)


@mutant("BUS-CAN-05/simultaneous-cancels-succeed", "BUS-EVT-19", group="concurrency")
class SimultaneousCancelsSucceed(BusinessRules):
    """Simultaneous cancels all succeed."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        await asyncio.sleep(0.2 if place == "cancel" else 0)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        claimed = super().claim_charge(charge, changes)
        now = self.store.find("business_charge", id=charge["id"])
        return claimed or bool(now and now["status"] == changes["status"] == "canceled")


@mutant("BUS-CAN-06/late-pay-leaves-pending", group="time")
class LatePayLeavesPending(BusinessRules):
    """A payment after the expiry is refused, and the charge can be canceled all the same."""

    def expire_if_overdue(self, call: Call, charge: Row) -> Row:
        late = call.operation == "pay_charge" and charge["status"] == "pending" and self.is_overdue(charge)
        return charge | {"status": "expired"} if late else super().expire_if_overdue(call, charge)
