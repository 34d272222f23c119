"""Mutants of PAY-EVT and PAY-SIG: who receives events, the requests that carry them, signatures, and payloads."""

import json
import uuid
from dataclasses import replace
from typing import Any

from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "events"

CREATED, PAID = "transaction_created", "transaction_paid"
SENT, UPDATED, COMPLETED, CANCELED = "transfer_created", "transfer_updated", "transfer_completed", "transfer_canceled"
OTHER_PAYMENT = "E99999999202611211000abcdefghijk"


def send_to_earlier_charges(rules: Any, _: None, event: str, row: Row, payload: dict[str, Any]) -> None:
    charges = rules.store.rows("payments_charge", account=row["account"], environment=row["environment"])
    urls = {charge["postback_url"] for charge in charges if charge["postback_url"]} - {row["postback_url"]}
    for url in urls if event == PAID else ():
        rules.send_webhook_request(url, payload, None)


def renamed_for_one_event(_: Any, request: WebhookRequest, _url: str, _body: Any, hook: Row | None) -> WebhookRequest:
    def write(attempt: int) -> Written:
        body, headers = request.write(attempt)
        return body, {f"X-{name}" if name == "Service-Signature" else name: value for name, value in headers.items()}

    return replace(request, write=write) if hook and len(json.loads(hook["events"])) == 1 else request


MUTANTS = {
    "PAY-EVT-11/paid-to-created": to_webhooks_for(CREATED, PAID),
    "PAY-EVT-11/created-to-paid": to_webhooks_for(PAID, CREATED),
    "PAY-EVT-12/oldest-only": to_some_webhooks(
        "Of several webhooks for an event only the oldest receives it.", lambda hooks: hooks[:1]),
    "PAY-EVT-12/oldest-only-when-completed": to_some_webhooks(
        "Of several webhooks only the oldest receives an event.", lambda hooks: hooks[:1]).when(of_event(COMPLETED)),
    "PAY-EVT-13/none-with-splits": not_to_postback(PAID).when(WITH_SPLITS),
    "PAY-EVT-13/none-without-webhook": changes_result("A postbackUrl receives an event only if a webhook does.",
        posts_back=lambda rules, _, event, row: bool(rules.listeners(event, owner_of(row)))),
    "PAY-EVT-15/none": not_to_postback(COMPLETED),
    "PAY-EVT-16/none": not_to_postback(SENT),
    "PAY-EVT-17/paid-to-urls-of-other-charges": changes_result(
        "transaction_paid goes to the postbackUrl of every other charge too.", send_event=send_to_earlier_charges),
    "PAY-EVT-21/new-id-in-retries": in_later_attempts("id", lambda _: str(uuid.uuid4()))
        .says("An event that is sent again has a new id."),
    "PAY-EVT-30/put": setting("Events are sent by PUT.", event_method="PUT"),
    "PAY-EVT-31/array": changes_result(
        "The body of an event is an array of events.", encode_event=lambda _, body, _payload: b"[" + body + b"]"),
    "PAY-EVT-32/plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain; charset=utf-8"),
    "PAY-EVT-33/lower-case": setting("The User-Agent of events is in small letters.", event_user_agent="service"),
    "PAY-EVT-46/id-of-event-when-paid": in_payload(
        "", lambda body: body | {"transaction": body["transaction"] | {"id": body["id"]}}, PAID)
        .says("transaction_paid has its own id as that of the charge."),
    "PAY-EVT-48/zero-when-created": in_payload("transaction.amount", 0, CREATED),
    "PAY-EVT-48/in-reais-if-large": in_payload("transaction.amount", lambda cents: cents // 100, PAID)
        .says("The amount of transaction_paid is in whole reais").when(amount_from(1_000_00)),
    "PAY-EVT-97/paid-when-created": in_payload("transaction.status", "paid", CREATED).also("PAY-EVT-51"),
    "PAY-EVT-97/refunded-after-paid": sends_besides(PAID, "transaction_refunded", status="refunded"),
    "PAY-EVT-50/pending": in_payload("transaction.status", "pending", PAID),
    "PAY-EVT-50/paid-on-creation": sends_besides(CREATED, PAID).also("PAY-EVT-18", "PAY-EVT-54").seen_in("PAY-ISO-02"),
    "PAY-EVT-54/another": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID),
    "PAY-EVT-54/another-without-postback-url": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID)
        .when(WITHOUT_POSTBACK),
    "PAY-EVT-66/end-to-end-id-when-completed": in_payload(
        "transfer", lambda transfer: transfer | {"id": transfer["pix"]["endToEndId"]}, COMPLETED)
        .says("transfer_completed has the endToEndId as the id of the transfer."),
    "PAY-EVT-68/less-fees": changes_result("The amount of an event is that of the transfer less its fees.",
        event_transfer=lambda _, right, _event, row: right | {"amount": row["amount"] - row["fees"]}),
    "PAY-EVT-99/completed-when-created": in_payload("transfer.status", "completed", SENT),
    "PAY-EVT-99/canceled-after-completed": sends_besides(COMPLETED, CANCELED, status="canceled"),
    "PAY-EVT-73/another": in_payload("transfer.pix.endToEndId", OTHER_PAYMENT, COMPLETED),
    "PAY-EVT-92/none": not_to_postback(UPDATED),
    "PAY-EVT-93/none": not_to_postback(CANCELED, overdrawn_status="canceled"),
    "PAY-SIG-01/none-on-retries": changes_arguments("From the second attempt on, an event has no signature.",
        write_event=lambda _, attempt, payload, secret: (attempt, payload, secret if attempt == 1 else None)),
    "PAY-SIG-01/other-header-for-one-event": changes_result(
        "A webhook for one event gets its signature in X-Service-Signature.", webhook_request=renamed_for_one_event),
    "PAY-SIG-02/version-0": changes_result(
        "The hash is called v0.", event_signature=lambda _, text, _body, _secret: text.replace("v1=", "v0=")),
    "PAY-SIG-03/cut-at-32": changes_result(
        "The hash is cut to 32 digits.", event_hash=lambda _, right, *_about: right[:32]).also("PAY-SIG-04"),
    "PAY-SIG-03/body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
    "PAY-SIG-09/three-hours-behind": setting("The t of a signature is three hours behind.",
        event_timestamp=lambda rules: str(int(rules.clock.now()) - 3 * 3600)),
    "PAY-SIG-09/zero": setting("The t of a signature is zero.", event_timestamp=lambda _: "0").also("PAY-SIG-10"),
}  # fmt: skip
