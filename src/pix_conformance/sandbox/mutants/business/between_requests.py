"""Mutants of the business charge API that are wrong between two requests or two connections."""

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"
WORKER_S = 1.5
"""Seconds after which a worker goes on."""


def body_without_key(call: Call) -> object:
    return None if call.headers.get("idempotency-key") else (call.access, call.body)


def key_and_body(call: Call) -> object:
    key = call.headers.get("idempotency-key")
    return (key, call.body) if key else None


def pay_later(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
    if call.operation == "pay_charge" and refusal.kind == "state":
        charge = rules.store.find("business_charge", id=call.params["id"])
        if charge["status"] == "canceled":
            runs_later(rules, WORKER_S, lambda: claim_paid(rules, charge))
    return answer


async def list_in_one_field(rules: Any, right: Any, call: Call) -> Answer:
    answer, rows = await right(call), shared(rules, "rows", list)
    half = (len(answer.body) + 1) // 2
    rows[:] = answer.body[:half]
    await take_moment()
    rows += answer.body[half:]
    return Answer(200, rows[: rules.list_limit])


async def note_creation(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    note_new(rules, call, answer.body["id"])
    return answer


async def list_behind(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    return Answer(answer.status, [row for row in answer.body if not is_new_elsewhere(rules, call, row["id"])])


async def swap_index(rules: Any, right: Any, call: Call) -> Answer:
    index = shared(rules, "index", dict)
    before = index.get(call.access, ())
    await take_moment()
    answer: Answer = await right(call)
    index[call.access] = (*before, answer.body["id"])
    return answer


async def list_by_index(rules: Any, right: Any, call: Call) -> Answer:
    answer: Answer = await right(call)
    index = shared(rules, "index", dict).get(call.access, ())
    return Answer(answer.status, [charge for charge in answer.body if charge["id"] in index])


async def keep_body(rules: Any, right: Any, call: Call, place: str) -> None:
    await right(call, place)
    if place == "arrival" and call.method == "POST" and call.body:
        shared(rules, "body", dict)["value"] = call.body
        await take_moment()
        call.body = shared(rules, "body", dict)["value"]


def note_upload(rules: Any, right: Callable[..., None], call: Call, segment: bytes) -> None:
    shared(rules, "uploads", dict).setdefault(rules.idempotency_key(call), call)
    right(call, segment)


async def refuse_during_upload(rules: Any, right: Any, call: Call, *more: Any) -> Answer:
    key = rules.idempotency_key(call)
    if key and shared(rules, "uploads", dict).get(key, call) is not call:
        raise rules.key_conflict()
    answer: Answer = await right(call, *more)
    return answer


async def end_upload(rules: Any, right: Any, call: Call) -> None:
    uploads = shared(rules, "uploads", dict)
    if uploads.get(key := rules.idempotency_key(call)) is call:
        del uploads[key]
    await right(call)


def decode_in_parts(_rules: Any, _right: Any, call: Call) -> bytes:
    return "".join(segment.decode(errors="replace") for segment in call.segments).encode()


MUTANTS = {
    "BUS-CAN-16/query-saves-what-it-read": saves_what_query_read("get_charge", "business_charge"),
    "BUS-STATE-04/refused-payment-tried-again": changes_result(
        "A payment that is refused since its charge is canceled is tried again 1.5 s later, and succeeds.",
        refused=pay_later),
    "BUS-EVT-28/losing-cancel-reports": loser_reports("cancel_charge", "business.pix.canceled", "may_cancel",
        "business_charge", lambda _rules, _charge: {"status": "canceled"}),
    "BUS-EVT-14/e2e-id-of-later-payment": later_in_event("business.pix.paid", "data.e2e_id"),
    "BUS-EVT-12/amount-of-later-creation": later_in_event("business.pix.created", "data.amount_cents"),
    "BUS-EVT-01/whole-of-later-creation": later_in_event("business.pix.created", ""),
    "BUS-EVT-18/one-id-at-one-moment": setting("Events of the same 0.2 s have one id.",
        event_id=lambda rules, _event, _row: f"evt_{int(rules.clock.now() * 5):032x}").of("events"),
    "BUS-PAY-15/amount-of-later-payment": amount_of_later("business_charge", "capture"),
    "BUS-CHG-56/body-in-shared-field": overrides(
        "Simultaneous requests are all executed with the body of the last.", pause=keep_body),
    "BUS-CHG-64/response-of-later": answers_with_later("get_charge"),
    "BUS-IDEM-16/simultaneous-bodies-coalesced": coalesces(
        "Of simultaneous creations with one body and without a key only one is executed.",
        "create_charge", body_without_key),
    "BUS-LIST-02/simultaneous-lists-coalesced": coalesces(
        "Simultaneous lists of an account all get the response of the first, also with other status parameters.",
        "list_charges", lambda call: call.access),
    "BUS-ISO-08/keys-in-progress-shared": coalesces(
        "A creation gets the response of one in progress with its key and body, also if that is of another account.",
        "create_charge", key_and_body).of("isolation"),
    "BUS-ISO-13/simultaneous-queries-coalesced": coalesces(
        "Simultaneous queries of the ledger all get that of the account that came first.",
        "get_finance", lambda call: call.operation).of("isolation"),
    "BUS-ISO-06/rows-in-shared-field": overrides(
        "The rows of a list are collected in one field, so that simultaneous lists of two accounts are mixed.",
        list_charges=list_in_one_field).of("isolation"),
    "BUS-LIST-15/index-swapped": overrides(
        "The list lacks all but one of the charges that were created at the same moment.",
        create_charge=swap_index, list_charges=list_by_index),
    "BUS-LIST-15/behind-on-other-connections": overrides(
        "A charge is listed on other connections than that of its creation from 0.5 s on.",
        create_charge=note_creation, list_charges=list_behind),
    "BUS-CHG-64/found-late-on-other-connections": found_late_on_other_connections("create_charge", "get_charge"),
    "BUS-CHG-01/one-buffer-for-uploads": mixes_uploads("charges"),
    "BUS-ISO-07/captured-for-later-payer": overrides(
        "Simultaneous payments are all captured for the account that paid last.",
        pause=in_field("pay_charge", lambda _, call: call.access),
        capture=lambda rules, right, charge: right(charge | vars(field_of(rules, "pay_charge")))).of("isolation"),
    "BUS-STATE-19/behind-on-other-connections": behind_on_other_connections("get_charge", "claim_charge"),
    "BUS-IDEM-03/keys-of-each-connection": keys_of_each_connection("charge"),
    "BUS-AUTH-07/connection-keeps-access": connection_keeps_access(
        "A refused API key is served as the first one that was accepted on its connection.", also_refused=True),
    "BUS-CHG-64/undone-but-key-kept": undone_but_key_kept("business_charge", "create_charge"),
    "BUS-CHG-58/response-of-cut-creation": answers_next_with_unsent("create_charge", lambda call: call.access),
    "BUS-PAY-15/captured-once-answered": done_once_answered(
        "A payment is captured once its response is sent, so not if the connection is broken then.",
        "capture", lambda _charge: True),
    "BUS-CHG-01/key-of-unfinished-upload-kept": overrides(
        "The key of a creation is kept when its body begins to come: if that breaks off, the key conflicts for ever.",
        receive=note_upload, execute_once=refuse_during_upload, headers_sent=end_upload).of("network"),
    "BUS-CHG-57/decoded-in-parts": overrides(
        "A body that comes in parts is decoded part by part, which spoils a letter between two of them.",
        whole_body=decode_in_parts).of("network"),
}  # fmt: skip


@mutant("BUS-STATE-16/captured-before-status")
class CapturedBeforeStatus(BusinessRules):
    """A payment is posted before the status is set, and stays posted if a simultaneous cancel was faster."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if place == "pay":
            charge = self.owned(call)
            await take_moment()
            super().capture(charge)

    def capture(self, charge: Row) -> None:
        del charge


@mutant("BUS-STATE-03/shown-paid-then-undone", group="network")
class ShownPaidThenUndone(BusinessRules):
    """A charge is shown as paid while its payment is being executed, and pending again if the connection breaks."""

    async def pay_charge(self, call: Call) -> Answer:
        charge = self.store.find("business_charge", id=call.params["id"])
        if charge is None or not (self.sees(call.access, owner_of(charge), "") and self.may_pay(charge)):
            return await super().pay_charge(call)
        changes = self.paid_changes(charge)
        self.store.update("business_charge", changes, id=charge["id"])
        is_gone = await has_gone(call)
        self.store.update("business_charge", {"status": "pending", "end_to_end_id": None}, id=charge["id"])
        if is_gone:
            raise self.not_possible(call, charge)
        shared(self, "changes", dict)[asyncio.current_task()] = changes
        return await super().pay_charge(call)

    def paid_changes(self, charge: Row) -> Row:
        return shared(self, "changes", dict).pop(asyncio.current_task(), None) or super().paid_changes(charge)
