"""Mutants of the payments API that are wrong after a request that was cut, or where a change meets an event."""

import asyncio
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "network"
LATE_S, EARLY_S = 0.8, 0.15
"""Seconds after which a worker comes that does something late; by which an event comes before its change."""


def open_and_roll_back(rules: Any, right: Any, call: Call, read: dict[str, Any]) -> Answer:
    answer: Answer = right(call, read)
    rules.store.delete("transfer", id=answer.body["data"]["id"])
    return answer


def become(table: str, status: str) -> Any:
    return lambda rules, call: rules.store.update(table, {"status": status}, id=call.params["id"])


def emit_twice(rules: Any, right: Any, *event: Any) -> None:
    right(*event)
    right(*event)


def next_number(rules: Any, row: Row, *_: Any) -> Row:
    number = len(rules.store.rows("webhook")) + 1
    while rules.store.find("webhook", id=number):
        number += 1
    return {"id": number, **row}


async def drop_if_busy(rules: Any, url: str, number: str, send: Any) -> None:
    """Send an event, but not while another one of the same charge or transfer is being taken at the address."""
    busy = rules.__dict__.setdefault("busy", set())
    if (url, number) in busy:
        return
    busy.add((url, number))
    try:
        await send
    finally:
        busy.discard((url, number))


def send_alone(rules: Any, _right: Any, url: str, payload: dict[str, Any], hook: Row | None) -> None:
    request = rules.webhook_request(url, payload, hook)
    work = rules.state.outbox.deliver(request)
    rules.state.outbox.begin(drop_if_busy(rules, url, payload[payload["type"]]["id"], work))


def written_now(rules: Any, right: Any, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
    """Write a repeated attempt with the charge as it is then."""
    charge = payload.get("transaction")
    if attempt > 1 and charge:
        row = rules.store.find("payments_charge", id=charge["id"])
        payload = payload | {"transaction": rules.event_transaction(payload["event"], row)}
    written: Written = right(attempt, payload, secret)
    return written


def written_empty(rules: Any, right: Any, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
    written: Written = right(attempt, payload, secret)
    return (b"", rules.event_headers(b"", secret)) if attempt > 1 else written


MUTANTS = {
    "PAY-TRF-50/rolled-back-but-for-its-key": if_request_breaks(
        "A transfer whose connection is broken is rolled back, but for its key.",
        "create_transfer", open_transfer=open_and_roll_back),
    "PAY-EVT-01/stale-response-after-a-cut": answers_stale("create_charge"),
    "PAY-TRF-41/stale-response-after-a-cut": answers_stale("create_transfer"),
    "PAY-WH-28/stale-response-after-a-cut": answers_stale("create_webhook"),
    "PAY-EVT-03/lost-with-its-requester": loses_event("transfer_created", "create_transfer"),
    "PAY-EVT-34/completion-reported-twice-when-cut": if_request_breaks(
        "A transfer whose completion is cut is reported twice.", "complete_transfer", emit=emit_twice),
    "PAY-EVT-34/payment-reported-twice-when-cut": if_request_breaks(
        "A charge whose payment is cut is reported twice.", "pay_charge", emit=emit_twice),
    "PAY-PAYS-11/undone-late-when-cut": if_response_breaks(
        "A payment whose response cannot be sent is undone 0.8 s later.",
        "pay_charge", some_time_later(LATE_S, become("payments_charge", "pending"))),
    "PAY-TRF-73/undone-late-when-cut": if_response_breaks(
        "A completion whose response cannot be sent is undone 0.8 s later.",
        "complete_transfer", some_time_later(LATE_S, become("transfer", "processing"))),
    "PAY-WH-77/number-is-the-next-of-the-list": changes_result(
        "The id of a webhook is the number of webhooks and one.", new_webhook=next_number),
    "PAY-EVT-35/pieces-of-a-body-decoded": decodes_pieces(),
    "PAY-EVT-02/dropped-while-another-is-delivered": overrides(
        "An event is not sent while another one of the same charge is being delivered.",
        send_webhook_request=send_alone).of("events"),
    "PAY-EVT-21/repeated-with-the-present-status": overrides(
        "An event that is sent again has the charge as it is then.", write_event=written_now).of("events"),
    "PAY-EVT-21/repeated-without-a-body": overrides(
        "An event that is sent again has no body, and the signature of that.", write_event=written_empty).of("events"),
}  # fmt: skip


@mutant("PAY-PAYS-30/reported-before-it-is-paid", group="concurrency")
class ReportedBeforeItIsPaid(PaymentsRules):
    """The event of a payment comes 150 ms before the charge is paid."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if place == "pay":
            charge = self.owned(call, "payments_charge", call.params["id"])
            if not self.may_pay(charge):
                return
            changes = self.__dict__.setdefault("changes", {})[charge["id"]] = super().paid_changes(charge)
            super().emit("transaction_paid", "transaction", charge | changes)
            await asyncio.sleep(EARLY_S)

    def paid_changes(self, charge: Row) -> Row:
        known: Row = self.__dict__.get("changes", {}).get(charge["id"])
        return known or super().paid_changes(charge)

    def emit(self, event: str, kind: str, row: Row) -> None:
        if event != "transaction_paid":
            super().emit(event, kind, row)


@mutant("PAY-WH-72/listed-again-late-when-cut")
class ListedAgainLateWhenCut(PaymentsRules):
    """A webhook whose removal cannot be answered is listed again 0.8 s later."""

    def remove_webhook(self, hook: Row) -> bool:
        self.__dict__.setdefault("removed", {})[str(hook["id"])] = hook
        return super().remove_webhook(hook)

    async def headers_sent(self, call: Call) -> None:
        if call.operation == "delete_webhook" and await has_gone(call):
            hook = self.__dict__.get("removed", {}).get(call.params["id"])
            self.state.outbox.begin(self._list_again(hook))
        await super().headers_sent(call)

    async def _list_again(self, hook: Row) -> None:
        await asyncio.sleep(LATE_S)
        self.store.put("webhook", hook)


@mutant("PAY-AUTH-21/revoked-when-login-is-cut")
class RevokedWhenLoginIsCut(PaymentsRules):
    """A login whose response cannot be sent ends all earlier tokens."""

    async def headers_sent(self, call: Call) -> None:
        if call.operation == "authenticate" and await has_gone(call):
            self.__dict__["revoked before"] = self.clock.now() - NOTICED_S
        await super().headers_sent(call)

    def is_expired(self, claims: dict[str, Any]) -> bool:
        return super().is_expired(claims) or claims["iat"] < self.__dict__.get("revoked before", 0.0)
