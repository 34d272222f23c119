"""Mutants of BUS-GEN, what holds for every route."""

from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.proof.mutants.operators.ids import answers_ids, queries_fail_after_nul
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.operators.responses import in_response, labelled
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call

GROUP = "schema"


async def create_payout(_rules: Any, call: Call) -> Answer:
    return Answer(202, {"id": f"po_{call.access.account}", "status": "processing"})


async def list_payouts(_rules: Any, _call: Call) -> Answer:
    return Answer(200, [])


MUTANTS = {
    "BUS-GEN-01": {"strings-in-list": in_response("list_charges", "*.amount_cents", str).also("BUS-LIST-17")
            .says("The list shows amounts as strings.")},
    "BUS-GEN-02": {"plain-text": labelled("text/plain")},
    "BUS-GEN-03": {
        "unknown-filter-returns-500": refused("invalid", "list_charges", status=500).also("BUS-LIST-16"),
        "unknown-path-returns-500": changes_result(
            "An unknown path returns 500.", respond=lambda _, answer, call, _answer: (
                Answer(500, answer.body) if not call.operation and answer.status == 404 else answer)),
        "amount-of-32-bits-returns-500": changes_result(
            "An amount_cents of 2^31 or more returns 500.",
            complaint=lambda _, right, key, value, _field: (
                "OVERFLOW" if key == "amount_cents" and value >= 1 << 31 else right),
            respond=lambda _, right, _call, _answer: (
                Answer(500, right.body) if "OVERFLOW" in str(right.body) else right)),
        "id-of-another-form-returns-500": answers_ids("get_charge", lambda number: not number.startswith("chg_"))
            .also("BUS-CHG-70").says("A query by an id that does not begin with chg_ returns 500."),
    },
    "BUS-GEN-07": {"payout-created": setting(
            "A POST to the reserved path of payouts returns 202.", create_payout=create_payout,
            routes=(*BusinessRules.routes, ("POST", "/v1/business/payouts", "create_payout")))},
    "BUS-GEN-17": {"payouts-listed": setting(
            "A GET of the reserved path of payouts returns 200.", list_payouts=list_payouts,
            routes=(*BusinessRules.routes, ("GET", "/v1/business/payouts", "list_payouts")))},
    "BUS-GEN-15": {"queries-fail-after-nul": queries_fail_after_nul()},
    "BUS-GEN-16": {"nul-returns-500": answers_ids("get_charge", lambda number: "\0" in number)
            .says("A query by an id with a NUL returns 500.")},
}  # fmt: skip
