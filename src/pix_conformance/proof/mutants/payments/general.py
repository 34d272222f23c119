"""Mutants of PAY-GEN, what holds for every route."""

from pix_conformance.proof.difference import changes_result
from pix_conformance.proof.mutants.operators.ids import answers_ids, queries_fail_after_nul
from pix_conformance.proof.mutants.operators.responses import in_response

GROUP = "schema"

MUTANTS = {
    "PAY-GEN-01": {"errors-are-problem-json": changes_result("The Content-Type of errors is application/problem+json.",
            headers=lambda _, headers, _call, answer: (
                headers | ({"content-type": "application/problem+json"} if answer.status >= 400 else {})))},
    "PAY-GEN-06": {"removal-with-success-false": in_response("delete_webhook", "success", change=False)},
    "PAY-GEN-15": {"nul-blocks-queries": queries_fail_after_nul()},
    "PAY-GEN-16": {
        "nul-returns-500": answers_ids("get_charge", lambda number: "\0" in number)
            .says("The query of a charge by an id with a NUL returns 500."),
    },
    "PAY-GEN-17": {"nul-blocks-queries": queries_fail_after_nul("get_transfer")},
    "PAY-GEN-18": {"line-break-returns-500": answers_ids("get_transfer", lambda number: "\n" in number)
            .says("The query of a transfer by an id with an encoded line break returns 500.")},
}  # fmt: skip
