"""Mutants of BUS-GEN, BUS-VER and BUS-ERR, for every route, and of BUS-ISO and BUS-ENV, accounts and environments."""

from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"
GROUP_OF_AREA = {"BUS-ERR": "error bodies", "BUS-ISO": "isolation", "BUS-ENV": "isolation"}


async def create_payout(_rules: Any, call: Call) -> Answer:
    return Answer(202, {"id": f"po_{call.access.account}", "status": "processing"})


async def list_payouts(_rules: Any, _call: Call) -> Answer:
    return Answer(200, [])


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


ANOTHER = "another account"


def postings_among_latest(rules: Any, access: Access, limit: int) -> list[Row]:
    latest = rules.store.rows("posting", "seq DESC", limit)
    own = [row for row in latest if row["book"] == rules.book(access)]
    return [row | {"entries": rules.store.rows("entry", posting=row["id"])} for row in own]


def post_to_another(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    right(charge)
    merchant, other = ROLES["merchant"], ROLES["other_merchant"]
    if (charge["account"], charge["environment"]) == (merchant.account, merchant.environment):
        right(charge | {"account": other.account})


SANDBOX, PRODUCTION = "the sandbox, with a key of production", "production, with a key of the sandbox"


def refuse_key(rules: Any, _call: Call) -> None:
    raise rules.unauthorized("API key is not valid here")


def post_in_production(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    right(charge)
    if charge["environment"] == "sandbox":
        right(charge | {"environment": "production"})


OF_OTHER_ENVIRONMENT = Guard(
    "the key is of the other environment", lambda it: it.row["environment"] != it.call.access.environment)  # fmt: skip


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
    "BUS-GEN-07/payout-created": setting("A POST to the reserved path of payouts returns 202.",
        create_payout=create_payout, routes=(*BusinessRules.routes, ("POST", "/v1/business/payouts", "create_payout"))),
    "BUS-GEN-17/payouts-listed": setting("A GET of the reserved path of payouts returns 200.",
        list_payouts=list_payouts, routes=(*BusinessRules.routes, ("GET", "/v1/business/payouts", "list_payouts"))),
    "BUS-GEN-15/queries-fail-after-nul": queries_fail_after_nul().also("BUS-GEN-16"),
    "BUS-GEN-16/nul-returns-500": answers_ids("get_charge", contains("\0", "a NUL")),
    "BUS-VER-01/routes-without-business": setting("All routes but the list are under /v1, without /business.",
        routes=tuple((method, path if name == "list_charges" else path.replace("/business", ""), name)
            for method, path, name in BusinessRules.routes)).also("BUS-CHG-01", "BUS-FIN-01"),
    "BUS-ERR-01/401-is-empty": overrides("A 401 has no body.", respond=lambda _, right, call, answer: (
            Answer(401, b"", answer.headers) if call.operation and answer.status == 401 else right(call, answer)),
        encode=lambda _, right, call, body: body if isinstance(body, bytes) else right(call, body)),
    "BUS-ERR-02/detail-of-422-is-an-array": in_refusals(
        "The detail of a 422 is an array of errors, each with the name of its field.", list_of_errors, only(422)),
    "BUS-ERR-03/code-beside-detail": in_refusals(
        "A refusal has a code beside its detail.", lambda body: body | {"code": "ERROR"}),
    "BUS-ERR-04/no-field-if-missing": refused("invalid", body={"detail": "incomplete"},
        about=lambda text: "required" in text).says("The detail of a 422 for a missing field does not name it."),
    "BUS-ERR-05/plain-text": labelled("text/plain", ALL).of("error bodies"),
    "BUS-ERR-06/empty-in-403": in_refusals("The detail of a 403 is empty.", "", only(403), where="detail"),
    "BUS-ISO-01/shown": sees_others("get_charge", of_another_account, ANOTHER),
    "BUS-ISO-01/shown-if-paid": sees_others("get_charge", of_another_account, ANOTHER).when(in_status("paid")),
    "BUS-ISO-01/shown-if-expired": sees_others("get_charge", of_another_account, ANOTHER).when(in_status("expired")),
    "BUS-ISO-02/canceled": sees_others("cancel_charge", of_another_account, ANOTHER).also("BUS-ISO-03"),
    "BUS-ISO-02/refused-for-its-status-if-canceled": sees_others("cancel_charge", of_another_account, ANOTHER)
        .when(in_status("canceled")),
    "BUS-ISO-03/refused-and-canceled": acts_though_refused(
        "A cancel is refused with 404, and cancels the charge.", "cancel_charge", "missing", becomes("canceled"))
        .when(in_status("pending")).also("BUS-EVT-03", "BUS-EXP-03").seen_in("BUS-ISO-02").of("isolation"),
    "BUS-ISO-04/paid": sees_others("pay_charge", of_another_account, ANOTHER).also("BUS-ISO-05"),
    "BUS-ISO-04/refused-for-its-status-if-paid": sees_others("pay_charge", of_another_account, ANOTHER)
        .when(in_status("paid")),
    "BUS-ISO-05/refused-and-paid": acts_though_refused(
        "A pay is refused with 404, and pays the charge.", "pay_charge", "missing", becomes("paid"))
        .when(in_status("pending")).also("BUS-EVT-02", "BUS-EXP-03").seen_in("BUS-ISO-04").of("isolation"),
    "BUS-ISO-06/listed-if-expired": lists_others(of_another_account, ANOTHER, "expired"),
    "BUS-ISO-06/listed-if-canceled": lists_others(of_another_account, ANOTHER, "canceled"),
    "BUS-ISO-07/posted-to-another-too": overrides(
        "A payment is posted to the ledger of another account as well.", capture=post_to_another).also("BUS-ISO-10"),
    "BUS-ISO-10/balance-of-another-raised": raises_balance(ROLES["merchant"], ROLES["other_merchant"]),
    "BUS-ISO-11/refused-pay-posted": acts_though_refused(
        "A pay is refused with 404, and posted to the ledger.", "pay_charge", "missing",
        lambda rules, charge: rules.capture(charge)).when(in_status("pending")).of("isolation"),
    "BUS-ISO-12/own-of-latest-of-all": setting(
        "The ledger shows the caller's postings among the latest of all accounts.", postings=postings_among_latest),
    "BUS-ISO-13/one-merchant": changes_result("The ledgers of all accounts have one merchant_id.",
        finance_view=lambda _, view, _access: view | {"merchant_id": "merchant"}),
    "BUS-ISO-08/keys-shared": setting(
        "Idempotency keys are shared by all accounts, so a replay shows the charge of another.",
        idempotency_scope=lambda _, call: f"{call.operation}/{call.access.environment}"),
    "BUS-ENV-01/balance-refused-with-401": setting("The balance is refused with 401.", get_finance=refuse_key)
        .when(IN_PRODUCTION),
    "BUS-ENV-02/shown-if-paid": sees_others("get_charge", from_production, SANDBOX).when(in_status("paid")),
    "BUS-ENV-02/shown-if-canceled": sees_others("get_charge", from_production, SANDBOX).when(in_status("canceled")),
    "BUS-ENV-03/shown": sees_others("get_charge", from_sandbox, PRODUCTION),
    "BUS-ENV-04/production-listed-if-pending-are-asked-for": lists_others(from_sandbox, PRODUCTION, "pending")
        .when(FILTERED),
    "BUS-ENV-05/posted-in-production-too": overrides(
        "A payment in the sandbox is posted to the ledger of production as well.", capture=post_in_production)
        .also("BUS-ENV-16"),
    "BUS-ENV-08/canceled": sees_others("cancel_charge", from_production, SANDBOX).also("BUS-ENV-09"),
    "BUS-ENV-09/refused-and-canceled": acts_though_refused("A cancel is refused with 404, and cancels the charge.",
        "cancel_charge", "missing", becomes("canceled")).when(OF_OTHER_ENVIRONMENT, IN_SANDBOX).of("isolation"),
    "BUS-ENV-10/canceled": sees_others("cancel_charge", from_sandbox, PRODUCTION).also("BUS-ENV-11"),
    "BUS-ENV-11/refused-and-canceled": acts_though_refused("A cancel is refused with 404, and cancels the charge.",
        "cancel_charge", "missing", becomes("canceled")).when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation"),
    "BUS-ENV-12/paid": sees_others("pay_charge", from_sandbox, PRODUCTION).also("BUS-ENV-13"),
    "BUS-ENV-13/refused-and-paid": acts_though_refused("A pay is refused with 404, and pays the charge.",
        "pay_charge", "missing", becomes("paid")).when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation"),
    "BUS-ENV-14/idempotency-keys-shared": setting(
        "Idempotency keys are shared by sandbox and production, so a replay shows the charge of the other.",
        idempotency_scope=lambda _, call: f"{call.operation}/{call.access.account}"),
    "BUS-ENV-15/sandbox-listed": lists_others(from_production, SANDBOX),
    "BUS-ENV-16/balance-of-production-raised": raises_balance(ROLES["merchant"], ROLES["live_merchant"]),
}  # fmt: skip
