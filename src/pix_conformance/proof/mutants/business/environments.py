"""Mutants of BUS-ENV, sandbox and production."""

from typing import Any

from pix_conformance.proof.difference import setting
from pix_conformance.proof.mutants.guards import FILTERED, IN_PRODUCTION, in_status
from pix_conformance.proof.mutants.operators.ownership import from_production, from_sandbox, lists_others, sees_others
from pix_conformance.proof.mutants.operators.states import acts_though_refused
from pix_conformance.proof.mutants.operators.wallets import raises_balance
from pix_conformance.reference.call import Call
from pix_conformance.reference.state import ROLES

GROUP = "isolation"
SANDBOX, PRODUCTION = "the sandbox, with a key of production", "production, with a key of the sandbox"


def refuse_key(rules: Any, _call: Call) -> None:
    raise rules.unauthorized("API key is not valid here")


MUTANTS = {
    "BUS-ENV-01": {"balance-refused-with-401": setting("The balance is refused with 401.", get_finance=refuse_key)
            .when(IN_PRODUCTION)},
    "BUS-ENV-02": {
        "shown-if-paid": sees_others("get_charge", from_production, SANDBOX).when(in_status("paid")),
        "shown-if-canceled": sees_others("get_charge", from_production, SANDBOX).when(in_status("canceled")),
        "idempotency-keys-shared": setting(
            "Idempotency keys are shared by sandbox and production, so a replay shows the charge of the other.",
            idempotency_scope=lambda _, call: f"{call.operation}/{call.access.account}"),
    },
    "BUS-ENV-03": {
        "shown": sees_others("get_charge", from_sandbox, PRODUCTION),
        "canceled": sees_others("cancel_charge", from_sandbox, PRODUCTION),
        "paid": sees_others("pay_charge", from_sandbox, PRODUCTION).seen_in("BUS-PAY-15"),
    },
    "BUS-ENV-04": {
        "sandbox-listed": lists_others(from_production, SANDBOX),
        "production-listed-if-pending-are-asked-for": lists_others(from_sandbox, PRODUCTION, "pending").when(FILTERED),
    },
    "BUS-ENV-05": {
        "balance-of-production-raised": raises_balance(ROLES["merchant"], ROLES["live_merchant"]),
        "refused-pay-posted": acts_though_refused(
            "A pay is refused with 403, and posted to the ledger.", "pay_charge", "forbidden",
            lambda rules, charge: rules.capture(charge)).when(IN_PRODUCTION, in_status("pending")).of("isolation"),
    },
}  # fmt: skip
