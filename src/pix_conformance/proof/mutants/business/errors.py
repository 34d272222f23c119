"""Mutants of BUS-ERR, error responses."""

from typing import Any

from pix_conformance.proof.difference import Difference, setting
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.operators.responses import in_response, labelled
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call

GROUP = "error bodies"
EVERY = "create_charge get_charge list_charges cancel_charge pay_charge get_finance"
ALL = range(400, 500)
PAGE = b"<!doctype html><title>Error</title><h1>Error</h1>"


def in_refusals(sentence: str, change: Any, statuses: range = ALL, where: str = "") -> Difference:
    """Change the bodies of refusals, or a value in them."""
    return in_response(EVERY, where, change, statuses).says(sentence).of("error bodies")


def only(status: int) -> range:
    return range(status, status + 1)


def sends(sentence: str, status: int, sent: bytes, media_type: str = "application/json") -> Difference:
    """Send the refusals of one status with a body that is no JSON."""

    def respond(rules: Any, call: Call, answer: Answer) -> Answer:
        right = BusinessRules.respond(rules, call, answer)
        wrong = Answer(status, sent, right.headers | {"content-type": media_type})
        return wrong if call.operation and right.status == status else right

    def encode(rules: Any, call: Call, body: Any) -> bytes:
        return body if isinstance(body, bytes) else BusinessRules.encode(rules, call, body)

    return setting(sentence, respond=respond, encode=encode)


def hides(name: str) -> Difference:
    """Leave the name of one field out of the refusals that are about it."""
    difference = refused("invalid", body={"detail": "not valid"}, about=lambda text: text.startswith(name))
    return difference.says(f"The detail of a 422 for {name} does not name it.")


def list_of_errors(body: dict[str, Any]) -> dict[str, Any]:
    name = body["detail"].partition(" ")[0]
    return {"detail": [{"loc": ["body", name], "msg": body["detail"], "type": "value_error"}]}


MUTANTS = {
    "BUS-ERR-01": {
        "401-is-empty": sends("A 401 has no body.", 401, b""),
        "404-is-empty": sends("A 404 has no body.", 404, b""),
        "409-is-empty": sends("A 409 has no body.", 409, b""),
        "404-is-cut-off": sends("The JSON of a 404 is cut off.", 404, b'{"detail": "charge not fou'),
        "403-is-a-page": sends("The body of a 403 is HTML.", 403, PAGE, "text/html").also("BUS-ERR-05"),
        "422-is-a-page": sends("The body of a 422 is HTML.", 422, PAGE, "text/html").also("BUS-ERR-05"),
        "string": in_refusals("The body of a refusal is a JSON string.", lambda body: body["detail"])
            .also("BUS-ERR-04"),
        "array": in_refusals("The body of a refusal is an array.", lambda body: [body]),
    },
    "BUS-ERR-02": {
        "detail-named-message": in_refusals(
            "A refusal has a message and no detail.", lambda body: {"message": body["detail"]})
            .also("BUS-ERR-03", "BUS-ERR-04"),
        "detail-of-404-named-error": in_refusals(
            "A 404 has an error and no detail.", lambda body: {"error": body["detail"]}, only(404)).also("BUS-ERR-03"),
        "detail-of-422-is-an-array": in_refusals(
            "The detail of a 422 is an array of errors, each with the name of its field.", list_of_errors, only(422)),
    },
    "BUS-ERR-03": {
        "code-beside-detail": in_refusals(
            "A refusal has a code beside its detail.", lambda body: body | {"code": "ERROR"}),
        "status-beside-detail-of-401": in_refusals(
            "A 401 has its status beside its detail.", lambda body: body | {"status": 401}, only(401)),
        "charge-status-beside-detail-of-409": refused("state", body=lambda body: body | {"status": "paid"})
            .says("A 409 has the status of the charge beside its detail."),
        "422-of-rfc-9457": in_refusals(
            "A 422 has the members type and title of RFC 9457 beside its detail.",
            lambda body: {"type": "about:blank", "title": "Invalid"} | body, only(422)),
    },
    "BUS-ERR-04": {
        "no-field": in_refusals(
            "The detail of a 422 names no field.", "invalid request body", only(422), where="detail"),
        "always-amount": in_refusals(
            "The detail of each 422 names amount_cents.", "amount_cents is invalid", only(422), where="detail"),
        "no-field-if-missing": refused(
            "invalid", body={"detail": "incomplete"}, about=lambda text: "required" in text)
            .says("The detail of a 422 for a missing field does not name it."),
        "no-field-if-mistyped": refused(
            "invalid", body={"detail": "wrong type"}, about=lambda text: "of type" in text)
            .says("The detail of a 422 for a field of a wrong type does not name it."),
        "amount-not-named": hides("amount_cents"),
        "description-not-named": hides("description"),
        "external-ref-not-named": hides("external_ref"),
        "email-not-named": hides("customer_email"),
        "expiry-not-named": hides("expires_in_seconds"),
    },
    "BUS-ERR-05": {
        "plain-text": labelled("text/plain", ALL).of("error bodies"),
        "401-as-html": labelled("text/html", only(401)).of("error bodies")
            .says("The Content-Type of a 401 is text/html."),
    },
    "BUS-ERR-06": {
        "empty-in-403": in_refusals("The detail of a 403 is empty.", "", only(403), where="detail"),
    },
}  # fmt: skip
