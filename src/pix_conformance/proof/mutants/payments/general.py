"""Mutants of PAY-GEN, what holds for every route."""

from datetime import UTC, datetime

from pix_conformance.proof.difference import changes_result, mutant
from pix_conformance.proof.mutants.operators.ids import answers_ids
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

GROUP = "schema"

MUTANTS = {
    "PAY-GEN-01": {"errors-are-problem-json": changes_result("The Content-Type of errors is application/problem+json.",
            headers=lambda _, headers, _call, answer: (
                headers | ({"content-type": "application/problem+json"} if answer.status >= 400 else {})))},
    "PAY-GEN-05": {"date-of-webhook-with-blank": changes_result(
            "The createdAt of a webhook has a blank for the T, and no offset.",
            webhook_view=lambda _, view, _call, hook: view | {
                "createdAt": datetime.fromtimestamp(hook["created_at"], UTC).strftime("%Y-%m-%d %H:%M:%S.%f"),
            }).of("time")},
    "PAY-GEN-06": {"removal-with-success-false": in_response("delete_webhook", "success", change=False)},
    "PAY-GEN-16": {
        "nul-returns-500": answers_ids("get_charge", lambda number: "\0" in number)
            .says("The query of a charge by an id with a NUL returns 500."),
        "slash-returns-500": answers_ids("get_transfer", lambda number: "/" in number)
            .says("The query of a transfer by an id with an encoded slash returns 500."),
    },
}  # fmt: skip


@mutant("PAY-GEN-15/nul-blocks-queries", group="state")
class NulBlocksQueries(PaymentsRules):
    """After the query of a charge by an id with a NUL, every query of another charge returns 500."""

    async def get_charge(self, call: Call) -> Answer:
        blocked = self.__dict__.setdefault("blocked", [])
        if "\0" in call.params["id"]:
            blocked.append(call)
        elif blocked:
            return Answer(500, {"error": "INTERNAL", "message": "unexpected"})
        return await super().get_charge(call)
