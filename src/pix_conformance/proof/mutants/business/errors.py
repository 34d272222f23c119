"""Mutants of BUS-ERR, error responses."""

from typing import Any

from pix_conformance.proof.difference import Difference, overrides
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.operators.responses import in_response, labelled
from pix_conformance.reference.call import Answer

GROUP = "error bodies"
EVERY = "create_charge get_charge list_charges cancel_charge pay_charge get_finance"
ALL = range(400, 500)


def in_refusals(sentence: str, change: Any, statuses: range = ALL, where: str = "") -> Difference:
    """Change the bodies of refusals, or a value in them."""
    return in_response(EVERY, where, change, statuses).says(sentence).of("error bodies")


def only(status: int) -> range:
    return range(status, status + 1)


def list_of_errors(body: dict[str, Any]) -> dict[str, Any]:
    name = body["detail"].partition(" ")[0]
    return {"detail": [{"loc": ["body", name], "msg": body["detail"], "type": "value_error"}]}


MUTANTS = {
    "BUS-ERR-01": {"401-is-empty": overrides(
            "A 401 has no body.",
            respond=lambda _, right, call, answer: (
                Answer(401, b"", answer.headers) if call.operation and answer.status == 401 else right(call, answer)),
            encode=lambda _, right, call, body: body if isinstance(body, bytes) else right(call, body))},
    "BUS-ERR-02": {"detail-of-422-is-an-array": in_refusals(
            "The detail of a 422 is an array of errors, each with the name of its field.", list_of_errors, only(422))},
    "BUS-ERR-03": {"code-beside-detail": in_refusals(
            "A refusal has a code beside its detail.", lambda body: body | {"code": "ERROR"})},
    "BUS-ERR-04": {"no-field-if-missing": refused(
            "invalid", body={"detail": "incomplete"}, about=lambda text: "required" in text)
            .says("The detail of a 422 for a missing field does not name it.")},
    "BUS-ERR-05": {"plain-text": labelled("text/plain", ALL).of("error bodies")},
    "BUS-ERR-06": {"empty-in-403": in_refusals("The detail of a 403 is empty.", "", only(403), where="detail")},
}  # fmt: skip
