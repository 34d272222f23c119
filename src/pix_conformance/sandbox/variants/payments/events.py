"""Conforming variants where PAY-EVT and PAY-SIG are silent: events and their signatures."""

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Operation
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.variants.common import *

UPDATE_OF = {"charge": "transaction_updated", "transfer": "transfer_updated"}
UPDATES = {row.event: UPDATE_OF[str(row.kind)] for row in of(Api.PAYMENTS, Effect.CHANGES) if row.event}
LATE_S = 0.05
PAYER = {"name": "Pagador Simulado", "document": "***.456.789-**"}


def send_update(_rules: Any, right: Callable[..., None], event: str, *about: Any) -> None:
    right(event, *about)
    if event in UPDATES:
        right(UPDATES[event], *about)


def show_present(rules: Any, attempt: int, payload: dict[str, Any], secret: str | None) -> tuple[Any, ...]:
    kind = payload["type"]
    row = rules.store.find("payments_charge" if kind == "transaction" else "transfer", id=payload[kind]["id"])
    if row and row["status"] != "refunded":  # an event of a payment says that it is paid (PAY-EVT-50)
        view = rules.event_transaction if kind == "transaction" else rules.event_transfer
        payload = payload | {kind: view(payload["event"], row)}
    return attempt, payload, secret


def as_infraction(_rules: Any, payload: dict[str, Any], event: str, _kind: str, row: Row) -> dict[str, Any]:
    if event != "infraction":
        return payload
    pix = {"endToEndId": row["end_to_end_id"]}
    case = {"id": str(uuid.uuid4()), "amount": row["amount"], "status": "ANALYSIS", "pix": pix}
    disputed = payload["transaction"] | {"status": "infraction"}
    return payload | {"type": "infraction", "infraction": case, "transaction": disputed}


def with_end_to_end_id(rules: Any, row: Row, *_: Any) -> Row:
    return row | {"end_to_end_id": formats.end_to_end_id(rules.clock.now())}


def keep_end_to_end_id(_rules: Any, changes: Row, row: Row) -> Row:
    return changes | {"end_to_end_id": row["end_to_end_id"]}


async def answer_late(_rules: Any, right: Operation, call: Call) -> Answer:
    answer = await right(call)
    await asyncio.sleep(LATE_S)
    return answer


def send_once_to_each_url(
    rules: Any, right: Callable[..., None], event: str, row: Row, payload: dict[str, Any]
) -> None:
    urls = {hook["url"] for hook in rules.listeners(event, owner_of(row))}
    right(event, row | {"postback_url": None if row["postback_url"] in urls else row["postback_url"]}, payload)


def about(payload: dict[str, Any]) -> object:
    return (payload.get("transaction") or payload.get("transfer") or {}).get("id")


ACCOUNT = {"id": None, "secret": "of-the-account"}
"""What signs events to a postbackUrl, in the place of a webhook."""


