"""Mutants of the payments API that are wrong if something changes while something else is being done."""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"


def with_newest_secret(column: str) -> Callable[..., tuple[Any, ...]]:
    """Sign with the secret of the newest webhook that has the same value in a column."""

    def change(rules: Any, url: str, payload: Any, hook: Row | None) -> tuple[Any, ...]:
        newest = rules.store.rows("webhook", "id DESC", 1, **{column: hook[column]}) if hook else []
        return url, payload, hook | {"secret": newest[0]["secret"]} if hook and newest else hook

    return change


def all_of_url(rules: Any, hooks: list[Row], event: str, _owner: Any) -> list[Row]:
    urls = {hook["url"] for hook in hooks}
    return [
        hook for url in urls for hook in rules.store.rows("webhook", "id DESC", 99, url=url) if event in hook["events"]
    ]


def note_removal(rules: Any, right: Callable[[Row], bool], hook: Row) -> bool:
    shared(rules, "removals", list).append((time.monotonic() + MOMENT_S, hook))
    return right(hook)


def without_next(rules: Any, hooks: list[Row], _event: str, owner: Any) -> list[Row]:
    """Leave out the webhook behind each one that has just been removed, as a loop over a changed list does."""
    for until, removed in shared(rules, "removals", list):
        behind = [hook["id"] for hook in hooks if hook["id"] > removed["id"]]
        if time.monotonic() < until and owner_of(removed) == owner and behind:
            hooks = [hook for hook in hooks if hook["id"] != behind[0]]
    return hooks


async def complete_for_query(rules: Any, right: Callable[..., Any], call: Call) -> Answer:
    """Give a transfer that is completed while it is queried an endToEndId of the query."""
    before = rules.store.find("transfer", id=call.params["id"])
    await take_moment()
    now = rules.store.find("transfer", id=call.params["id"])
    if before and before["status"] != now["status"] == "completed":
        changes = {"end_to_end_id": rules.completed_changes(now)["end_to_end_id"]}
        rules.store.update("transfer", changes, id=now["id"])
    answer: Answer = await right(call)
    return answer


def create_and_save_later(rules: Any, right: Callable[..., Answer], call: Call, read: Row) -> Answer:
    """Save a transfer a moment after its event."""
    answer = right(call, read)
    transfer = rules.store.find("transfer", id=answer.body["data"]["id"])
    rules.store.delete("transfer", id=transfer["id"])
    runs_later(rules, LATE_S, lambda: rules.store.put("transfer", transfer))
    return answer


def token_of_last_50_s(rules: Any, right: Callable[..., str], access: Access) -> str:
    """Return the token of the account that was issued less than 50 s ago, or a new one."""
    known: dict[Access, tuple[float, str]] = shared(rules, "tokens of 50 s", dict)
    issued_at, token = known.get(access, (-math.inf, ""))
    if rules.clock.now() - issued_at >= 50:
        issued_at, token = known[access] = rules.clock.now(), right(access)
    return token


def since_first_use(rules: Any, right: Callable[[Call], Access], call: Call) -> Access:
    """Accept a token for as long as it lives, counted from its first use."""
    known: dict[str, tuple[float, Access]] = shared(rules, "first uses", dict)
    header = call.headers.get("authorization", "")
    until, access = known.get(header, (-math.inf, None))
    if access is None or rules.clock.now() >= until:
        until, access = known[header] = rules.clock.now() + rules.token_lifetime_ms / 1000, right(call)
    return access


def listeners_of_2_s(rules: Any, right: Callable[..., list[Row]], event: str, owner: Access) -> list[Row]:
    """Return the webhooks that were found less than 2 s ago."""
    known: dict[tuple[str, Access], tuple[float, list[Row]]] = shared(rules, "listeners of 2 s", dict)
    until, hooks = known.get((event, owner), (-math.inf, []))
    if rules.clock.now() >= until:
        until = rules.clock.now() + 2
        hooks = [dict(hook) | {"until": until} for hook in right(event, owner)]
        known[event, owner] = until, hooks
    return hooks


def forget_listeners(rules: Any, right: Callable[..., Row], *given: Any) -> Row:
    shared(rules, "listeners of 2 s", dict).clear()
    return right(*given)


