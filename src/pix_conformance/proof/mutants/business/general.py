"""Mutants of BUS-GEN, what holds for every route."""

from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.operators.ids import answers_ids
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.operators.responses import in_response, labelled
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call

GROUP = "schema"


async def create_payout(_rules: Any, call: Call) -> Answer:
    return Answer(202, {"id": f"po_{call.access.account}", "status": "processing"})


async def list_payouts(_rules: Any, _call: Call) -> Answer:
    return Answer(200, [])


def fail_on_unknown_route(_rules: Any, answer: Answer, call: Call, _right: Answer) -> Answer:
    return Answer(500, answer.body) if not call.operation and answer.status == 404 else answer


MUTANTS = {
    "BUS-GEN-01": {"strings-in-list": in_response("list_charges", "*.amount_cents", str).also("BUS-CHG-56")
            .says("The list shows amounts as strings.")},
    "BUS-GEN-02": {"plain-text": labelled("text/plain")},
    "BUS-GEN-03": {
        "unknown-filter-returns-500": refused("invalid", "list_charges", status=500).also("BUS-LIST-16"),
        "unknown-path-returns-500": changes_result("An unknown path returns 500.", respond=fail_on_unknown_route),
        "id-of-another-form-returns-500": answers_ids("get_charge", lambda number: not number.startswith("chg_"))
            .also("BUS-CHG-70").says("A query by an id that does not begin with chg_ returns 500."),
    },
    "BUS-GEN-07": {
        "payout-created": setting(
            "A POST to the reserved path of payouts returns 202.", create_payout=create_payout,
            routes=(*BusinessRules.routes, ("POST", "/v1/business/payouts", "create_payout"))),
        "payouts-listed": setting(
            "A GET of the reserved path of payouts returns 200.", list_payouts=list_payouts,
            routes=(*BusinessRules.routes, ("GET", "/v1/business/payouts", "list_payouts"))),
    },
    "BUS-GEN-16": {"nul-returns-500": answers_ids("get_charge", lambda number: "\0" in number)
            .says("A query by an id with a NUL returns 500.")},
}  # fmt: skip


@mutant("BUS-GEN-03/amount-of-32-bits-returns-500")
class AmountOf32BitsReturns500(BusinessRules):
    """An amount_cents of 2^31 or more returns 500."""

    largest_integer = 2**63 - 1

    def judge_amount(self, value: int) -> str | None:
        return "OVERFLOW" if value >= 1 << 31 else super().judge_amount(value)

    def respond(self, call: Call, answer: Answer) -> Answer:
        if isinstance(answer.body, dict) and "OVERFLOW" in str(answer.body.get("detail")):
            answer.status = 500
        return super().respond(call, answer)


@mutant("BUS-GEN-15/queries-fail-after-nul", group="state")
class QueriesFailAfterNul(BusinessRules):
    """After a query by an id with a NUL, each query of a charge returns 500."""

    async def get_charge(self, call: Call) -> Answer:
        if "\0" in call.params["id"]:
            self.__dict__["failed"] = True
        elif self.__dict__.get("failed"):
            return Answer(500, {"detail": "unexpected"})
        return await super().get_charge(call)