def write_once(rules: Any, written: Written, _attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
    store: dict[str, Written] = rules.__dict__.setdefault("written", {})
    return store.setdefault(json.dumps([payload["id"], payload["event"], secret]), written)


VARIANTS = {
    "PAY-EVT-10/updates-sent-too": overrides(
        "Payment and completion send the event of an update too, as they are updates.", emit=send_update),
    "PAY-EVT-14/postbacks-of-payment-only": changes_result(
        "A postbackUrl gets payment and completion only: two sentences disagree on the rest.",
        posts_back=lambda _rules, right, event, _row: event in UPDATES and right).also("PAY-EVT-16"),
    "PAY-EVT-19/events-sent-twice": SENT_TWICE.also("PAY-EVT-20", "PAY-EVT-23"),
    **listed_under("PAY-EVT-20", DELIVERIES, "PAY-EVT-23"),
    "PAY-EVT-20/one-event-at-a-time": queued(
        "The next event waits until the last one is accepted: timing is not shown.",
        "send_webhook_request", 1, about, event_first_retry_seconds=5.0).also("PAY-EVT-23"),
    "PAY-EVT-20/four-queues": queued("Events wait in four queues for those before them: retry timing is not shown.",
        "send_webhook_request", 4, about, event_first_retry_seconds=90.0).also("PAY-EVT-23"),
    "PAY-EVT-20/not-sent-again": setting("An event is sent once, even if that fails: it may be sent again, or not.",
        event_attempts=1),
    "PAY-EVT-25/sent-before-the-response": overrides(
        "A response comes 50 ms after the event of its request: no order is stated.",
        create_charge=answer_late, pay_charge=answer_late),
    "PAY-EVT-27/one-delivery-to-a-url": overrides(
        "A url that is a webhook and a postbackUrl receives an event once: each sentence asks for one delivery.",
        send_event=send_once_to_each_url),
    "PAY-EVT-35/payer-has-another-name": changes_result(
        "The simulated payer has a name of its own: that it is the customer's is not stated.",
        event_payer=lambda _rules, payer, _row: payer | {"name": "Pagador Simulado"}),
    "PAY-EVT-52/unknown-end-to-end-id-is-null": changes_result(
        "endToEndId is null while there is none: what it is then is not stated.",
        absent_in_event=lambda _rules, right, name: None if name == "endToEndId" else right).also("PAY-EVT-91"),
    "PAY-EVT-52/end-to-end-id-from-creation": changes_result(
        "endToEndId exists from creation on: when it begins to is not stated.",
        new_charge=with_end_to_end_id, paid_changes=keep_end_to_end_id, new_transfer=with_end_to_end_id,
        completed_changes=keep_end_to_end_id).also("PAY-EVT-24", "PAY-EVT-91", "PAY-TRF-91"),
    "PAY-EVT-58/content-type-with-charset": WITH_CHARSET,
    "PAY-EVT-58/sent-in-pieces": SENT_IN_PIECES,
    "PAY-EVT-58/status-when-sent": changes_arguments(
        "The status in an event is that of its sending: of which moment it is, is not stated.",
        write_event=show_present),
    "PAY-EVT-58/payer-is-not-customer": setting(
        "The payer is not the customer, and the document is masked: no sentence says that the customer pays.",
        event_payer=lambda _rules, _row: PAYER),
    "PAY-EVT-58/extra-fields": changes_result(
        "A payload has a version and a time besides: no sentence excludes further fields.",
        event_payload=lambda rules, payload, *_: {**payload, "version": 2, "sentAt": rules.moment(rules.clock.now())}),
    "PAY-EVT-58/one-scope": setting("The scope of every event is pix: its values are not stated.",
        event_scope=lambda _rules, _kind: "pix"),
    "PAY-EVT-59/id-of-delivery": changes_arguments(
        "The id of a payload is another for each webhook: it is a UUID, and of what is not stated.",
        send_webhook_request=lambda _rules, url, payload, hook: (
            url, payload | {"id": str(uuid.uuid4()).upper()}, hook)),
    "PAY-EVT-59/id-of-charge": setting(
        "The id of a payload is the same in all events of a charge or transfer: it is a UUID, and of what is not "
        "stated.", event_id=lambda _rules, _event, row: str(uuid.uuid5(uuid.NAMESPACE_OID, row["id"]))),
    "PAY-EVT-70/status-of-the-query": setting(
        "The status in transfer_completed is completed, as in a query: that it is paid is shown in a sample.",
        event_statuses={}),
    "PAY-EVT-90/infraction-opened": changes_result(
        "Each payment gets an infraction: its status is not shown beyond a sample.",
        credit_payment=lambda rules, _, charge: rules.emit("infraction", "transaction", charge),
        event_payload=as_infraction),
    "PAY-SIG-06/hash-in-capitals": HASH_IN_CAPITALS,
    "PAY-SIG-06/timestamp-with-decimals": SIGNED_WITH_DECIMALS,
    "PAY-SIG-06/timestamp-in-milliseconds": setting(
        "The timestamp of a signature counts milliseconds: its unit is not stated.",
        event_timestamp=lambda rules: str(int(rules.clock.now() * 1000))),
    "PAY-SIG-06/body-indented": EVENTS_INDENTED,
    "PAY-SIG-06/clock-ahead": skewed("The clock of the server is 75 s ahead: the age of a timestamp is not shown.", 75),
    "PAY-SIG-07/postbacks-signed": overrides(
        "Events to a postbackUrl are signed with a secret of the account: nothing is stated.",
        send_webhook_request=lambda _, right, url, payload, hook: right(url, payload, hook or ACCOUNT),
        is_still_registered=lambda _, right, hook: hook["id"] is None or right(hook)),
    "PAY-SIG-08/attempts-numbered": ATTEMPTS_NUMBERED,
    "PAY-SIG-08/first-signature-stays": changes_result(
        "Each attempt has the signature of the first: whether it is signed again is not stated.",
        write_event=write_once).with_settings(event_first_retry_seconds=1.2),
    "PAY-SIG-08/each-attempt-signed": setting(
        "Each attempt has a signature of its own, and the second comes after 1.2 s: "
        "whether it is signed again is not stated.", event_first_retry_seconds=1.2),
}  # fmt: skip
