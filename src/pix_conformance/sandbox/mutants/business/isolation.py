"""Mutants of BUS-ISO and BUS-ENV: accounts, sandbox and production."""

from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "isolation"
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


def list_newest_of_both(
    rules: Any, right: Callable[[Access, str | None], list[Row]], access: Access, status: str | None
) -> list[Row]:
    if access.environment == "sandbox":
        return right(access, status)
    return stored_charges(rules, rules.list_order(), status, account=access.account)[:1]


SANDBOX, PRODUCTION = "the sandbox, with a key of production", "production, with a key of the sandbox"


def refuse_key(rules: Any, _call: Call) -> None:
    raise rules.unauthorized("API key is not valid here")


def post_in_production(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    right(charge)
    if charge["environment"] == "sandbox":
        right(charge | {"environment": "production"})


CANCELS_THOUGH_REFUSED = acts_though_refused(
    "A cancel is refused with 404, and cancels the charge.", "cancel_charge", "missing", becomes("canceled")
)
PAYS_THOUGH_REFUSED = acts_though_refused(
    "A pay is refused with 404, and pays the charge.", "pay_charge", "missing", becomes("paid")
)
OF_OTHER_ENVIRONMENT = Guard(
    "the key is of the other environment", lambda it: it.row["environment"] != it.call.access.environment)  # fmt: skip


MUTANTS = {
    "BUS-ISO-01/shown": sees_others("get_charge", of_another_account, ANOTHER),
    "BUS-ISO-01/shown-if-paid": sees_others("get_charge", of_another_account, ANOTHER).when(in_status("paid")),
    "BUS-ISO-01/shown-if-expired": sees_others("get_charge", of_another_account, ANOTHER).when(in_status("expired")),
    "BUS-ISO-02/canceled": sees_others("cancel_charge", of_another_account, ANOTHER).also("BUS-ISO-03"),
    "BUS-ISO-02/refused-for-its-status-if-canceled": sees_others("cancel_charge", of_another_account, ANOTHER)
        .when(in_status("canceled")),
    "BUS-ISO-03/refused-and-canceled": CANCELS_THOUGH_REFUSED.when(in_status("pending"))
        .also("BUS-EVT-03", "BUS-EXP-03").seen_in("BUS-ISO-02").of("isolation"),
    "BUS-ISO-04/paid": sees_others("pay_charge", of_another_account, ANOTHER).also("BUS-ISO-05"),
    "BUS-ISO-04/refused-for-its-status-if-paid": sees_others("pay_charge", of_another_account, ANOTHER)
        .when(in_status("paid")),
    "BUS-ISO-05/refused-and-paid": PAYS_THOUGH_REFUSED.when(in_status("pending"))
        .also("BUS-EVT-02", "BUS-EXP-03").seen_in("BUS-ISO-04").of("isolation"),
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
    "BUS-ENV-09/refused-and-canceled": CANCELS_THOUGH_REFUSED.when(OF_OTHER_ENVIRONMENT, IN_SANDBOX).of("isolation"),
    "BUS-ENV-10/canceled": sees_others("cancel_charge", from_sandbox, PRODUCTION).also("BUS-ENV-11"),
    "BUS-ENV-11/refused-and-canceled": CANCELS_THOUGH_REFUSED.when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation"),
    "BUS-ENV-12/paid": sees_others("pay_charge", from_sandbox, PRODUCTION).also("BUS-ENV-13"),
    "BUS-ENV-13/refused-and-paid": PAYS_THOUGH_REFUSED.when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation"),
    "BUS-ENV-14/idempotency-keys-shared": setting(
        "Idempotency keys are shared by sandbox and production, so a replay shows the charge of the other.",
        idempotency_scope=lambda _, call: f"{call.operation}/{call.access.account}"),
    "BUS-ENV-15/sandbox-listed": lists_others(from_production, SANDBOX),
    "BUS-ENV-15/newest-of-both-listed": overrides(
        "The production list has the newest charge of both environments alone.", find_charges=list_newest_of_both)
        .seen_in("BUS-LIST-04"),
    "BUS-ENV-16/balance-of-production-raised": raises_balance(ROLES["merchant"], ROLES["live_merchant"]),
}  # fmt: skip