async def answer_of_request_in_progress(
    rules: Any, right: Callable[..., Any], call: Call, body: Any, effect: Callable[[], Answer]
) -> Answer:
    """Return the answer of the request with the same key that is in progress, also of another body."""
    running: dict[tuple[str, str], asyncio.Task[Answer]] = shared(rules, "requests in progress", dict)
    if (own := rules.idempotency_key(call)) is None:
        return await first_of_key(right, call, body, effect)
    key = rules.idempotency_scope(call), own
    if key not in running:
        running[key] = asyncio.ensure_future(first_of_key(right, call, body, effect))
        running[key].add_done_callback(lambda _: running.pop(key))
    return await asyncio.shield(running[key])


async def first_of_key(right: Callable[..., Any], call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
    await asyncio.sleep(MOMENT_S)
    answer: Answer = await right(call, body, effect)
    return answer


def refuse_during_delivery(rules: Any, right: Callable[[Row], bool], hook: Row) -> bool:
    if hook["id"] in shared(rules, "in delivery", list):
        raise Refusal("state", "an event is being delivered to it")
    return right(hook)


def notes_delivery(rules: Any, request: WebhookRequest, _url: str, _payload: Any, hook: Row | None) -> WebhookRequest:
    """Keep in mind to which webhooks an attempt is being made."""
    busy: list[int] = shared(rules, "in delivery", list)

    def write(attempt: int) -> Any:
        if hook:
            busy.append(hook["id"])
        return request.write(attempt)

    def accepts(status: int) -> bool:
        if hook:
            busy.remove(hook["id"])
        return request.accepts(status)

    return replace(request, write=write, accepts=accepts)


def token_of_before(rules: Any, right: Callable[[Any], str], access: Any) -> str:
    """Issue the earlier token again while it is valid."""
    issued: dict[object, str] = shared(rules, "issued", dict)
    claims = rules.read_token(issued.get(access, ""))
    if not claims or rules.is_expired(claims):
        issued[access] = right(access)
    return issued[access]


def note_login(rules: Any, right: Callable[[Any], str], access: Any) -> str:
    shared(rules, "logins", dict)[access.account, access.environment] = rules.clock.now()
    return right(access)


def is_older_than_login(rules: Any, right: Callable[[Row], bool], claims: Row) -> bool:
    last = shared(rules, "logins", dict).get((claims["sub"], claims["environment"]), claims["iat"])
    was_valid = last - claims["iat"] < rules.token_lifetime_ms / 1000
    return right(claims | {"iat": last} if was_valid else claims)


LATE_S = 0.2
"""Seconds after which a transfer is saved that was reported."""


async def log_in_last(rules: Any, right: Callable[..., Any], call: Call) -> Answer:
    """Keep the account of a login in one field, for 2 ms, until its token is issued."""
    answer: Answer = await right(call)
    claims = rules.read_token(answer.body["token"])
    last = shared(rules, "last login", dict)
    last["access"] = Access(claims["sub"], claims["environment"])
    await asyncio.sleep(SHORT_S)
    return replace(answer, body=answer.body | {"token": rules.make_token(last["access"])})


async def keep_postback(rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
    """Keep the postbackUrl of a charge in one field, for 4 ms, until it is stored."""
    await right(call, place)
    if call.operation == "create_charge" and place == "create":
        shared(rules, "last charge", dict)["url"] = rules.json_body(call).get("postbackUrl")
        await asyncio.sleep(2 * SHORT_S)


def with_splits_of_last(rules: Any, right: Callable[..., Row], access: Access, read: Row) -> Row:
    """Keep the splits of the newest charge that has some, for each account."""
    charge = right(access, read)
    if read["splits"]:
        shared(rules, "last splits", dict)[access] = charge["splits"]
    return charge


def shares_of_last(rules: Any, right: Callable[..., Any], charge: Row, net: int) -> Any:
    has_splits = charge["splits"] != "[]"
    return right(charge | ({"splits": shared(rules, "last splits", dict)[owner_of(charge)]} if has_splits else {}), net)


SHORT_S = 0.002
"""Seconds that a short query of a database takes."""
MUTANTS = {
    "PAY-CHG-70/token-of-simultaneous-login": overrides(
        "Of logins that come within 2 ms each gets a token of the account of the last.", authenticate=log_in_last),
    "PAY-EVT-13/postback-url-within-4-ms": overrides(
        "Charges that are created within 4 ms all have the postbackUrl of the last.",
        pause=keep_postback,
        new_charge=lambda rules, right, access, read: right(
            access, read | {"postbackUrl": shared(rules, "last charge", dict)["url"]})).also("PAY-EVT-17"),
    "PAY-SPL-17/splits-of-newest-charge": overrides(
        "A payment is shared by the splits of the newest charge of its account that has some.",
        new_charge=with_splits_of_last, split_shares=shares_of_last).of("state"),
    "PAY-IDEM-20/two-bodies-at-one-moment": knows_no_key_in_progress(
        "Two transfers with one key and two bodies that come at one moment are both created."),
    "PAY-EVT-01/none-if-paid-at-once": skips_event_of_changed("transaction_created", "payments_charge").of("events"),
    "PAY-SIG-03/secret-of-newest-of-its-url": changes_arguments(
        "An event is signed with the secret of the newest webhook that has its url.",
        webhook_request=with_newest_secret("url")).of("events"),
    "PAY-SIG-03/secret-of-newest-of-its-events": changes_arguments(
        "An event is signed with the secret of the newest webhook that subscribes to the same events.",
        webhook_request=with_newest_secret("events")).of("events"),
    "PAY-ISO-08/to-all-webhooks-of-the-url": changes_result(
        "An event also comes for the webhooks of other accounts that have the url of one that is due.",
        listeners=all_of_url).of("isolation"),
    "PAY-EVT-12/removal-skips-the-next": overrides(
        "An event of the 0.1 s after a removal is not sent to the webhook behind the removed one.",
        remove_webhook=note_removal,
        listeners=lambda rules, right, *given: without_next(rules, right(*given), *given)).of("events"),
    "PAY-TRF-69/id-of-simultaneous-query": overrides(
        "A transfer that is completed while it is being queried gets another endToEndId by the query.",
        get_transfer=complete_for_query).seen_in("PAY-CMP-10"),
    "PAY-SPL-17/splits-of-later": overrides(
        "Simultaneous charges all have the splits of the last.",
        pause=in_field("create_charge", lambda rules, call: rules.json_body(call).get("splits") or []),
        new_charge=lambda rules, right, access, read: right(
            access, read | {"splits": field_of(rules, "create_charge")})),
    "PAY-ISO-09/credited-to-later-payer": overrides(
        "Simultaneous payments are all credited to the account that paid last.",
        pause=in_field("pay_charge", lambda _, call: call.access),
        credit_payment=lambda rules, right, charge: right(charge | vars(field_of(rules, "pay_charge")))),
    "PAY-TRF-95/sent-before-it-is-saved": overrides(
        "transfer_created is sent, and the creation answered, 0.2 s before the transfer is saved.",
        open_transfer=create_and_save_later).with_settings(approval_seconds=0.4).of("events"),
    "PAY-CMP-31/reported-before-it-is-completed": reports_before_change(
        "transfer_completed", "complete", "completed_changes", "may_complete", "transfer").of("events"),
    "PAY-WH-60/refused-during-a-delivery": overrides(
        "A webhook cannot be removed while an event is being delivered to it.",
        remove_webhook=refuse_during_delivery,
        webhook_request=lambda rules, right, *given: notes_delivery(rules, right(*given), *given)),
    "PAY-AUTH-09/issued-again-until-it-ends": overrides(
        "A login returns the earlier token of its account as long as that is valid.", make_token=token_of_before)
        .of("auth").alone(),
    "PAY-WH-63/looked-up-for-2-s": overrides(
        "The webhooks of an event are looked up once in 2 s, and again after a registration.",
        listeners=listeners_of_2_s, new_webhook=forget_listeners,
        is_still_registered=lambda rules, right, hook: right(hook) or rules.clock.now() < hook.get("until", 0)),
    "PAY-AUTH-09/issued-again-for-50-s": overrides(
        "A login returns the token that it gave the account less than 50 s ago.", make_token=token_of_last_50_s)
        .of("auth").alone(),
    "PAY-AUTH-10/counted-from-first-use": overrides(
        "A token lives 60 s from its first use.", authorize=since_first_use).of("auth"),
    "PAY-TRF-41/answer-of-request-in-progress": overrides(
        "A transfer whose key is in progress gets the answer of the one in progress, also with another body.",
        execute_once=answer_of_request_in_progress).when(on("create_transfer")),
    "PAY-AUTH-10/prolonged-by-login": overrides(
        "A login prolongs the tokens of its account that are valid by a minute.",
        make_token=note_login, is_expired=is_older_than_login).of("auth"),
}  # fmt: skip
