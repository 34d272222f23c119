"""Mutants of PAY-ENV, sandbox and production."""

from typing import Any

from pix_conformance.proof.difference import changes_result, mutant
from pix_conformance.proof.mutants.guards import IN_PRODUCTION
from pix_conformance.proof.mutants.operators.ownership import of_the_other_environment, sees_others
from pix_conformance.proof.mutants.operators.refusals import refuses_operation
from pix_conformance.proof.mutants.operators.wallets import pays_into, transfers_from
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "isolation"
PRODUCTION = Access("merchant-a", "production")
OTHER = "the other environment"


def of_sandbox(caller: Access, owner: Access) -> bool:
    return of_the_other_environment(caller, owner) and owner.is_sandbox


def of_production(caller: Access, owner: Access) -> bool:
    return of_the_other_environment(caller, owner) and not owner.is_sandbox


def created_in_production(rules: Any, answer: Answer, _: Call) -> Answer:
    claims = rules.read_token(answer.body["token"]) or {}
    return answer if claims.get("environment") == "sandbox" else Answer(201, answer.body)


MUTANTS = {
    "PAY-ENV-01": {"login-returns-201": changes_result(
            "A login with a production pair returns 201.", authenticate=created_in_production)},
    "PAY-ENV-02": {"charge-refused": refuses_operation("create_charge", "forbidden").when(IN_PRODUCTION).of("isolation")
            .says("A charge cannot be created with a production token.")},
    "PAY-ENV-03": {
        "sandbox-charge-shown": sees_others("get_charge", of_sandbox, "the sandbox, with a production token"),
    },
    "PAY-ENV-04": {
        "production-charge-shown": sees_others("get_charge", of_production, "production, with a sandbox token"),
    },
    "PAY-ENV-05": {
        "sandbox-transfer-shown": sees_others("get_transfer", of_sandbox, "the sandbox, with a production token"),
    },
    "PAY-ENV-08": {
        "payment-in-production": pays_into(PRODUCTION),
        "transfer-from-production": transfers_from(PRODUCTION).seen_in("PAY-CHG-75"),
    },
    "PAY-ENV-12": {"sandbox-webhook-removed": sees_others("delete_webhook", of_the_other_environment, OTHER)},
    "PAY-ENV-13": {"sandbox-transfer-completed": sees_others("complete_transfer", of_the_other_environment, OTHER)},
    "PAY-ENV-14": {"sandbox-charge-paid": sees_others("pay_charge", of_the_other_environment, OTHER)},
}  # fmt: skip


@mutant("PAY-ENV-15/production-charge-paid")
class ProductionChargePaid(PaymentsRules):
    """A production charge can be paid with the sandbox token of its account."""

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        crossed = operation == "pay_charge" and of_production(access, owner)
        return crossed or super().sees(access, owner, operation)

    def require_sandbox(self, call: Call, row: Row) -> None:
        if not call.access.is_sandbox:
            super().require_sandbox(call, row)
