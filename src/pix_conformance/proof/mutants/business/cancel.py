"""Mutants of BUS-CAN, cancellation."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import overrides, setting
from pix_conformance.proof.mutants.guards import DESCRIBED, OF_UNKNOWN_CHARGE, in_status, near_expiry
from pix_conformance.proof.mutants.operators.events import emit_once
from pix_conformance.proof.mutants.operators.fields import requires_body
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_long
from pix_conformance.proof.mutants.operators.refusals import refused, refuses_operation
from pix_conformance.proof.mutants.operators.states import look_early, no_transition_to
from pix_conformance.reference.store import Row

GROUP = "state"


def cancel_again(rules: Any, right: Callable[..., bool], charge: Row, changes: Row) -> bool:
    now = rules.store.find("business_charge", id=charge["id"])
    return right(charge, changes) or now["status"] == changes["status"] == "canceled"


MUTANTS = {
    "BUS-CAN-01": {
        "never": refuses_operation("cancel_charge"),
        "not-with-description": refuses_operation("cancel_charge").when(DESCRIBED),
        "not-in-last-30-s": refuses_operation("cancel_charge").when(near_expiry(30)).of("time"),
    },
    "BUS-CAN-16": {"without-effect": no_transition_to("canceled")},
    "BUS-CAN-02": {"body-required": requires_body("cancel_charge")
            .also("BUS-CAN-01", "BUS-CAN-04", "BUS-CAN-06", "BUS-ENV-08", "BUS-ENV-10", "BUS-ISO-02")},
    "BUS-CAN-04": {
        "paid-is-cancelable": setting("A paid charge can be canceled.", cancelable=("pending", "paid"))
            .also("BUS-STATE-03"),
        "of-paid-returns-400": refused("state", "cancel_charge", status=400).when(in_status("paid")),
    },
    "BUS-CAN-05": {"canceled-is-cancelable": setting(
            "A canceled charge can be canceled.", cancelable=("pending", "canceled")).also("BUS-EVT-28")},
    "BUS-CAN-06": {"late-pay-leaves-pending": overrides(
            "A payment after the expiry is refused, and the charge can be canceled all the same.",
            expire_if_overdue=lambda rules, right, call, charge: (
                charge | {"status": "expired"}
                if call.operation == "pay_charge" and charge["status"] == "pending" and rules.is_overdue(charge)
                else right(call, charge))).of("time")},
    "BUS-CAN-08": {"of-unknown-returns-409": refused("missing", "cancel_charge", status=409).when(OF_UNKNOWN_CHARGE)
            .of("isolation")},
    "BUS-CAN-17": {"each-of-simultaneous-succeeds": overrides(
            "Simultaneous cancels all return 2xx, and send one event.",
            pause=look_early(0.3, "cancel"), claim_charge=cancel_again, emit=emit_once).of("concurrency")},
    "BUS-CAN-18": {"id-with-dots-returns-422": answers_ids(
            "cancel_charge", lambda number: "." in number, 422, detail="id is malformed")
            .says("A cancel by an id with dots returns 422.")},
    "BUS-CAN-15": {"long-id-returns-500": answers_ids("cancel_charge", is_long).also("BUS-GEN-03")
            .says("A cancel by an id of more than 100 characters returns 500.")},
}  # fmt: skip
