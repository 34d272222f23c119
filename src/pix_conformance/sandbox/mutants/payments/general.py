"""Mutants of PAY-GEN, PAY-VER and PAY-ERR, what holds for every route."""

from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"
GROUP_OF_AREA = {"PAY-ERR": "error bodies"}


def find_route(rules: Any, call: Call) -> None:
    """Refuse an unknown path before the credential is read."""
    if refusal := PaymentsRules.find_route(rules, call):
        raise refusal


RULES_OF_WEBHOOKS = [f"PAY-WH-{number:02d}" for number in (*range(2, 10), 11, 16, 17)]
NAMES_NOTHING = "the request is not valid"
Change = Callable[[dict[str, Any]], Any]


def with_message(message: Any) -> Change:
    return lambda body: body | {"message": message(body["message"]) if callable(message) else message}


def without(name: str) -> Change:
    return lambda body: {key: value for key, value in body.items() if key != name}


MUTANTS = {
    "PAY-GEN-01/errors-are-problem-json": changes_result("The Content-Type of errors is application/problem+json.",
        headers=lambda _, headers, _call, answer: (
            headers | ({"content-type": "application/problem+json"} if answer.status >= 400 else {}))),
    "PAY-GEN-06/removal-with-success-false": in_response("delete_webhook", "success", change=False),
    "PAY-GEN-15/nul-blocks-queries": queries_fail_after_nul().also("PAY-GEN-16"),
    "PAY-GEN-19/balance-never-responds": never_responds("get_balance")
        .seen_in("PAY-BAL-07", "PAY-BAL-11", "PAY-BAL-13"),
    "PAY-GEN-20/no-items-drops": drops_connection("create_charge", lambda body: body.get("items") == [], "no items")
        .seen_in("PAY-CHG-22"),
    "PAY-GEN-21/stops-after-404": stops_after("get_transfer", 404).seen_in("PAY-TRF-70", "PAY-BAL-07", "PAY-CHG-01"),
    "PAY-GEN-16/nul-returns-500": answers_ids("get_charge", contains("\0", "a NUL")),
    "PAY-GEN-17/nul-blocks-queries": queries_fail_after_nul("get_transfer").also("PAY-GEN-18"),
    "PAY-GEN-18/line-break-returns-500": answers_ids("get_transfer", contains("\n", "an encoded line break")),
    "PAY-VER-01/balance-is-gone": overrides(
        "GET /api/v1/balance returns 410, as if it had moved.",
        respond=lambda _, right, call, answer: (
            Answer(410, {"error": "GONE", "message": "gone"}, answer.headers)
            if call.operation == "get_balance" and answer.status == 200 else right(call, answer))).also("PAY-BAL-01"),
    "PAY-AUTH-01/login-under-v1": setting(
        "The path of authenticate is /api/v1/auth.", find_route=find_route, routes=tuple(
            (method, path.replace("/api/auth", "/api/v1/auth"), name) for method, path, name in PaymentsRules.routes)),
    "PAY-ERR-01/body-is-null": refused("unauthorized", "get_balance", body=lambda _: None)
        .says("The body of a 401 is null."),
    "PAY-ERR-01/byte-order-mark": changes_result("The body of a refusal begins with a byte order mark.",
        encode=lambda _rules, data, _call, body: b"\xef\xbb\xbf" * (b'"error"' in data) + data),
    "PAY-ERR-02/error-is-called-code": refused("invalid", "create_transfer",
        body=lambda body: without("error")(body) | {"code": body["error"]})
        .says("The error of a 400 of a transfer is called code."),
    "PAY-ERR-02/415-without-error": refused("invalid", "create_charge", status=415,
        body={"title": "Unsupported Media Type"}, about=lambda message: "Content-Type" in message).also("PAY-ERR-03")
        .seen_in("PAY-GEN-04").says("A charge of another media type is refused with 415 and a title alone."),
    "PAY-ERR-03/404-without-message": refused("missing", body=without("message")).says("A 404 has no message."),
    "PAY-ERR-04/code-for-sum-of-splits": refused(
        "invalid", "create_charge", code="SPLIT_EXCEEDED", about=lambda message: "in total" in message)
        .says("Splits of more than the whole are refused with a code of their own."),
    "PAY-ERR-04/code-for-pix-key": refused("invalid", code="INVALID_FORMAT",
        about=lambda message: "must be a CPF" in message)
        .says("A pixKey of no accepted type is refused with a code of its own."),
    "PAY-ERR-04/code-for-email": refused("invalid", code="INVALID_FORMAT",
        about=lambda message: "valid e-mail" in message).says("A wrong e-mail is refused with a code of its own."),
    "PAY-ERR-06/another-code": refused("missing", code="RESOURCE_NOT_FOUND"),
    "PAY-ERR-08/no-field-named": refused("invalid", "create_charge", body=with_message(NAMES_NOTHING))
        .says("The message of a refused charge names no field."),
    "PAY-ERR-09/no-field-named": refused("invalid", "create_transfer", body=with_message(NAMES_NOTHING))
        .says("The message of a refused transfer names no field."),
    "PAY-ERR-10/no-field-named": refused("invalid", "create_webhook", body=with_message(NAMES_NOTHING))
        .says("The message of a refused webhook names no field."),
    "PAY-ERR-11/message-of-404-is-empty": refused("missing", body=with_message(""))
        .says("The message of a 404 is empty."),
    "PAY-ERR-12/invalid-webhook-returns-500": refused(
        "invalid", "create_webhook", status=500, body={"error": "INTERNAL", "message": "unexpected"})
        .also(*RULES_OF_WEBHOOKS).says("An invalid webhook is refused with 500."),
}  # fmt: skip
