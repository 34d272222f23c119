"""Mutants of PAY-ERR: error responses."""

from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.payments.refusals import (
    CREATE_CHARGE,
    CREATE_TRANSFER,
    CREATE_WEBHOOK,
    HOOK_RULES,
    RefusesOtherwise,
    refusing,
)
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

EVERY = (
    "authenticate create_charge get_charge pay_charge create_transfer get_transfer complete_transfer "
    "get_balance list_webhooks create_webhook delete_webhook"
)
REMOVAL = "delete_webhook"


def _errors(status: int, operations: str, where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes the errors of one status."""
    return in_answers(operations, where, change) | {"statuses": (status,)}


def _code(code: str) -> Any:
    return lambda _: code


globals().update(
    family(__name__, "error bodies", ChangesAnswers, {
        "ErrorListed": ("The body of a 400 is an array of errors.", "PAY-ERR-01 PAY-ERR-04 PAY-ERR-08",
            _errors(400, CREATE_CHARGE, "", lambda body: [body])),
        "ErrorText": ("The body of a 404 is a JSON text.", "PAY-ERR-01",
            _errors(404, EVERY, "", lambda body: body["message"])),
        "ErrorNull": ("The body of a 401 is null.", "PAY-ERR-01", _errors(401, "get_balance", "", None)),
        "ErrorAsObject": ("The error of a 400 is an object of code and message.", "PAY-ERR-02 PAY-ERR-04",
            _errors(400, CREATE_CHARGE, "error", lambda code: {"code": code})),
        "ErrorAsStatus": ("The error of a 404 is the number of the status.", "PAY-ERR-02",
            _errors(404, "get_charge", "error", 404)),
        "ErrorTrue": ("The error of a 401 is true.", "PAY-ERR-02",
            _errors(401, EVERY, "error", True)),  # noqa: FBT003 - a value in JSON, no flag
        "ErrorNamedCode": ("A 400 of a transfer calls its error code.", "PAY-ERR-02",
            _errors(400, CREATE_TRANSFER, "", lambda body: {"code": body["error"], "message": body["message"]})),
        "ErrorMissing": ("A 401 has a message only.", "PAY-ERR-02", _errors(401, EVERY, "error", GONE)),
        "ErrorsInEnvelope": ("Errors of charges are put into an envelope.",
            "PAY-ERR-02 PAY-ERR-03 PAY-ERR-04 PAY-ERR-08",
            _errors(400, CREATE_CHARGE, "", lambda body: {"success": False, "error": body})),
        "MessageMissing": ("A 404 has no message.", "PAY-ERR-03", _errors(404, EVERY, "message", GONE)),
        "MessageListed": ("The message of a 400 is an array of sentences.", "PAY-ERR-03 PAY-ERR-08",
            _errors(400, CREATE_CHARGE, "message", lambda text: [text])),
        "MessageListedOfHook": ("The message of a 400 of a webhook is an array of sentences.",
            "PAY-ERR-03 PAY-ERR-10",
            _errors(400, CREATE_WEBHOOK, "message", lambda text: [text])),
        "MessageOfFields": ("The message of a 400 is an object of fields.", "PAY-ERR-03 PAY-ERR-09",
            _errors(400, CREATE_TRANSFER, "message", lambda text: {text.partition(" ")[0]: text})),
        "MessageNull": ("The message of a 401 is null.", "PAY-ERR-03", _errors(401, EVERY, "message", None)),
        "InvalidOfAnotherCode": ("The code of a 400 is VALIDATION_ERROR.", "PAY-ERR-04",
            _errors(400, f"{CREATE_CHARGE} {CREATE_TRANSFER} {CREATE_WEBHOOK}", "error", _code("VALIDATION_ERROR"))),
        "InvalidHookOfAnotherCode": ("The code of a 400 of a webhook is BAD_REQUEST.", "PAY-ERR-04",
            _errors(400, CREATE_WEBHOOK, "error", _code("BAD_REQUEST"))),
        "InvalidTransferOfAnotherCode": ("The code of a 400 of a transfer is INVALID_TRANSFER.", "PAY-ERR-04",
            _errors(400, CREATE_TRANSFER, "error", _code("INVALID_TRANSFER"))),
        "InvalidInSmallLetters": ("The code of a 400 of a charge is written in small letters.", "PAY-ERR-04",
            _errors(400, CREATE_CHARGE, "error", str.lower)),
        "InvalidWithBlank": ("The code of a 400 of a charge has a blank in it.", "PAY-ERR-04",
            _errors(400, CREATE_CHARGE, "error", _code("INVALID REQUEST"))),
        "UnauthorizedOfAnotherCode": ("The code of a 401 is INVALID_TOKEN.", "PAY-ERR-05",
            _errors(401, EVERY, "error", _code("INVALID_TOKEN"))),
        "UnauthorizedAuthOfAnotherCode": ("The code of wrong credentials is INVALID_CREDENTIALS.", "PAY-ERR-05",
            _errors(401, "authenticate", "error", _code("INVALID_CREDENTIALS"))),
        "UnauthorizedRemovalOfAnotherCode": ("The code of a 401 of the removal is UNAUTHENTICATED.", "PAY-ERR-05",
            _errors(401, "delete_webhook", "error", _code("UNAUTHENTICATED"))),
        "UnauthorizedBritish": ("The code of a 401 is spelled UNAUTHORISED.", "PAY-ERR-05",
            _errors(401, "get_transfer", "error", _code("UNAUTHORISED"))),
        "NotFoundOfAnotherCode": ("The code of a 404 is RESOURCE_NOT_FOUND.", "PAY-ERR-06",
            _errors(404, EVERY, "error", _code("RESOURCE_NOT_FOUND"))),
        "NotFoundChargeOfAnotherCode": ("The code of a 404 of a charge is CHARGE_NOT_FOUND.", "PAY-ERR-06",
            _errors(404, "get_charge", "error", _code("CHARGE_NOT_FOUND"))),
        "NotFoundTransferOfAnotherCode": ("The code of a 404 of a transfer is TRANSFER_NOT_FOUND.",
            "PAY-ERR-06, seen in PAY-ENV-05",
            _errors(404, "get_transfer", "error", _code("TRANSFER_NOT_FOUND"))),
        "NotFoundPayOfAnotherCode": ("The code of a 404 of the pay is NOT_A_SANDBOX_CHARGE.", "PAY-ERR-06",
            _errors(404, "pay_charge", "error", _code("NOT_A_SANDBOX_CHARGE"))),
        "InvalidNamesNothing": ("The message of a refused charge names no field.", "PAY-ERR-08",
            _errors(400, CREATE_CHARGE, "message", "the request is not valid")),
        "InvalidNamesObject": ("The message of a refused customer names the customer, not the field.", "PAY-ERR-08",
            _errors(400, CREATE_CHARGE, "message",
                lambda text: "customer is not valid" if "customer." in text else text)),
        "InvalidNamesAmountOnly": ("The message of any refused charge names amountInCents.", "PAY-ERR-08",
            _errors(400, CREATE_CHARGE, "message", "amountInCents is not valid")),
        "InvalidTransferNamesNothing": ("The message of a refused transfer names no field.", "PAY-ERR-09",
            _errors(400, CREATE_TRANSFER, "message", "the request is not valid")),
        "InvalidCurrencyNamesNothing": ("The message of a wrong currency does not name it.", "PAY-ERR-09",
            _errors(400, CREATE_TRANSFER, "message", lambda text: "only BRL" if "currency" in text else text)),
        "InvalidHookNamesNothing": ("The message of a refused webhook names no field.", "PAY-ERR-10",
            _errors(400, CREATE_WEBHOOK, "message", "the request is not valid")),
        "InvalidEventsNamesNothing": ("The message of an unknown event does not name the field.", "PAY-ERR-10",
            _errors(400, CREATE_WEBHOOK, "message", lambda text: "unknown name" if "events" in text else text)),
        "MessageEmpty": ("The message of a 401 is empty.", "PAY-ERR-11", _errors(401, EVERY, "message", "")),
        "MessageEmptyOfUnknown": ("The message of a 404 is empty.", "PAY-ERR-11", _errors(404, EVERY, "message", "")),
    })
)  # fmt: skip


class ErrorsAsPage(PaymentsRules):
    """The body of a 404 is a page of HTML."""

    breaks = ("PAY-ERR-01",)
    group = "error bodies"

    def encode(self, call: Call, body: Any) -> bytes:
        """Write the page."""
        lost = isinstance(body, dict) and body.get("error") == "NOT_FOUND" and call.operation != ""
        return b"<html><body>Not Found</body></html>" if lost else super().encode(call, body)


class ErrorsEmpty(PaymentsRules):
    """A 401 has no body."""

    breaks = ("PAY-ERR-01",)
    group = "error bodies"

    def encode(self, call: Call, body: Any) -> bytes:
        """Write nothing."""
        unknown = isinstance(body, dict) and body.get("error") == "UNAUTHORIZED"
        return b"" if unknown else super().encode(call, body)


def _removal(status: int, body: Any) -> dict[str, Any]:
    """Members of a class that refuses the removal of an unknown webhook in another way."""
    return refusing("missing", REMOVAL, lambda _: Answer(status, body))


globals().update(
    family(__name__, "error bodies", RefusesOtherwise, {
        "UnknownRemovalListed": ("The removal of an unknown webhook is answered 400 with an array.",
            "PAY-ERR-01 PAY-WH-64", _removal(400, ["bad id"])),
        "UnknownRemovalWithoutCode": ("The removal of an unknown webhook is answered 410 without an error code.",
            "PAY-ERR-02 PAY-WH-64", _removal(410, {"message": "the webhook is gone"})),
        "UnknownRemovalWithoutMessage": ("The removal of an unknown webhook is answered 410 with a code alone.",
            "PAY-ERR-03 PAY-WH-64", _removal(410, {"error": "GONE"})),
        "UnknownRemovalOfNoWords": ("The removal of an unknown webhook is answered 400 with an empty message.",
            "PAY-ERR-11 PAY-WH-64", _removal(400, {"error": "INVALID_ID", "message": ""})),
        "InvalidBreaks": ("An invalid webhook ends in a 500.", f"PAY-ERR-12 {HOOK_RULES}",
            refusing("invalid", CREATE_WEBHOOK, lambda _: Answer(500, {"error": "INTERNAL", "message": "unexpected"}))),
    })
)  # fmt: skip


class ForbiddenWithoutCode(PaymentsRules):
    """A 403 has a message only."""

    breaks = ("PAY-ERR-02",)
    group = "error bodies"

    def error_body(self, refusal: Refusal) -> Any:
        """Leave the code out."""
        body = super().error_body(refusal)
        return {"message": body["message"]} if refusal.kind == "forbidden" else body


class UnsupportedMediaAsProblem(PaymentsRules):
    """A charge of another media type is refused with 415, whose body has a title in place of error and message."""

    breaks = ("PAY-ERR-02", "PAY-ERR-03")
    seen_in = ("PAY-GEN-04",)
    group = "error bodies"

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Write another body."""
        answer = super().respond(call, answer)
        unread = call.operation == "create_charge" and "Content-Type" in str(answer.body)
        return Answer(415, {"title": "Unsupported Media Type"}) if unread else answer


class SplitsBeyondOfAnotherCode(PaymentsRules):
    """Splits of more than 100 in total are refused with a code of their own."""

    breaks = ("PAY-ERR-04",)
    group = "error bodies"

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Write SPLIT_EXCEEDED."""
        answer = super().respond(call, answer)
        if call.operation == CREATE_CHARGE and "in total" in str(answer.body):
            answer.body = answer.body | {"error": "SPLIT_EXCEEDED"}
        return answer


class CodeOfMalformedKey(PaymentsRules):
    """A key of no accepted type is refused with a code of its own."""

    breaks = ("PAY-ERR-04",)
    group = "error bodies"
    words = "must be a CPF"

    def error_code(self, refusal: Refusal) -> str:
        """Say what is wrong."""
        return "INVALID_FORMAT" if self.words in refusal.message else super().error_code(refusal)


class CodeOfMalformedEmail(CodeOfMalformedKey):
    """An e-mail that is none is refused with a code of its own."""

    breaks = ("PAY-ERR-04",)
    group = "error bodies"
    words = "must be a valid e-mail"


class ExpiredOfAnotherCode(PaymentsRules):
    """The code of a 401 for an expired token is TOKEN_EXPIRED; that of other ones is right."""

    breaks = ("PAY-ERR-05",)
    seen_in = ("PAY-AUTH-10",)
    group = "error bodies"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Refuse it here."""
        if super().is_expired(claims):
            raise self.unauthorized("token is expired")
        return False

    def error_code(self, refusal: Refusal) -> str:
        """Know it by its words."""
        return "TOKEN_EXPIRED" if refusal.message == "token is expired" else super().error_code(refusal)


class DocumentNamedByItsType(PaymentsRules):
    """The message of a refused document names documentType."""

    breaks = ("PAY-ERR-08",)
    group = "error bodies"

    def field_message(self, path: str, words: str) -> str:
        """Name the neighbour."""
        return super().field_message("customer.documentType" if path == "customer.document" else path, words)
