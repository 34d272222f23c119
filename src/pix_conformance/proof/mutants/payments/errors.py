"""Refusals of the payments API with another body, code or status than the document shows."""

from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, RefusesOtherwise, in_answers, refusing
from pix_conformance.proof.mutants.tabled import GONE, family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

NAMED = "error bodies"
EVERY = (
    "authenticate create_charge get_charge pay_charge create_transfer get_transfer complete_transfer "
    "get_balance list_webhooks create_webhook delete_webhook"
)
HOOK_RULES = " ".join(f"PAY-WH-{number:02d}" for number in (*range(2, 10), 11, 16, 17))
TRANSFER_RULES = " ".join(f"PAY-TRF-{one:02d}" for one in (*range(2, 8), 9, 13, 14, 18, 20, 22, 23, 25, 26))
KEY_RULES = " ".join(f"PAY-KEY-{one:02d}" for one in (*range(6, 11), 15))
CHARGE, TRANSFER, HOOK = "create_charge", "create_transfer", "create_webhook"


def _errors(status: int, operations: str, where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes the errors of one status."""
    return in_answers(operations, where, change) | {"statuses": (status,)}


def _code(code: str) -> Any:
    return lambda _: code


globals().update(
    family(__name__, NAMED, ChangesAnswers, {
        "ErrorListed": ("The body of a 400 is an array of errors.", "PAY-ERR-01 PAY-ERR-04 PAY-ERR-08",
            _errors(400, CHARGE, "", lambda body: [body])),
        "ErrorText": ("The body of a 404 is a JSON text.", "PAY-ERR-01",
            _errors(404, EVERY, "", lambda body: body["message"])),
        "ErrorNull": ("The body of a 401 is null.", "PAY-ERR-01", _errors(401, "get_balance", "", None)),
        "ErrorAsObject": ("The error of a 400 is an object of code and message.", "PAY-ERR-02 PAY-ERR-04",
            _errors(400, CHARGE, "error", lambda code: {"code": code})),
        "ErrorAsStatus": ("The error of a 404 is the number of the status.", "PAY-ERR-02",
            _errors(404, "get_charge", "error", 404)),
        "ErrorTrue": ("The error of a 401 is true.", "PAY-ERR-02",
            _errors(401, EVERY, "error", True)),  # noqa: FBT003 - a value in JSON, no flag
        "ErrorNamedCode": ("A 400 of a transfer calls its error code.", "PAY-ERR-02",
            _errors(400, TRANSFER, "", lambda body: {"code": body["error"], "message": body["message"]})),
        "ErrorMissing": ("A 401 has a message only.", "PAY-ERR-02", _errors(401, EVERY, "error", GONE)),
        "MessageMissing": ("A 404 has no message.", "PAY-ERR-03", _errors(404, EVERY, "message", GONE)),
        "MessageListed": ("The message of a 400 is an array of sentences.", "PAY-ERR-03 PAY-ERR-08",
            _errors(400, CHARGE, "message", lambda text: [text])),
        "MessageListedOfHook": ("The message of a 400 of a webhook is an array of sentences.",
            "PAY-ERR-03 PAY-ERR-10",
            _errors(400, HOOK, "message", lambda text: [text])),
        "MessageOfFields": ("The message of a 400 is an object of fields.", "PAY-ERR-03 PAY-ERR-09",
            _errors(400, TRANSFER, "message", lambda text: {text.partition(" ")[0]: text})),
        "MessageNull": ("The message of a 401 is null.", "PAY-ERR-03", _errors(401, EVERY, "message", None)),
        "MessageEmpty": ("The message of a 401 is empty.", "PAY-ERR-11", _errors(401, EVERY, "message", "")),
        "MessageEmptyOfUnknown": ("The message of a 404 is empty.", "PAY-ERR-11", _errors(404, EVERY, "message", "")),
        "InvalidOfAnotherCode": ("The code of a 400 is VALIDATION_ERROR.", "PAY-ERR-04",
            _errors(400, f"{CHARGE} {TRANSFER} {HOOK}", "error", _code("VALIDATION_ERROR"))),
        "InvalidHookOfAnotherCode": ("The code of a 400 of a webhook is BAD_REQUEST.", "PAY-ERR-04",
            _errors(400, HOOK, "error", _code("BAD_REQUEST"))),
        "InvalidTransferOfAnotherCode": ("The code of a 400 of a transfer is INVALID_TRANSFER.", "PAY-ERR-04",
            _errors(400, TRANSFER, "error", _code("INVALID_TRANSFER"))),
        "InvalidInSmallLetters": ("The code of a 400 of a charge is written in small letters.", "PAY-ERR-04",
            _errors(400, CHARGE, "error", str.lower)),
        "InvalidWithBlank": ("The code of a 400 of a charge has a blank in it.", "PAY-ERR-04",
            _errors(400, CHARGE, "error", _code("INVALID REQUEST"))),
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
        "ErrorsInEnvelope": ("Errors of charges are put into an envelope.",
            "PAY-ERR-02 PAY-ERR-03 PAY-ERR-04 PAY-ERR-08",
            _errors(400, CHARGE, "", lambda body: {"success": False, "error": body})),
        "InvalidNamesNothing": ("The message of a refused charge names no field.", "PAY-ERR-08",
            _errors(400, CHARGE, "message", "the request is not valid")),
        "InvalidTransferNamesNothing": ("The message of a refused transfer names no field.", "PAY-ERR-09",
            _errors(400, TRANSFER, "message", "the request is not valid")),
        "InvalidHookNamesNothing": ("The message of a refused webhook names no field.", "PAY-ERR-10",
            _errors(400, HOOK, "message", "the request is not valid")),
        "InvalidNamesObject": ("The message of a refused customer names the customer, not the field.", "PAY-ERR-08",
            _errors(400, CHARGE, "message", lambda text: "customer is not valid" if "customer." in text else text)),
        "InvalidNamesAmountOnly": ("The message of any refused charge names amountInCents.", "PAY-ERR-08",
            _errors(400, CHARGE, "message", "amountInCents is not valid")),
        "InvalidCurrencyNamesNothing": ("The message of a wrong currency does not name it.", "PAY-ERR-09",
            _errors(400, TRANSFER, "message", lambda text: "only BRL" if "currency" in text else text)),
        "InvalidEventsNamesNothing": ("The message of an unknown event does not name the field.", "PAY-ERR-10",
            _errors(400, HOOK, "message", lambda text: "unknown name" if "events" in text else text)),
    }),
    **family(__name__, NAMED, RefusesOtherwise, {
        "InvalidUnprocessable": ("An invalid webhook is refused with 422.",
            HOOK_RULES,
            refusing("invalid", HOOK, lambda r: Answer(422, {"error": "INVALID_REQUEST", "message": r.message}))),
        "InvalidWithSuccess": ("An invalid transfer is answered 200 with success: false.",
            f"{TRANSFER_RULES} {KEY_RULES} PAY-TRF-32 PAY-GEN-06",
            refusing("invalid", TRANSFER, lambda r: Answer(200, {"success": False, "error": "INVALID_REQUEST",
                "message": r.message}))),
        "InvalidBreaks": ("An invalid webhook ends in a 500.", f"PAY-ERR-12 {HOOK_RULES}",
            refusing("invalid", HOOK, lambda _: Answer(500, {"error": "INTERNAL", "message": "unexpected"}))),
    }),
)  # fmt: skip


class InvalidAmount422(PaymentsRules):
    """A charge below the minimum is refused with 422; all else with 400."""

    breaks = ("PAY-CHG-06",)
    group = NAMED

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Change that one status."""
        answer = super().respond(call, answer)
        below = answer.status == 400 and "at least 100" in str(answer.body)  # noqa: PLR2004 - the right one
        return Answer(422, answer.body, answer.headers) if below else answer


class WideDescriptionBreaks(PaymentsRules):
    """A description that is too long ends in a 500, from the database."""

    breaks = ("PAY-CHG-13", "PAY-ERR-12")
    group = NAMED

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail instead of refusing."""
        answer = super().respond(call, answer)
        long = call.operation == CHARGE and "at most 140" in str(answer.body)
        return Answer(500, {"error": "INTERNAL", "message": "value too long for type"}) if long else answer


class ErrorsAsPage(PaymentsRules):
    """The body of a 404 is a page of HTML."""

    breaks = ("PAY-ERR-01",)
    group = NAMED

    def encode(self, call: Call, body: Any) -> bytes:
        """Write the page."""
        lost = isinstance(body, dict) and body.get("error") == "NOT_FOUND" and call.operation != ""
        return b"<html><body>Not Found</body></html>" if lost else super().encode(call, body)


class ErrorsEmpty(PaymentsRules):
    """A 401 has no body."""

    breaks = ("PAY-ERR-01",)
    group = NAMED

    def encode(self, call: Call, body: Any) -> bytes:
        """Write nothing."""
        unknown = isinstance(body, dict) and body.get("error") == "UNAUTHORIZED"
        return b"" if unknown else super().encode(call, body)


class SplitsBeyondOfAnotherCode(PaymentsRules):
    """Splits of more than 100 in all are refused with a code of their own."""

    breaks = ("PAY-ERR-04",)
    group = NAMED

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Write SPLIT_EXCEEDED."""
        answer = super().respond(call, answer)
        if call.operation == CHARGE and "in all" in str(answer.body):
            answer.body = answer.body | {"error": "SPLIT_EXCEEDED"}
        return answer
