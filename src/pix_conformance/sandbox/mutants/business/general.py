"""Mutants of BUS-GEN, BUS-VER and BUS-ERR, what holds for every route."""

from typing import Any

from pix_conformance.model.operations import by_name
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"
GROUP_OF_AREA = {"BUS-ERR": "error bodies"}


async def create_payout(_rules: Any, call: Call) -> Answer:
    return Answer(202, {"id": f"po_{call.access.account}", "status": "processing"})


async def list_payouts(_rules: Any, _call: Call) -> Answer:
    return Answer(200, [])


ALL = range(400, 500)


def in_refusals(sentence: str, change: Any, statuses: range = ALL, where: str = "") -> Difference:
    """Change the bodies of refusals, or a value in them."""
    return in_response(" ".join(by_name(Api.BUSINESS)), where, change, statuses).says(sentence).of("error bodies")


def only(status: int) -> range:
    return range(status, status + 1)


def list_of_errors(body: dict[str, Any]) -> dict[str, Any]:
    name = body["detail"].partition(" ")[0]
    return {"detail": [{"loc": ["body", name], "msg": body["detail"], "type": "value_error"}]}


MUTANTS = {
    "BUS-GEN-01/strings-in-list": in_response("list_charges", "*.amount_cents", str).also("BUS-LIST-17")
        .says("The list shows amounts as strings."),
    "BUS-GEN-02/plain-text": labelled("text/plain"),
    "BUS-GEN-03/unknown-filter-returns-500": refused("invalid", "list_charges", status=500).also("BUS-LIST-16"),
    "BUS-GEN-03/unknown-path-returns-500": changes_result(
        "An unknown path returns 500.", respond=lambda _, answer, call, _answer: (
            Answer(500, answer.body) if not call.operation and answer.status == 404 else answer)),
    "BUS-GEN-03/amount-of-32-bits-returns-500": changes_result("An amount_cents of 2^31 or more returns 500.",
        complaint=lambda _, right, key, value, _field: (
            "OVERFLOW" if key == "amount_cents" and value >= 1 << 31 else right),
        respond=lambda _, right, _call, _answer: (Answer(500, right.body) if "OVERFLOW" in str(right.body) else right)),
    "BUS-GEN-03/id-of-another-form-returns-500": answers_ids("get_charge",
        Kind("an id that does not begin with chg_", lambda number: not number.startswith("chg_"))).also("BUS-CHG-70"),
    "BUS-GEN-18/cancel-never-responds": never_responds("cancel_charge")
        .seen_in("BUS-CAN-01", "BUS-CAN-02", "BUS-CAN-17"),
    "BUS-GEN-19/empty-description-drops": drops_connection(
        "create_charge", lambda body: body.get("description") == "", "an empty description").seen_in("BUS-CHG-39"),
    "BUS-GEN-20/stops-after-409": stops_after("cancel_charge", 409).seen_in("BUS-CAN-04", "BUS-FIN-01", "BUS-LIST-01"),
    "BUS-GEN-07/payout-created": setting("A POST to the reserved path of payouts returns 202.",
        create_payout=create_payout, routes=(*BusinessRules.routes, ("POST", "/v1/business/payouts", "create_payout"))),
    "BUS-GEN-17/payouts-listed": setting("A GET of the reserved path of payouts returns 200.",
        list_payouts=list_payouts, routes=(*BusinessRules.routes, ("GET", "/v1/business/payouts", "list_payouts"))),
    "BUS-GEN-15/queries-fail-after-nul": queries_fail_after_nul().also("BUS-GEN-16"),
    "BUS-GEN-16/nul-returns-500": answers_ids("get_charge", contains("\0", "a NUL")),
    "BUS-CHG-01/routes-without-business": setting("All routes but the list are under /v1, without /business.",
        routes=tuple((method, path if name == "list_charges" else path.replace("/business", ""), name)
            for method, path, name in BusinessRules.routes)).also("BUS-FIN-01"),
    "BUS-VER-01/finance-is-gone": overrides("GET /v1/business/finance returns 410, as if it had moved.",
        respond=lambda _, right, call, answer: (
            Answer(410, {"detail": "gone", "error": "GONE"}, answer.headers)
            if call.operation == "get_finance" and answer.status == 200 else right(call, answer))).also("BUS-FIN-01"),
    "BUS-ERR-01/401-is-empty": overrides("A 401 has no body.", respond=lambda _, right, call, answer: (
            Answer(401, b"", answer.headers) if call.operation and answer.status == 401 else right(call, answer)),
        encode=lambda _, right, call, body: body if isinstance(body, bytes) else right(call, body)),
    "BUS-ERR-01/in-utf-16": changes_result("The body of a refusal is in UTF-16.",
        encode=lambda _rules, data, _call, _body: data.decode().encode("utf-16") if b'"detail"' in data else data),
    "BUS-ERR-02/detail-of-422-is-an-array": in_refusals(
        "The detail of a 422 is an array of errors, each with the name of its field.", list_of_errors, only(422)),
    "BUS-ERR-03/code-beside-detail": in_refusals(
        "A refusal has a code beside its detail.", lambda body: body | {"code": "ERROR"}),
    "BUS-ERR-04/no-field-if-missing": refused("invalid", body={"detail": "incomplete"},
        about=lambda text: "required" in text).says("The detail of a 422 for a missing field does not name it."),
    "BUS-ERR-05/plain-text": labelled("text/plain", ALL).of("error bodies"),
    "BUS-ERR-06/empty-in-403": in_refusals("The detail of a 403 is empty.", "", only(403), where="detail"),
}  # fmt: skip
