"""Mutants of PAY-EVT, events: the requests that carry them, and their payloads."""

import uuid
from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.proof.mutants.guards import WITHOUT_POSTBACK, amount_from
from pix_conformance.proof.mutants.operators.events import in_later_attempts, in_payload, sends_besides
from pix_conformance.reference.store import Row

GROUP = "events"
CREATED, PAID = "transaction_created", "transaction_paid"
SENT, COMPLETED, CANCELED = "transfer_created", "transfer_completed", "transfer_canceled"
OTHER_PAYMENT = "E99999999202611211000abcdefghijk"
Payload = dict[str, Any]


def less_fees(_: Any, right: Payload, _event: str, row: Row) -> Payload:
    return right | {"amount": row["amount"] - row["fees"]}


def without_pix(charge: Payload) -> Payload:
    pix = charge["pix"]
    return charge | {"endToEndId": pix["endToEndId"], "pix": {"payerInfo": pix["payerInfo"]}}


MUTANTS = {
    "PAY-EVT-21": {"new-id-in-retries": in_later_attempts("id", lambda _: str(uuid.uuid4()))
            .says("An event that is sent again has a new id.")},
    "PAY-EVT-30": {"put": setting("Events are sent by PUT.", event_method="PUT")},
    "PAY-EVT-31": {"array": changes_result(
            "The body of an event is an array of events.", encode_event=lambda _, body, _payload: b"[" + body + b"]")},
    "PAY-EVT-32": {
        "plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain; charset=utf-8"),
    },
    "PAY-EVT-33": {"lower-case": setting("The User-Agent of events is in small letters.", event_user_agent="service")},
    "PAY-EVT-46": {"id-of-event-when-paid": in_payload(
            "", lambda body: body | {"transaction": body["transaction"] | {"id": body["id"]}}, PAID)
            .says("transaction_paid has its own id as that of the charge.")},
    "PAY-EVT-48": {
        "zero-when-created": in_payload("transaction.amount", 0, CREATED),
        "in-reais-if-large": in_payload("transaction.amount", lambda cents: cents // 100, PAID)
            .says("The amount of transaction_paid is in whole reais").when(amount_from(1_000_00)),
    },
    "PAY-EVT-49": {
        "paid-when-created": in_payload("transaction.status", "paid", CREATED).also("PAY-EVT-51"),
        "refunded-after-paid": sends_besides(PAID, "transaction_refunded", status="refunded"),
    },
    "PAY-EVT-50": {
        "pending": in_payload("transaction.status", "pending", PAID),
        "paid-on-creation": sends_besides(CREATED, PAID).also("PAY-EVT-18", "PAY-EVT-54").seen_in("PAY-ISO-02"),
    },
    "PAY-EVT-53": {"beside-pix": in_payload("transaction", without_pix, PAID)
            .says("transaction_paid has the endToEndId beside pix.")},
    "PAY-EVT-54": {
        "another": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID),
        "another-without-postback-url": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID)
            .when(WITHOUT_POSTBACK),
    },
    "PAY-EVT-66": {"end-to-end-id-when-completed": in_payload(
            "transfer", lambda transfer: transfer | {"id": transfer["pix"]["endToEndId"]}, COMPLETED)
            .says("transfer_completed has the endToEndId as the id of the transfer.")},
    "PAY-EVT-68": {"less-fees": changes_result(
            "The amount of an event is that of the transfer less its fees.", event_transfer=less_fees)},
    "PAY-EVT-69": {
        "completed-when-created": in_payload("transfer.status", "completed", SENT),
        "canceled-after-completed": sends_besides(COMPLETED, CANCELED, status="canceled"),
    },
    "PAY-EVT-73": {"another": in_payload("transfer.pix.endToEndId", OTHER_PAYMENT, COMPLETED)},
}  # fmt: skip
