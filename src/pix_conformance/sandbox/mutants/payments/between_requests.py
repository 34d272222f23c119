"""Mutants of the payments API that are wrong between two requests: about one object, or about two at one moment."""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"
WORKER_S = 1.5
"""Seconds after which a worker goes on."""


def body_text(call: Call) -> str:
    return (call.body or b"").decode(errors="replace")


def body_with_key(call: Call) -> object:
    return (call.access, body_text(call)) if call.headers.get("x-idempotency-key") else None


async def save_creation_later(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    charge = rules.store.find("payments_charge", id=answer.body["data"]["id"])
    runs_later(rules, WORKER_S, lambda: rules.store.put("payments_charge", charge))
    return answer


async def report_bank_status(rules: Any, right: Any, transfer: Row) -> None:
    await right(transfer)
    status = rules.store.find("transfer", id=transfer["id"])["status"]
    runs_later(rules, WORKER_S, lambda: rules.store.update("transfer", {"status": status}, id=transfer["id"]))


async def report_before_saving(rules: Any, _right: Any, call: Call) -> Answer:
    charge = rules.new_charge(call.access, rules.read_charge(rules.json_body(call)))
    rules.emit("transaction_created", "transaction", charge)
    await asyncio.sleep(2 * MOMENT_S)
    rules.store.insert("payments_charge", charge)
    return Answer(rules.charge_created_status, rules.charge_answer(call, charge))


def with_id_of_field(rules: Any, changes: Row, transfer: Row) -> Row:
    return changes | ({"end_to_end_id": field_of(rules, "complete_transfer")} if transfer else {})


def hooks_by_id(rules: Any, call: Call) -> dict[int, Row]:
    return {hook["id"]: hook for hook in rules.hooks_of(call)}


def swaps_list(*, drops: bool) -> Difference:
    """Read the list of webhooks, add one, put the new list in the place of the old, changed or not."""

    async def create(rules: Any, right: Any, call: Call) -> Answer:
        before = hooks_by_id(rules, call)
        await take_moment()
        answer: Answer = await right(call)
        after = hooks_by_id(rules, call).keys() - {answer.body["data"]["id"]}
        for number in after - before.keys() if drops else ():
            rules.store.delete("webhook", id=number)
        for number in () if drops else before.keys() - after:
            rules.store.put("webhook", before[number])
        return answer

    what = "drops one that was created" if drops else "brings one back that was removed"
    return overrides(f"The creation of a webhook {what} at the same time.", create_webhook=create)


def with_number(rules: Any, row: Row, _call: Call, _read: Any) -> Row:
    number = shared(rules, "numbers", dict).pop(asyncio.current_task())
    rules.store.delete("webhook", id=number)
    shared(rules, "last number", dict)["value"] = number
    return row | {"id": number}


async def read_last_number(rules: Any, right: Any, call: Call, place: str) -> None:
    await right(call, place)
    if call.operation == "create_webhook" and place == "create":
        last = shared(rules, "last number", dict).get("value", 0)
        shared(rules, "numbers", dict)[asyncio.current_task()] = last + 1
        await take_moment()


def with_highest_id(rules: Any, row: Row, _call: Call, _read: Any) -> Row:
    highest = rules.store.rows("webhook", "id DESC", 1)
    return row | {"id": highest[0]["id"] + 1 if highest else 1}


async def remove_by_place(rules: Any, _right: Any, call: Call) -> Answer:
    hook = rules.owned(call, "webhook", rules.webhook_number(call.params["id"]))
    place = list(hooks_by_id(rules, call)).index(hook["id"])
    await take_moment()
    hooks = rules.hooks_of(call)
    if place >= len(hooks) or not rules.remove_webhook(hooks[place]):
        raise rules.not_found(call)
    return Answer(200, rules.removed_view(hook))


def listeners_of_last_second(rules: Any, right: Callable[..., list[Row]], event: str, owner: Any) -> list[Row]:
    cache = shared(rules, "listeners", dict)
    at, hooks = cache.get((event, owner), (0.0, []))
    if rules.clock.now() - at > 1:
        at, hooks = cache[event, owner] = rules.clock.now(), right(event, owner)
    return list(hooks)


def saves_delivery(rules: Any, request: WebhookRequest, _url: str, _payload: Any, hook: Row | None) -> WebhookRequest:
    def accepts(status: int) -> bool:
        if hook:
            rules.store.put("webhook", hook)
        return request.accepts(status)

    return replace(request, accepts=accepts)


def signed_with_field(rules: Any, request: WebhookRequest, _url: str, payload: Any, hook: Row | None) -> WebhookRequest:
    async def pause(attempt: int) -> bool:
        goes_on = await request.pause(attempt)
        shared(rules, "secret", dict)["value"] = hook["secret"] if hook else None
        await take_moment()
        return goes_on

    def write(attempt: int) -> Any:
        return rules.write_event(attempt, payload, shared(rules, "secret", dict)["value"])

    return replace(request, pause=pause, write=write) if hook else request


async def store_later_secret(rules: Any, _right: Any, call: Call) -> Answer:
    hook = rules.new_webhook(call, rules.read_body(rules.json_body(call), rules.webhook_fields))
    rules.__dict__["latest secret"] = hook["secret"]
    await asyncio.sleep(0.003)
    hook["id"] = rules.store.insert("webhook", hook | {"secret": rules.__dict__["latest secret"]})
    return Answer(201, {"success": True, "data": rules.webhook_view(call, hook)})


async def restore_others(rules: Any, right: Any, call: Call) -> Answer:
    before = rules.hooks_of(call)
    await asyncio.sleep(0.003)
    answer: Answer = await right(call)
    left = {hook["id"] for hook in rules.hooks_of(call)}
    for hook in before:
        if hook["id"] not in left and str(hook["id"]) != call.params["id"]:
            rules.store.insert("webhook", hook)
    return answer


MUTANTS = {
    "PAY-PAYS-11/query-saves-what-it-read": saves_what_query_read("get_charge", "payments_charge"),
    "PAY-CMP-10/query-saves-what-it-read": saves_what_query_read("get_transfer", "transfer", but_for="pending"),
    "PAY-PAYS-11/saved-again-by-late-worker": overrides(
        "The worker that stores the image of a charge saves the whole charge, as it was created, 1.5 s later.",
        create_charge=save_creation_later),
    "PAY-TRF-73/late-worker-writes-status": overrides(
        "A worker writes the status that a transfer had after its approval, 1.5 s later.", approve=report_bank_status),
    "PAY-CHG-90/sent-before-it-is-saved": overrides(
        "transaction_created is sent before the charge is saved, which takes 0.2 s.",
        create_charge=report_before_saving).of("events"),
    "PAY-EVT-17/whole-of-later-payment": later_in_event("transaction_paid", ""),
    "PAY-EVT-54/end-to-end-id-of-later-payment": later_in_event("transaction_paid", "transaction.pix.endToEndId"),
    "PAY-EVT-68/amount-of-later-creation": later_in_event("transfer_created", "transfer.amount"),
    "PAY-EVT-66/id-of-later-completion": later_in_event("transfer_completed", "transfer.id"),
    "PAY-BAL-16/amount-of-later-payment": amount_of_later("payments_charge", "credit_payment"),
    "PAY-PAYS-08/response-of-later": answers_with_later("pay_charge"),
    "PAY-TRF-41/response-of-later": answers_with_later("create_transfer"),
    "PAY-CMP-20/one-id-at-one-moment": overrides(
        "Simultaneous completions get one endToEndId, that of the last.",
        pause=in_field("complete_transfer", lambda rules, _: rules.completed_changes({})["end_to_end_id"]),
        completed_changes=lambda rules, right, transfer: with_id_of_field(rules, right(transfer), transfer)),
    "PAY-CHG-81/one-code-at-one-moment": overrides(
        "Simultaneous charges get one token in their codes, that of the last.",
        pause=in_field("create_charge", lambda rules, _: rules.state.random.uuid().hex),
        code=lambda rules, right, _token, amount: right(field_of(rules, "create_charge"), amount)),
    "PAY-WH-29/events-of-later": overrides(
        "Simultaneous creations of webhooks all store the events of the last.",
        pause=in_field("create_webhook", lambda rules, call: rules.json_body(call)["events"]),
        new_webhook=lambda rules, right, call, read: right(
            call, read | {"events": field_of(rules, "create_webhook")})),
    "PAY-EVT-18/losing-completion-reports": loser_reports("complete_transfer", "transfer_completed", "may_complete",
        "transfer", lambda rules, transfer: rules.completed_changes(transfer)),
    "PAY-IDEM-09/simultaneous-bodies-coalesced": coalesces(
        "Of simultaneous transfers with one body and several keys only one is created.",
        "create_transfer", body_with_key),
    "PAY-TRF-63/simultaneous-queries-coalesced": coalesces(
        "Simultaneous queries of transfers of an account all get the response of the first, also with other ids.",
        "get_transfer", lambda call: call.access),
    "PAY-WH-52/list-swapped": swaps_list(drops=True),
    "PAY-WH-72/list-swapped": swaps_list(drops=False),
    "PAY-WH-32/one-id-at-one-moment": overrides(
        "The id of a webhook is the last one plus 1, read a moment before: of simultaneous ones the last is kept.",
        pause=read_last_number, new_webhook=lambda rules, right, *given: with_number(rules, right(*given), *given)),
    "PAY-WH-77/id-of-removed-used-again": changes_result(
        "The id of a webhook is one more than the highest: that of a removed one may be used again.",
        new_webhook=with_highest_id),
    "PAY-WH-33/one-secret-at-one-moment": setting(
        "Webhooks that are created in the same 0.2 s get one signatureSecret.",
        new_secret=lambda rules: f"whsec_{int(rules.clock.now() * 5):048x}"),
    "PAY-WH-68/secret-of-later-is-stored": overrides(
        "Of simultaneous creations of webhooks each returns its own signatureSecret, and that of the last is stored.",
        create_webhook=store_later_secret),
    "PAY-WH-72/restored-by-another-removal": overrides(
        "A removal writes all webhooks but its own, as they were read 3 ms before.", delete_webhook=restore_others),
    "PAY-WH-66/removed-by-place": overrides(
        "A webhook is removed by its place in the list, read a moment before: another removal moves it.",
        delete_webhook=remove_by_place),
    "PAY-EVT-01/listeners-of-last-second": overrides(
        "The webhooks of an event are read once a second, so a new one gets none, and a removed one some, for so long.",
        listeners=listeners_of_last_second, is_still_registered=lambda _rules, _right, _hook: True),
    "PAY-WH-72/saved-after-delivery": changes_result(
        "The record of a webhook is saved after a delivery, also if it was removed while that was under way.",
        webhook_request=saves_delivery),
    "PAY-SIG-03/secret-of-later-delivery": changes_result(
        "Simultaneous deliveries to webhooks are all signed with the secret of the last.",
        webhook_request=signed_with_field),
}  # fmt: skip


@mutant("PAY-TRF-45/one-id-at-one-moment")
class OneTransferAtOneMoment(PaymentsRules):
    """The id of a transfer is made of the number of those before it: of simultaneous ones only the last is kept."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if place == "once":
            number = len(self.store.rows("transfer"))
            shared(self, "numbers", dict)[asyncio.current_task()] = str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
            await take_moment()

    def new_transfer_id(self) -> str:
        number: str = shared(self, "numbers", dict).pop(asyncio.current_task())
        self.store.delete("transfer", id=number)
        return number


@mutant("PAY-EVT-02/one-delivery-at-a-time")
class OneDeliveryAtATime(PaymentsRules):
    """While an event is being delivered, another one of its name for the same account is not sent."""

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        busy, name = shared(self, "busy", set), (event, owner_of(row))
        if name in busy:
            return
        busy.add(name)
        runs_later(self, MOMENT_S, lambda: busy.discard(name))
        super().send_event(event, row, payload)
