"""Mutants of PAY-ISO and PAY-ENV: accounts, sandbox and production."""

from typing import Any

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "isolation"
OLDEST, OTHER = Access("merchant-a", "sandbox"), Access("merchant-b", "sandbox")
BY_OLDEST = Guard("the caller is the oldest account", lambda it: it.call.access == OLDEST)
DONE = Guard("it is paid or completed", lambda it: it.row["status"] in {"paid", "completed"})
OF_SAME_ENVIRONMENT = Guard(
    "it is of the caller's environment", lambda it: it.row["environment"] == it.call.access.environment
)
ANOTHER = "another account"


def any_owner(_caller: Access, _owner: Access) -> bool:
    return True


def hooks_of_all(rules: Any, event: str, owner: Access) -> list[Row]:
    hooks = rules.store.rows("webhook", environment=owner.environment, is_active=1)
    return [hook for hook in hooks if rules.subscribes(hook, event)]


def take_url_over(rules: Any, hook: Row, _call: Call, _read: Any) -> None:
    for row in rules.store.rows("webhook", url=hook["url"]):
        if owner_of(row) != owner_of(hook):
            rules.remove_webhook(row)


PRODUCTION = Access("merchant-a", "production")
OF_THE_OTHER_ENVIRONMENT = Guard(
    "it belongs to the other environment", lambda it: of_the_other_environment(it.call.access, owner_of(it.row))
)
OTHER_ENVIRONMENT, SANDBOX = "the other environment", "the sandbox, with a production token"


def created_in_production(rules: Any, answer: Answer, _: Call) -> Answer:
    claims = rules.read_token(answer.body["token"]) or {}
    return answer if claims.get("environment") == "sandbox" else Answer(201, answer.body)


