"""Mutants of PAY-ERR, error responses."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, mutant
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.reference.call import Refusal
from pix_conformance.reference.payments import PaymentsRules

GROUP = "error bodies"
BODIES = "create_charge create_transfer create_webhook"
RULES_OF_WEBHOOKS = [f"PAY-WH-{number:02d}" for number in (*range(2, 10), 11, 16, 17)]
NAMES_NOTHING = "the request is not valid"
Change = Callable[[dict[str, Any]], Any]


def with_message(message: Any) -> Change:
    return lambda body: body | {"message": message(body["message"]) if callable(message) else message}


def without(name: str) -> Change:
    return lambda body: {one: value for one, value in body.items() if one != name}


def has_code(code: str, body: Any) -> bool:
    return isinstance(body, dict) and body.get("error") == code


MUTANTS = {
    "PAY-ERR-01": {
        "body-is-an-array": refused("invalid", "create_charge", body=lambda body: [body])
            .also("PAY-ERR-04", "PAY-ERR-08").says("The body of a 400 of a charge is an array."),
        "body-is-a-string": refused("missing", body=lambda body: body["message"])
            .says("The body of a 404 is a JSON string."),
        "body-is-null": refused("unauthorized", "get_balance", body=lambda _: None).says("The body of a 401 is null."),
        "body-is-html": changes_result("The body of a 404 is HTML.", encode=lambda _, right, call, body: (
            b"<html><body>Not Found</body></html>" if has_code("NOT_FOUND", body) and call.operation else right)),
        "body-is-empty": changes_result("A 401 has no body.", encode=lambda _, right, _call, body: (
            b"" if has_code("UNAUTHORIZED", body) else right)),
        "unknown-webhook-gets-an-array": refused("missing", "delete_webhook", status=400, body=["bad id"])
            .also("PAY-WH-64").says("The removal of an unknown webhook is refused with 400 and an array."),
    },
    "PAY-ERR-02": {
        "error-is-an-object": refused(
            "invalid", "create_charge", body=lambda body: body | {"error": {"code": body["error"]}})
            .also("PAY-ERR-04").says("The error of a 400 of a charge is an object with the code."),
        "error-of-404-is-a-number": refused("missing", "get_charge", body=lambda body: body | {"error": 404})
            .says("The error of a 404 is the number of the status."),
        "error-is-called-code": refused("invalid", "create_transfer", body=lambda body: without("error")(body) | {
            "code": body["error"]}).says("The error of a 400 of a transfer is called code."),
        "body-in-another-object": refused(
            "invalid", "create_charge", body=lambda body: {"success": False, "error": body})
            .also("PAY-ERR-03", "PAY-ERR-04", "PAY-ERR-08")
            .says("The body of a 400 of a charge is inside another object."),
        "403-without-error": refused("forbidden", body=without("error")).says("A 403 has a message only."),
        "410-without-error": refused("missing", "delete_webhook", status=410, body={"message": "the webhook is gone"})
            .also("PAY-WH-64").says("The removal of an unknown webhook is refused with 410, without error."),
        "415-without-error": refused("invalid", "create_charge", status=415, body={"title": "Unsupported Media Type"},
            about=lambda message: "Content-Type" in message).also("PAY-ERR-03").seen_in("PAY-GEN-04")
            .says("A charge of another media type is refused with 415 and a title alone."),
    },
    "PAY-ERR-03": {
        "404-without-message": refused("missing", body=without("message")).says("A 404 has no message."),
        "410-without-message": refused("missing", "delete_webhook", status=410, body={"error": "GONE"})
            .also("PAY-WH-64").says("The removal of an unknown webhook is refused with 410, without message."),
        "message-is-an-array": refused("invalid", "create_charge", body=with_message(lambda text: [text]))
            .also("PAY-ERR-08").says("The message of a 400 of a charge is an array."),
    },
    "PAY-ERR-04": {
        "another-code": refused("invalid", BODIES, code="VALIDATION_ERROR"),
        "code-in-lower-case": refused("invalid", "create_charge", code="invalid_request"),
        "code-for-sum-of-splits": refused(
            "invalid", "create_charge", code="SPLIT_EXCEEDED", about=lambda message: "in total" in message)
            .says("Splits of more than 100 in total are refused with a code of their own."),
        "code-for-pix-key": refused("invalid", code="INVALID_FORMAT", about=lambda message: "must be a CPF" in message)
            .says("A pixKey of no accepted type is refused with a code of its own."),
        "code-for-email": refused("invalid", code="INVALID_FORMAT", about=lambda message: "valid e-mail" in message)
            .says("A wrong e-mail is refused with a code of its own."),
    },
    "PAY-ERR-05": {
        "another-code": refused("unauthorized", code="INVALID_TOKEN"),
    },
    "PAY-ERR-06": {
        "another-code": refused("missing", code="RESOURCE_NOT_FOUND"),
    },
    "PAY-ERR-08": {
        "no-field-named": refused("invalid", "create_charge", body=with_message(NAMES_NOTHING))
            .says("The message of a refused charge names no field."),
        "object-named": refused("invalid", "create_charge", body=with_message("customer is not valid"),
            about=lambda message: "customer." in message)
            .says("The message of a refused charge names customer, in place of the field of it."),
        "amount-always-named": refused("invalid", "create_charge", body=with_message("amountInCents is not valid"))
            .says("The message of a refused charge always names amountInCents."),
        "type-named-for-document": changes_arguments(
            "The message of a refused document names documentType.", field_message=lambda _, path, words: (
                "customer.documentType" if path == "customer.document" else path, words)),
    },
    "PAY-ERR-09": {
        "no-field-named": refused("invalid", "create_transfer", body=with_message(NAMES_NOTHING))
            .says("The message of a refused transfer names no field."),
        "currency-not-named": refused("invalid", "create_transfer", body=with_message("only BRL"),
            about=lambda message: "currency" in message)
            .says("The message of a refused currency does not name the field."),
    },
    "PAY-ERR-10": {
        "no-field-named": refused("invalid", "create_webhook", body=with_message(NAMES_NOTHING))
            .says("The message of a refused webhook names no field."),
        "events-not-named": refused("invalid", "create_webhook", body=with_message("unknown name"),
            about=lambda message: "events" in message)
            .says("The message of a refused event does not name the field."),
    },
    "PAY-ERR-11": {
        "message-of-404-is-empty": refused("missing", body=with_message("")).says("The message of a 404 is empty."),
        "unknown-webhook-gets-an-empty-message": refused(
            "missing", "delete_webhook", status=400, body={"error": "INVALID_ID", "message": ""}).also("PAY-WH-64")
            .says("The removal of an unknown webhook is refused with 400 and an empty message."),
    },
    "PAY-ERR-12": {
        "invalid-webhook-returns-500": refused(
            "invalid", "create_webhook", status=500, body={"error": "INTERNAL", "message": "unexpected"})
            .also(*RULES_OF_WEBHOOKS).says("An invalid webhook is refused with 500."),
    },
}  # fmt: skip


@mutant("PAY-ERR-05/another-code-for-expired-token", seen_in=("PAY-AUTH-10",))
class AnotherCodeForExpiredToken(PaymentsRules):
    """The code of the 401 for an expired token is TOKEN_EXPIRED."""

    def is_expired(self, claims: dict[str, Any]) -> bool:
        if super().is_expired(claims):
            raise self.unauthorized("token is expired")
        return False

    def error_code(self, refusal: Refusal) -> str:
        return "TOKEN_EXPIRED" if refusal.message == "token is expired" else super().error_code(refusal)
