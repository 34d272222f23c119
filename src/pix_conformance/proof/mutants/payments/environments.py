"""Mutants of PAY-ENV, sandbox and production."""

from typing import Any

from pix_conformance.proof.difference import changes_result, overrides
from pix_conformance.proof.mutants.guards import IN_PRODUCTION
from pix_conformance.proof.mutants.operators.ownership import (
    from_production,
    from_sandbox,
    of_the_other_environment,
    sees_others,
)
from pix_conformance.proof.mutants.operators.refusals import refuses_operation
from pix_conformance.proof.mutants.operators.wallets import pays_into, transfers_from
from pix_conformance.reference.call import Access, Answer, Call

GROUP = "isolation"
PRODUCTION = Access("merchant-a", "production")
OTHER, SANDBOX = "the other environment", "the sandbox, with a production token"


def created_in_production(rules: Any, answer: Answer, _: Call) -> Answer:
    claims = rules.read_token(answer.body["token"]) or {}
    return answer if claims.get("environment") == "sandbox" else Answer(201, answer.body)


MUTANTS = {
    "PAY-ENV-01": {"login-returns-201": changes_result(
            "A login with a production pair returns 201.", authenticate=created_in_production)},
    "PAY-ENV-02": {"charge-refused": refuses_operation("create_charge", "forbidden").when(IN_PRODUCTION).of("isolation")
            .says("A charge cannot be created with a production token.")},
    "PAY-ENV-03": {"sandbox-charge-shown": sees_others("get_charge", from_production, SANDBOX)},
    "PAY-ENV-04": {"production-charge-shown": sees_others(
            "get_charge", from_sandbox, "production, with a sandbox token")},
    "PAY-ENV-05": {"sandbox-transfer-shown": sees_others("get_transfer", from_production, SANDBOX)},
    "PAY-ENV-08": {
        "payment-in-production": pays_into(PRODUCTION),
        "transfer-from-production": transfers_from(PRODUCTION).seen_in("PAY-CHG-75"),
    },
    "PAY-ENV-12": {"sandbox-webhook-removed": sees_others("delete_webhook", of_the_other_environment, OTHER)},
    "PAY-ENV-13": {"sandbox-transfer-completed": sees_others("complete_transfer", of_the_other_environment, OTHER)},
    "PAY-ENV-14": {"sandbox-charge-paid": sees_others("pay_charge", of_the_other_environment, OTHER)},
    "PAY-ENV-15": {"production-charge-paid": overrides(
            "A production charge can be paid with the sandbox token of its account.",
            sees=lambda _, right, access, owner, operation: (
                operation == "pay_charge" and from_sandbox(access, owner)) or right(access, owner, operation),
            require_sandbox=lambda _, right, call, row: None if call.access.is_sandbox else right(call, row))},
}  # fmt: skip
