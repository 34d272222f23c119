"""Conforming variants where PAY-ENV is silent: sandbox and production."""

from typing import Any

from pix_conformance.proof.difference import changes_refusal, setting
from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.store import Row


def hooks_of_account(rules: Any, call: Call) -> list[Row]:
    found: list[Row] = rules.store.rows("webhook", "id", account=call.access.account)
    return found


def listeners_of_account(rules: Any, event: str, owner: Access) -> list[Row]:
    hooks = rules.store.rows("webhook", account=owner.account, is_active=1)
    return [hook for hook in hooks if rules.subscribes(hook, event)]


def forbid_own(rules: Any, _refusal: Refusal, call: Call, table: str, number: object) -> Refusal | None:
    row = rules.store.find(table, id=number)
    own = call.operation in {"pay_charge", "complete_transfer"} and row and row["account"] == call.access.account
    return Refusal("forbidden", "it belongs to another environment") if own else None


VARIANTS = {
    "PAY-ENV-06": {"other-environment-is-forbidden": changes_refusal(
            "A simulation of one's own charge of the other environment is forbidden (payments.md, line 248).",
            owned=forbid_own).also("PAY-ENV-22")},
    "PAY-ENV-07": {
        "webhooks-shared": setting(
            "Sandbox and production list the same webhooks: "
            "only company data, balance, charges and transfers are separate (payments.md, line 23).",
            hooks_of=hooks_of_account),
        "events-shared": setting(
            "Webhooks of both environments are listed and receive all events: they are not named "
            "(payments.md, line 23).", hooks_of=hooks_of_account, listeners=listeners_of_account).also("PAY-ENV-18"),
    },
}  # fmt: skip
