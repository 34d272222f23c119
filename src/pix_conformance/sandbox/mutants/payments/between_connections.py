"""Mutants of the payments API that are wrong between two connections: broken ones, slow ones, those of two accounts."""

import json
import time
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "network"
GROUP_OF_AREA = {"PAY-ISO": "isolation", "PAY-AUTH": "auth"}
LOCKED_S = 5
"""Seconds for which a login is in progress."""


async def with_access_of_field(rules: Any, right: Any, call: Call) -> Answer:
    field = shared(rules, "access", dict)
    field["value"] = call.access
    await take_moment()
    call.access = field["value"]
    answer: Answer = await right(call)
    return answer


async def keep_owner(rules: Any, right: Any, call: Call, place: str) -> None:
    await right(call, place)
    if call.operation == "create_charge" and place == "create":
        shared(rules, "owner", dict)["value"] = call.access
        await take_moment()


async def list_of_last_second(rules: Any, right: Any, call: Call) -> Answer:
    cache, query = shared(rules, "lists", dict), json.dumps(call.query)
    at, answer = cache.get(query, (0.0, None))
    if time.monotonic() - at > 1:
        answer = await right(call)
        cache[query] = time.monotonic(), answer
    return Answer(answer.status, answer.body)


async def drop_lists(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    shared(rules, "lists", dict).clear()
    return answer


async def refuse_during_login(rules: Any, right: Any, call: Call) -> Answer:
    pair = rules.basic_pair(call.headers.get("authorization", ""))
    return await answer_in_progress(rules, right, call, "accounts that log in", pair and rules.find_client(*pair))


def refuse_while_renewed(rules: Any, access: Access, _call: Call) -> Access:
    if access in shared(rules, "accounts that log in", list):
        raise rules.unauthorized("token has been renewed")
    return access


async def lock_cut_login(rules: Any, right: Any, call: Call) -> Answer:
    locked, credential = shared(rules, "locked", dict), call.headers.get("authorization", "")
    if locked.get(credential, 0.0) > time.monotonic():
        raise rules.unauthorized("a login with these credentials is in progress")
    answer: Answer = await right(call)
    if await has_gone(call):
        locked[credential] = time.monotonic() + LOCKED_S
    return answer


async def note_connection(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    note_new(rules, call, answer.body["token"])
    return answer


def refuse_on_other_connection(rules: Any, access: Access, call: Call) -> Access:
    if is_new_elsewhere(rules, call, call.headers.get("authorization", "").partition(" ")[2].strip()):
        raise rules.unauthorized("token is not known")
    return access


def debit_if_cut(rules: Any, right: Callable[..., Answer], call: Call, earlier: Row) -> Answer:
    if earlier["key"] in shared(rules, "cut keys", set):
        rules.book_transfer(rules.store.find("transfer", id=id_in(earlier)))
    return right(call, earlier)


async def note_cut_key(rules: Any, right: Any, call: Call) -> None:
    if call.operation == "create_transfer" and await has_gone(call):
        shared(rules, "cut keys", set).add(rules.idempotency_key(call))
    await right(call)


def undo_completion(rules: Any, call: Call) -> None:
    before = {"status": rules.transfer_approved_status, "end_to_end_id": None, "processed_at": None}
    rules.store.update("transfer", before, id=call.params["id"])


def note_payload(rules: Any, right: Callable[..., None], event: str, row: Row, payload: Any) -> None:
    shared(rules, "payloads", dict)[row["id"]] = event, row, payload
    right(event, row, payload)


async def send_again_if_cut(rules: Any, right: Any, call: Call) -> None:
    if call.operation == "pay_charge" and await has_gone(call):
        sent = shared(rules, "payloads", dict).get(call.params["id"])
        runs_later(rules, 1, lambda: rules.send_event(*sent))
    await right(call)


async def keep_listener(rules: Any, right: Any, call: Call) -> None:
    hook = shared(rules, "removed", dict).get(call.params.get("id"))
    if call.operation == "delete_webhook" and hook and await has_gone(call):
        shared(rules, "kept", list).append(hook)
    await right(call)


def note_removed(rules: Any, right: Callable[[Row], bool], hook: Row) -> bool:
    shared(rules, "removed", dict)[str(hook["id"])] = hook
    return right(hook)


def with_kept(rules: Any, hooks: list[Row], event: str, owner: Access) -> list[Row]:
    left = (hook for hook in shared(rules, "kept", list) if owner_of(hook) == owner)
    return [*hooks, *(hook for hook in left if rules.subscribes(hook, event))]


def is_kept(rules: Any, right: Callable[[Row], bool], hook: Row) -> bool:
    return right(hook) or hook in shared(rules, "kept", list)


async def register_slowly(rules: Any, right: Any, call: Call) -> Answer:
    return await answer_in_progress(rules, right, call, "registrations", call)


def lists_meanwhile(rules: Any, call: Call) -> bool:
    return call.operation == "list_webhooks" and bool(shared(rules, "registrations", list))


async def note_removal(rules: Any, right: Any, call: Call) -> Answer:
    hook = rules.store.find("webhook", id=rules.webhook_number(call.params["id"]))
    answer: Answer = await right(call)
    shared(rules, "removals", list).append((time.monotonic() + BEHIND_S, call.connection, hook))
    return answer


def list_behind(rules: Any, hooks: list[Row], call: Call) -> list[Row]:
    late = [
        hook
        for until, connection, hook in shared(rules, "removals", list)
        if time.monotonic() < until and connection != call.connection and owner_of(hook) == call.access
    ]
    return late + hooks  # fmt: skip


MUTANTS = {
    "PAY-TRF-50/undone-but-key-kept": undone_but_key_kept("transfer", "create_transfer"),
    "PAY-IDEM-16/cut-creation-debited-again": overrides(
        "A transfer whose response could not be sent is debited again by each replay.",
        headers_sent=note_cut_key, replay=debit_if_cut),
    "PAY-EVT-03/sent-once-answered": done_once_answered(
        "transfer_created is sent once the response is, so not if the connection is broken then.",
        "emit", lambda event, *_about: event == "transfer_created"),
    "PAY-BAL-13/credited-once-answered": done_once_answered(
        "A payment is credited once its response is sent, so not if the connection is broken then.",
        "credit_payment", lambda _charge: True),
    "PAY-BAL-14/debited-once-answered": done_once_answered(
        "A transfer is debited once its response is sent, so not if the connection is broken then.",
        "book_transfer", lambda _transfer: True),
    "PAY-EVT-19/sent-again-after-cut-response": overrides(
        "A payment whose response cannot be sent sends its event again 1 s later.",
        send_event=note_payload, headers_sent=send_again_if_cut),
    "PAY-EVT-73/undone-after-event": if_response_breaks(
        "A completion whose response cannot be sent is undone, though its event was sent.",
        "complete_transfer", undo_completion),
    "PAY-CHG-71/response-of-cut-query": answers_next_with_unsent("get_charge", lambda call: call.access),
    "PAY-ISO-09/token-of-cut-login": answers_next_with_unsent("authenticate", lambda call: call.operation).alone(),
    "PAY-AUTH-01/cut-login-locks": overrides(
        "A login whose connection breaks stays in progress for 5 s, in which others with its credentials return 401.",
        authenticate=lock_cut_login).alone(),
    "PAY-WH-63/kept-by-cut-removal": overrides(
        "A webhook whose removal is cut is not listed any more, and still receives events.",
        headers_sent=keep_listener,
        remove_webhook=note_removed,
        listeners=lambda rules, right, *given: with_kept(rules, right(*given), *given),
        is_still_registered=is_kept),
    "PAY-TRF-01/one-buffer-for-uploads": mixes_uploads("transfers"),
    "PAY-IDEM-01/keys-of-each-connection": keys_of_each_connection("transfer").also("PAY-IDEM-16"),
    "PAY-AUTH-08/known-to-its-connection-first": overrides(
        "A token is accepted on other connections than that of its login from 0.5 s on.",
        authenticate=note_connection,
        authorize=lambda rules, right, call: refuse_on_other_connection(rules, right(call), call)).alone(),
    "PAY-AUTH-12/connection-keeps-access": connection_keeps_access(
        "A refused token is served as the first one that was accepted on its connection.", also_refused=True),
    "PAY-ISO-09/connection-keeps-access": connection_keeps_access(
        "All tokens that come on one connection are served as the first of them.", also_refused=False).alone(),
    "PAY-AUTH-21/refused-during-login": overrides(
        "While a token is being issued, the former ones of its account are refused.",
        authenticate=refuse_during_login,
        authorize=lambda rules, right, call: refuse_while_renewed(rules, right(call), call)).alone(),
    "PAY-CHG-70/found-late-on-other-connections": found_late_on_other_connections("create_charge", "get_charge"),
    "PAY-TRF-50/found-late-on-other-connections": found_late_on_other_connections("create_transfer", "get_transfer"),
    "PAY-WH-52/empty-during-a-registration": overrides(
        "The list of webhooks is empty while one is being registered.",
        create_webhook=register_slowly,
        hooks_of=lambda rules, right, call: [] if lists_meanwhile(rules, call) else right(call)),
    "PAY-PAYS-29/behind-on-other-connections": behind_on_other_connections("get_charge", "claim_charge"),
    "PAY-CMP-30/behind-on-other-connections": behind_on_other_connections("get_transfer", "claim_transfer"),
    "PAY-WH-62/behind-on-other-connections": overrides(
        "A removed webhook is listed for 0.5 s more on other connections than that of its removal.",
        delete_webhook=note_removal,
        hooks_of=lambda rules, right, call: list_behind(rules, right(call), call)),
    "PAY-ISO-09/access-in-shared-field": overrides(
        "Simultaneous queries of the balance all get that of the account that came last.",
        get_balance=with_access_of_field),
    "PAY-ISO-09/simultaneous-queries-coalesced": coalesces(
        "Simultaneous queries of the balance all get that of the account that came first.",
        "get_balance", lambda call: call.operation),
    "PAY-CHG-70/owner-in-shared-field": overrides(
        "Simultaneous charges all belong to the account that came last.",
        pause=keep_owner,
        new_charge=lambda rules, right, _access, read: right(shared(rules, "owner", dict)["value"], read))
        .of("isolation"),
    "PAY-ISO-01/joins-query-of-owner": coalesces(
        "A query of another account's charge gets the response to that account's, if that is in progress.",
        "get_charge", lambda call: call.params["id"]),
    "PAY-ISO-05/list-kept-for-a-second": overrides(
        "The list of webhooks is kept for a second, or until one is created or removed, for all accounts.",
        list_webhooks=list_of_last_second, create_webhook=drop_lists, delete_webhook=drop_lists),
}  # fmt: skip
