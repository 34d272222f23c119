"""Mutants of BUS-ENV, sandbox and production."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import overrides, setting
from pix_conformance.proof.mutants.guards import FILTERED, IN_PRODUCTION, in_status
from pix_conformance.proof.mutants.operators.ownership import from_production, from_sandbox, lists_others, sees_others
from pix_conformance.proof.mutants.operators.states import acts_though_refused, becomes
from pix_conformance.proof.mutants.operators.wallets import raises_balance
from pix_conformance.proof.situation import Guard
from pix_conformance.reference.call import Call
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row

GROUP = "isolation"
SANDBOX, PRODUCTION = "the sandbox, with a key of production", "production, with a key of the sandbox"


def refuse_key(rules: Any, _call: Call) -> None:
    raise rules.unauthorized("API key is not valid here")


def post_in_production(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    right(charge)
    if charge["environment"] == "sandbox":
        right(charge | {"environment": "production"})


OF_OTHER_ENVIRONMENT = Guard(
    "the key is of the other environment", lambda it: it.row["environment"] != it.call.access.environment)  # fmt: skip
IN_SANDBOX = Guard("it belongs to the sandbox", lambda it: it.row["environment"] == "sandbox")

MUTANTS = {
    "BUS-ENV-01": {"balance-refused-with-401": setting("The balance is refused with 401.", get_finance=refuse_key)
            .when(IN_PRODUCTION)},
    "BUS-ENV-02": {
        "shown-if-paid": sees_others("get_charge", from_production, SANDBOX).when(in_status("paid")),
        "shown-if-canceled": sees_others("get_charge", from_production, SANDBOX).when(in_status("canceled")),
    },
    "BUS-ENV-03": {"shown": sees_others("get_charge", from_sandbox, PRODUCTION)},
    "BUS-ENV-04": {"production-listed-if-pending-are-asked-for": lists_others(from_sandbox, PRODUCTION, "pending")
            .when(FILTERED)},
    "BUS-ENV-05": {"posted-in-production-too": overrides(
            "A payment in the sandbox is posted to the ledger of production as well.", capture=post_in_production)
            .also("BUS-ENV-16")},
    "BUS-ENV-08": {"canceled": sees_others("cancel_charge", from_production, SANDBOX).also("BUS-ENV-09")},
    "BUS-ENV-09": {"refused-and-canceled": acts_though_refused(
            "A cancel is refused with 404, and cancels the charge.", "cancel_charge", "missing", becomes("canceled"))
            .when(OF_OTHER_ENVIRONMENT, IN_SANDBOX).of("isolation")},
    "BUS-ENV-10": {"canceled": sees_others("cancel_charge", from_sandbox, PRODUCTION).also("BUS-ENV-11")},
    "BUS-ENV-11": {"refused-and-canceled": acts_though_refused(
            "A cancel is refused with 404, and cancels the charge.", "cancel_charge", "missing", becomes("canceled"))
            .when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation")},
    "BUS-ENV-12": {"paid": sees_others("pay_charge", from_sandbox, PRODUCTION).also("BUS-ENV-13")},
    "BUS-ENV-13": {"refused-and-paid": acts_though_refused(
            "A pay is refused with 404, and pays the charge.", "pay_charge", "missing", becomes("paid"))
            .when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation")},
    "BUS-ENV-14": {"idempotency-keys-shared": setting(
            "Idempotency keys are shared by sandbox and production, so a replay shows the charge of the other.",
            idempotency_scope=lambda _, call: f"{call.operation}/{call.access.account}")},
    "BUS-ENV-15": {"sandbox-listed": lists_others(from_production, SANDBOX)},
    "BUS-ENV-16": {"balance-of-production-raised": raises_balance(ROLES["merchant"], ROLES["live_merchant"])},
}  # fmt: skip
