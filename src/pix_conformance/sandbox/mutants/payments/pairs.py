"""Mutants of the payments API that are wrong where two requests meet: at one moment, or on one connection."""

import asyncio
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"


def charge_asked(rules: Any, call: Call) -> Row:
    row: Row = rules.owned(call, "payments_charge", call.params["id"])
    return row


def transfer_asked(rules: Any, call: Call) -> Row:
    row: Row = rules.owned(call, "transfer", call.params["id"])
    return row


async def forget_others(rules: Any, right: Any, call: Call) -> Answer:
    """Write the list of webhooks as it was before the registration, with the new one."""
    known = {hook["id"] for hook in rules.hooks_of(call)}
    await asyncio.sleep(TOGETHER_S)
    answer: Answer = await right(call)
    for hook in rules.hooks_of(call):
        if hook["id"] not in known and hook["id"] != answer.body["data"]["id"]:
            rules.store.delete("webhook", id=hook["id"])
    return answer


async def restore_others(rules: Any, right: Any, call: Call) -> Answer:
    """Write the list of webhooks as it was before the registration, with those removed meanwhile."""
    known = rules.hooks_of(call)
    await asyncio.sleep(TOGETHER_S)
    answer: Answer = await right(call)
    for hook in known:
        rules.store.put("webhook", hook)
    return answer


def to_last_owner(rules: Any, right: Any, event: str, row: Row, payload: dict[str, Any]) -> None:
    """Send an event to the webhooks of the account that had the last event of its name, a moment later."""
    rules.__dict__[f"owner of {event}"] = owner_of(row)

    async def send() -> None:
        await asyncio.sleep(TOGETHER_S)
        owner = rules.__dict__[f"owner of {event}"]
        right(event, {**row, "account": owner.account, "environment": owner.environment}, payload)

    rules.state.outbox.begin(send())


def refuse_used_token(rules: Any, right: Any, call: Call) -> Any:
    token, used = call.headers.get("authorization", ""), rules.__dict__.setdefault("tokens in use", set())
    if token in used and token.startswith("Bearer"):
        raise rules.unauthorized("the token is in use")
    used.add(token)
    return right(call)


async def free_token(rules: Any, right: Any, call: Call) -> Answer:
    try:
        answer: Answer = await right(call)
        await asyncio.sleep(TOGETHER_S)
        return answer
    finally:
        rules.__dict__.get("tokens in use", set()).discard(call.headers.get("authorization", ""))


async def share_key(rules: Any, right: Any, call: Call) -> Answer:
    """Give simultaneous requests with one key the response to the first, also those of another account."""
    key, running = rules.idempotency_key(call), rules.__dict__.setdefault("running keys", {})
    if key is None:
        answer: Answer = await right(call)
        return answer
    if key not in running:

        async def create() -> Answer:
            await asyncio.sleep(TOGETHER_S)
            created: Answer = await right(call)
            return created

        running[key] = asyncio.ensure_future(create())
        running[key].add_done_callback(lambda _: running.pop(key))
    shared: Answer = await asyncio.shield(running[key])
    return shared


MUTANTS = {
    "PAY-CHG-71/simultaneous-queries-joined": joins("get_charge"),
    "PAY-TRF-63/simultaneous-queries-joined": joins("get_transfer").also("PAY-TRF-64"),
    "PAY-ISO-05/simultaneous-lists-joined": joins("list_webhooks"),
    "PAY-ISO-09/simultaneous-balances-joined": joins("get_balance"),
    "PAY-CHG-70/queried-for-last-account": executes_for_last_account("get_charge"),
    "PAY-TRF-50/queried-for-last-account": executes_for_last_account("get_transfer"),
    "PAY-ISO-09/balance-of-last-account": executes_for_last_account("get_balance"),
    "PAY-ISO-01/created-for-last-account": executes_for_last_account("create_charge"),
    "PAY-ISO-03/created-for-last-account": executes_for_last_account("create_transfer"),
    "PAY-TRF-41/created-of-last-body": executes_last_body("create_transfer"),
    "PAY-EVT-48/created-of-last-body": executes_last_body("create_charge"),
    "PAY-WH-28/registered-of-last-body": executes_last_body("create_webhook"),
    "PAY-EVT-02/names-last-payment": reports_with_last("transaction_paid", "all name the last charge.")
        .also("PAY-EVT-13"),
    "PAY-EVT-04/names-last-completion": reports_with_last("transfer_completed", "all name the last transfer.")
        .also("PAY-EVT-15"),
    "PAY-EVT-48/amount-of-last-payment": reports_with_last(
        "transaction_paid", "all have the amount of the last charge.", "amount"),
    "PAY-EVT-68/amount-of-last-completion": reports_with_last(
        "transfer_completed", "all have the amount of the last transfer.", "amount"),
    "PAY-EVT-54/end-to-end-id-of-last-payment": reports_with_last(
        "transaction_paid", "all have the endToEndId of the last payment.", "end_to_end_id"),
    "PAY-EVT-73/end-to-end-id-of-last-completion": reports_with_last(
        "transfer_completed", "all have the endToEndId of the last completion.", "end_to_end_id"),
    "PAY-EVT-17/posted-back-to-last-charge": reports_with_last(
        "transaction_paid", "all come to the postbackUrl of the last charge.", "postback_url").also("PAY-EVT-13"),
    "PAY-ISO-08/reported-to-last-account": overrides(
        "Events of one name and moment come to the webhooks of the account that had the last of them.",
        send_event=to_last_owner),
    "PAY-PAYS-11/pending-written-back": writes_back("payments_charge", "get_charge", "pending", charge_asked),
    "PAY-CMP-10/processing-written-back": writes_back("transfer", "get_transfer", "processing", transfer_asked),
    "PAY-WH-52/simultaneous-registration-lost": overrides(
        "Of webhooks that are registered at once the last one is kept.", create_webhook=forget_others),
    "PAY-WH-62/restored-by-simultaneous-registration": overrides(
        "A webhook that is removed while another one is registered comes back.", create_webhook=restore_others)
        .also("PAY-WH-72"),
    "PAY-AUTH-09/refused-while-in-use": overrides("A token is refused while another request with it is executed.",
        authorize=refuse_used_token, serve=free_token).seen_in("PAY-CHG-71"),
    "PAY-ISO-11/simultaneous-key-shared": overrides(
        "Simultaneous transfers with one key are one, also of two accounts.", create_transfer=share_key),
    "PAY-ISO-01/account-of-the-connection": keeps_account_of_connection(),
}  # fmt: skip
