"""Mutants of PAY-ISO, isolation of accounts."""

from typing import Any

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *
from pix_conformance.sandbox.mutants.payments.pay import pay

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


def take_url_over(rules: Any, hook: Row, _call: Call, _read: Any) -> Row:
    for row in rules.store.rows("webhook", url=hook["url"]):
        if owner_of(row) != owner_of(hook):
            rules.remove_webhook(row)
    return hook


MUTANTS = {
    "PAY-ISO-01/shown-once-done": sees_others("get_charge get_transfer", any_owner, "any account")
        .when(DONE, OF_SAME_ENVIRONMENT).also("PAY-ISO-03"),
    "PAY-ISO-01/shown-to-oldest": sees_others(
        "get_charge", lambda caller, owner: caller == OLDEST and owner.is_sandbox, "others to the oldest account"),
    "PAY-ISO-02/refused-for-its-status": refused("missing", "pay_charge complete_transfer", status=400,
        code="INVALID_STATUS")
        .when(DONE).also("PAY-ISO-04"),
    "PAY-ISO-03/shown": sees_others("get_transfer", of_another_account, ANOTHER),
    "PAY-ISO-11/shown-by-its-key": setting(
        "Idempotency keys are shared by all accounts, so a replay shows the transfer of another.",
        idempotency_scope=lambda _, call: call.operation).of("idempotency"),
    "PAY-ISO-12/paid": sees_others("pay_charge", of_another_account, ANOTHER),
    "PAY-ISO-12/paid-with-postback": sees_others("pay_charge", any_owner, "any account").when(WITH_POSTBACK),
    "PAY-ISO-12/refused-and-paid": acts_though_refused(
        "The charge of a refused pay is paid", "pay_charge", "missing", pay).when(OF_ANOTHER_ACCOUNT).of("isolation"),
    "PAY-ISO-04/refused-with-403": refused("missing", "complete_transfer", status=403, code="FORBIDDEN")
        .when(OF_ANOTHER_ACCOUNT),
    "PAY-ISO-13/completed": sees_others("complete_transfer", of_another_account, ANOTHER),
    "PAY-ISO-13/refused-and-completed": acts_though_refused(
        "The transfer of a refused completion is completed.", "complete_transfer", "missing",
        lambda rules, transfer: rules.claim_transfer(transfer, rules.completed_changes(transfer)))
        .when(OF_ANOTHER_ACCOUNT).of("isolation"),
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
    "PAY-ISO-10/url-taken-over": changes_result(
        "A url has one webhook in all: who creates it takes it from another account.", new_webhook=take_url_over),
}  # fmt: skip
