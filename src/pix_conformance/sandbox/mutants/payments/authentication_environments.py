"""Mutants of PAY-ENV, sandbox and production."""

from typing import Any

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import owner_of
from pix_conformance.sandbox.mutants.operators import *
from pix_conformance.sandbox.mutants.payments.pay import pay

GROUP = "isolation"
PRODUCTION = Access("merchant-a", "production")
IN_SANDBOX = Guard("it belongs to the sandbox", lambda it: it.row["environment"] == "sandbox")
OF_THE_OTHER_ENVIRONMENT = Guard(
    "it belongs to the other environment", lambda it: of_the_other_environment(it.call.access, owner_of(it.row))
)
OTHER, SANDBOX = "the other environment", "the sandbox, with a production token"


def created_in_production(rules: Any, answer: Answer, _: Call) -> Answer:
    claims = rules.read_token(answer.body["token"]) or {}
    return answer if claims.get("environment") == "sandbox" else Answer(201, answer.body)


MUTANTS = {
    "PAY-ENV-01/login-returns-201": changes_result(
        "A login with a production pair returns 201.", authenticate=created_in_production),
    "PAY-ENV-02/charge-refused": refuses_operation("create_charge", "forbidden").when(IN_PRODUCTION).of("isolation")
        .says("A charge cannot be created with a production token."),
    "PAY-ENV-03/sandbox-charge-shown": sees_others("get_charge", from_production, SANDBOX),
    "PAY-ENV-04/production-charge-shown": sees_others("get_charge", from_sandbox, "production, with a sandbox token"),
    "PAY-ENV-05/sandbox-transfer-shown": sees_others("get_transfer", from_production, SANDBOX),
    "PAY-ENV-08/payment-in-production": pays_into(PRODUCTION),
    "PAY-ENV-08/transfer-from-production": transfers_from(PRODUCTION).seen_in("PAY-CHG-75"),
    "PAY-ENV-12/sandbox-webhook-removed": sees_others("delete_webhook", of_the_other_environment, OTHER),
    "PAY-ENV-13/refused-with-400": refused("missing", "complete_transfer", status=400, code="INVALID_STATUS")
        .when(OF_THE_OTHER_ENVIRONMENT),
    "PAY-ENV-14/refused-with-400": refused("missing", "pay_charge", status=400, code="INVALID_STATUS")
        .when(IN_SANDBOX, OF_THE_OTHER_ENVIRONMENT),
    "PAY-ENV-15/refused-with-400": refused("missing", "pay_charge", status=400, code="INVALID_STATUS")
        .when(IN_PRODUCTION, OF_THE_OTHER_ENVIRONMENT),
    "PAY-ENV-19/completed": sees_others("complete_transfer", of_the_other_environment, OTHER).also("PAY-ENV-13"),
    "PAY-ENV-19/refused-and-completed": acts_though_refused(
        "The completion with a production token is refused, and completes the sandbox transfer",
        "complete_transfer", "missing",
        lambda rules, transfer: rules.claim_transfer(transfer, rules.completed_changes(transfer)))
        .when(OF_THE_OTHER_ENVIRONMENT).of("isolation"),
    "PAY-ENV-20/paid": sees_others("pay_charge", of_the_other_environment, OTHER),
    "PAY-ENV-20/refused-and-paid": acts_though_refused(
        "The pay with a production token is refused, and pays the sandbox charge", "pay_charge", "missing", pay)
        .when(IN_SANDBOX, OF_THE_OTHER_ENVIRONMENT).of("isolation"),
    "PAY-ENV-21/paid": overrides("A production charge can be paid with the sandbox token of its account.",
        sees=lambda _, right, access, owner, operation: (
            operation == "pay_charge" and from_sandbox(access, owner)) or right(access, owner, operation),
        require_sandbox=lambda _, right, call, row: None if call.access.is_sandbox else right(call, row))
        .also("PAY-ENV-15"),
    "PAY-ENV-21/refused-and-paid": acts_though_refused(
        "The pay with a sandbox token is refused, and pays the production charge", "pay_charge", "missing", pay)
        .when(IN_PRODUCTION, OF_THE_OTHER_ENVIRONMENT).of("isolation"),
}  # fmt: skip