MUTANTS = {
    "PAY-ISO-01/shown-once-done": sees_others("get_charge get_transfer", any_owner, "any account")
        .when(DONE, OF_SAME_ENVIRONMENT).also("PAY-ISO-03"),
    "PAY-ISO-01/shown-to-oldest": sees_others(
        "get_charge", lambda caller, owner: caller == OLDEST and owner.is_sandbox, "others to the oldest account"),
    "PAY-ISO-02/refused-for-its-status": refused(
        "missing", "pay_charge complete_transfer", status=400, code="INVALID_STATUS").when(DONE).also("PAY-ISO-04"),
    "PAY-ISO-03/shown": sees_others("get_transfer", of_another_account, ANOTHER),
    "PAY-ISO-11/shown-by-its-key": setting(
        "Idempotency keys are shared by all accounts, so a replay shows the transfer of another.",
        idempotency_scope=lambda _, call: call.operation).of("idempotency"),
    "PAY-ISO-12/paid": sees_others("pay_charge", of_another_account, ANOTHER),
    "PAY-ISO-12/paid-with-postback": sees_others("pay_charge", any_owner, "any account").when(WITH_POSTBACK),
    "PAY-ISO-12/refused-and-paid": acts_though_refused(
        "The charge of a refused pay is paid", "pay_charge", "missing",
        claim_paid).when(OF_ANOTHER_ACCOUNT).of("isolation"),
    "PAY-ISO-04/refused-with-403": refused("missing", "complete_transfer", status=403, code="FORBIDDEN")
        .when(OF_ANOTHER_ACCOUNT),
    "PAY-ISO-13/completed": sees_others("complete_transfer", of_another_account, ANOTHER),
    "PAY-ISO-13/refused-and-completed": acts_though_refused("The transfer of a refused completion is completed.",
        "complete_transfer", "missing", claim_completed).when(OF_ANOTHER_ACCOUNT).of("isolation"),
    "PAY-ISO-05/listed": setting("The list shows the webhooks of all accounts.",
        hooks_of=lambda rules, call: rules.store.rows("webhook", "id", environment=call.access.environment)),
    "PAY-ISO-05/listed-to-oldest": setting("The list shows the webhooks of all accounts and environments.",
        hooks_of=lambda rules, _: rules.store.rows("webhook", "id")).when(BY_OLDEST),
    "PAY-ISO-06/removed": sees_others("delete_webhook", of_another_account, ANOTHER).also("PAY-ISO-07"),
    "PAY-ISO-06/refused-and-removed": acts_though_refused(
        "The webhook of a refused removal is removed.", "delete_webhook", "missing",
        lambda rules, hook: rules.remove_webhook(hook)).when(OF_ANOTHER_ACCOUNT).of("isolation"),
    "PAY-ISO-07/refused-with-403": refused("missing", "delete_webhook", status=403, code="FORBIDDEN")
        .when(OF_ANOTHER_ACCOUNT),
    "PAY-ISO-08/events-for-all": setting("Events are sent to the webhooks of all accounts.", listeners=hooks_of_all),
    "PAY-ISO-09/paid-to-another": pays_into(OTHER),
    "PAY-ISO-09/taken-from-another": transfers_from(OTHER).seen_in("PAY-CHG-75"),
    "PAY-ISO-10/url-taken-over": acts_after(
        "A url has one webhook in all: who creates it takes it from another account.", new_webhook=take_url_over),
    "PAY-ENV-01/login-returns-201": changes_result(
        "A login with a production pair returns 201.", authenticate=created_in_production),
    "PAY-ENV-02/charge-refused": refuses_operation("create_charge", "forbidden").when(IN_PRODUCTION).of("isolation")
        .says("A charge cannot be created with a production token."),
    "PAY-ENV-03/sandbox-charge-shown": sees_others("get_charge", from_production, SANDBOX),
    "PAY-ENV-04/production-charge-shown": sees_others("get_charge", from_sandbox, "production, with a sandbox token"),
    "PAY-ENV-05/sandbox-transfer-shown": sees_others("get_transfer", from_production, SANDBOX),
    "PAY-ENV-08/payment-in-production": pays_into(PRODUCTION),
    "PAY-ENV-08/transfer-from-production": transfers_from(PRODUCTION).seen_in("PAY-CHG-75"),
    "PAY-ENV-12/sandbox-webhook-removed": sees_others("delete_webhook", of_the_other_environment, OTHER_ENVIRONMENT),
    "PAY-ENV-13/refused-with-400": refused("missing", "complete_transfer", status=400, code="INVALID_STATUS")
        .when(OF_THE_OTHER_ENVIRONMENT),
    "PAY-ENV-14/refused-with-400": refused("missing", "pay_charge", status=400, code="INVALID_STATUS")
        .when(IN_SANDBOX, OF_THE_OTHER_ENVIRONMENT),
    "PAY-ENV-15/refused-with-400": refused("missing", "pay_charge", status=400, code="INVALID_STATUS")
        .when(IN_PRODUCTION, OF_THE_OTHER_ENVIRONMENT),
    "PAY-ENV-19/completed": sees_others("complete_transfer", of_the_other_environment, OTHER_ENVIRONMENT)
        .also("PAY-ENV-13"),
    "PAY-ENV-19/refused-and-completed": acts_though_refused(
        "The completion with a production token is refused, and completes the sandbox transfer",
        "complete_transfer", "missing", claim_completed).when(OF_THE_OTHER_ENVIRONMENT).of("isolation"),
    "PAY-ENV-20/paid": sees_others("pay_charge", of_the_other_environment, OTHER_ENVIRONMENT),
    "PAY-ENV-20/refused-and-paid": acts_though_refused(
        "The pay with a production token is refused, and pays the sandbox charge", "pay_charge", "missing", claim_paid)
        .when(IN_SANDBOX, OF_THE_OTHER_ENVIRONMENT).of("isolation"),
    "PAY-ENV-21/paid": overrides("A production charge can be paid with the sandbox token of its account.",
        sees=lambda _, right, access, owner, operation: (
            operation == "pay_charge" and from_sandbox(access, owner)) or right(access, owner, operation),
        require_sandbox=lambda _, right, call, row: None if call.access.is_sandbox else right(call, row))
        .also("PAY-ENV-15"),
    "PAY-ENV-21/refused-and-paid": acts_though_refused(
        "The pay with a sandbox token is refused, and pays the production charge", "pay_charge", "missing", claim_paid)
        .when(IN_PRODUCTION, OF_THE_OTHER_ENVIRONMENT).of("isolation"),
}  # fmt: skip
