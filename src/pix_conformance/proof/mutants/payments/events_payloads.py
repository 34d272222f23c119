"""Mutants of PAY-EVT, events: the requests that carry them, and their payloads."""

import json
import uuid
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import WITHOUT_POSTBACK, amount_from
from pix_conformance.proof.mutants.operators.events import in_later_attempts, in_payload, sends_besides
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "events"
CREATED, PAID = "transaction_created", "transaction_paid"
SENT, COMPLETED, CANCELED = "transfer_created", "transfer_completed", "transfer_canceled"
OTHER_PAYMENT = "E99999999202611211000abcdefghijk"
Payload = dict[str, Any]


def less_fees(_: Any, right: Payload, _event: str, row: Row) -> Payload:
    return right | {"amount": row["amount"] - row["fees"]}


def less_splits(rules: Any, right: Payload, _: str, charge: Row) -> Payload:
    shares = sum(share for _, share in rules.split_shares(charge, charge["amount"] - charge["fees"]))
    return right | {"amount": charge["amount"] - shares}


def cents_lost(_: Any, right: Payload, _event: str, row: Row) -> Payload:
    return right | {"amount": int(row["amount"] / 100 * 100)}


def without_pix(charge: Payload) -> Payload:
    pix = charge["pix"]
    return charge | {"endToEndId": pix["endToEndId"], "pix": {"payerInfo": pix["payerInfo"]}}


MUTANTS = {
    "PAY-EVT-21": {
        "new-id-in-retries": in_later_attempts("id", lambda _: str(uuid.uuid4()))
            .says("An event that is sent again has a new id."),
        "attempt-in-retries": in_later_attempts("", lambda body: body | {"attempt": 2})
            .says("An event that is sent again has a further field."),
    },
    "PAY-EVT-30": {
        "put": setting("Events are sent by PUT.", event_method="PUT"),
    },
    "PAY-EVT-31": {
        "array": changes_result(
            "The body of an event is an array of events.", encode_event=lambda _, body, _payload: b"[" + body + b"]"),
        "encoded-twice": changes_result(
            "The body of an event is a JSON text in quotes.",
            encode_event=lambda _, body, _payload: json.dumps(body.decode(), ensure_ascii=False).encode()),
    },
    "PAY-EVT-32": {
        "form": setting("Events are labelled as a form.", event_content_type="application/x-www-form-urlencoded"),
        "plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain; charset=utf-8"),
    },
    "PAY-EVT-33": {
        "library": setting("The User-Agent of events is that of a library.", event_user_agent="python-requests/2.32"),
        "with-version": setting("The User-Agent of events ends with a version.", event_user_agent="Service/1.0"),
        "lower-case": setting("The User-Agent of events is in small letters.", event_user_agent="service"),
    },
    "PAY-EVT-46": {
        "reversed": in_payload("transaction.id", lambda text: text[::-1], CREATED, PAID)
            .says("An event has another id than its charge."),
        "id-of-event-when-paid": in_payload(
            "", lambda body: body | {"transaction": body["transaction"] | {"id": body["id"]}}, PAID)
            .says("transaction_paid has its own id as that of the charge."),
    },
    "PAY-EVT-48": {
        "hundredfold": in_payload("transaction.amount", lambda cents: cents * 100, CREATED, PAID)
            .says("The amount of an event is a hundred times that of the charge."),
        "zero-when-created": in_payload("transaction.amount", 0, CREATED),
        "in-reais-if-large": in_payload("transaction.amount", lambda cents: cents // 100, PAID)
            .says("The amount of transaction_paid is in whole reais").when(amount_from(1_000_00)),
        "less-splits": changes_result(
            "The amount of an event is that of the charge less its splits.", event_transaction=less_splits),
        "less-fees": changes_result(
            "The amount of an event is that of the charge less its fees.", event_transaction=less_fees),
        "cents-lost": changes_result(
            "Events lose a cent of some amounts, as binary fractions do.",
            event_transaction=cents_lost, event_transfer=cents_lost).also("PAY-EVT-68"),
    },
    "PAY-EVT-49": {
        "paid-when-created": in_payload("transaction.status", "paid", CREATED).also("PAY-EVT-51"),
        "refunded-after-paid": sends_besides(PAID, "transaction_refunded", status="refunded"),
    },
    "PAY-EVT-50": {
        "pending": in_payload("transaction.status", "pending", PAID),
        "paid-on-creation": sends_besides(CREATED, PAID).also("PAY-EVT-18", "PAY-EVT-54").seen_in("PAY-ISO-02"),
    },
    "PAY-EVT-53": {
        "beside-pix": in_payload("transaction", without_pix, PAID)
            .says("transaction_paid has the endToEndId beside pix."),
    },
    "PAY-EVT-54": {
        "another": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID),
        "another-without-postback-url": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID)
            .when(WITHOUT_POSTBACK),
    },
    "PAY-EVT-66": {
        "reversed": in_payload("transfer.id", lambda text: text[::-1])
            .says("An event has another id than its transfer."),
        "end-to-end-id-when-completed": in_payload(
            "transfer", lambda transfer: transfer | {"id": transfer["pix"]["endToEndId"]}, COMPLETED)
            .says("transfer_completed has the endToEndId as the id of the transfer."),
    },
    "PAY-EVT-68": {
        "hundredfold": in_payload("transfer.amount", lambda cents: cents * 100)
            .says("The amount of an event is a hundred times that of the transfer."),
        "negative": in_payload("transfer.amount", lambda cents: -cents)
            .says("The amount of an event of a transfer is negative."),
        "less-fees": changes_result(
            "The amount of an event is that of the transfer less its fees.", event_transfer=less_fees),
    },
    "PAY-EVT-69": {
        "completed-when-created": in_payload("transfer.status", "completed", SENT),
        "canceled-after-completed": sends_besides(COMPLETED, CANCELED, status="canceled"),
    },
    "PAY-EVT-73": {
        "another": in_payload("transfer.pix.endToEndId", OTHER_PAYMENT, COMPLETED),
    },
}  # fmt: skip


@mutant("PAY-EVT-48/less-fees-to-postback-url", "PAY-EVT-68", "PAY-EVT-46", "PAY-EVT-66")
class LessFeesToPostbackUrl(PaymentsRules):
    """A postbackUrl receives the amount less the fees, a webhook the whole one."""

    def send_event(self, event: str, row: Row, payload: Payload) -> None:
        super().send_event(event, row | {"postback_url": None}, payload)
        if row["postback_url"]:
            part = payload[payload["type"]] | {"amount": row["amount"] - row["fees"]}
            self.send_webhook_request(row["postback_url"], payload | {payload["type"]: part}, None)
