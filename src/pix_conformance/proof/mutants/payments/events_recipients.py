"""Mutants of PAY-EVT, events: the webhooks and the postbackUrl that receive them."""

from typing import Any

from pix_conformance.proof.difference import changes_result
from pix_conformance.proof.mutants.guards import WITH_SPLITS, of_event
from pix_conformance.proof.mutants.operators.recipients import (
    not_to_postback,
    to_other_url,
    to_some_webhooks,
    to_webhooks_for,
    without_query,
)
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

GROUP = "events"
CREATED, PAID = "transaction_created", "transaction_paid"
SENT, UPDATED, COMPLETED, CANCELED = "transfer_created", "transfer_updated", "transfer_completed", "transfer_canceled"


def send_to_earlier_charges(rules: Any, _: None, event: str, row: Row, payload: dict[str, Any]) -> None:
    charges = rules.store.rows("payments_charge", account=row["account"], environment=row["environment"])
    urls = {one["postback_url"] for one in charges if one["postback_url"]} - {row["postback_url"]}
    for url in urls if event == PAID else ():
        rules.send_webhook_request(url, payload, None)


MUTANTS = {
    "PAY-EVT-11": {
        "paid-to-created": to_webhooks_for(CREATED, PAID),
        "created-to-paid": to_webhooks_for(PAID, CREATED),
    },
    "PAY-EVT-12": {
        "oldest-only": to_some_webhooks(
            "Of several webhooks for an event only the oldest receives it.", lambda hooks: hooks[:1]),
        "oldest-only-when-completed": to_some_webhooks(
            "Of several webhooks only the oldest receives an event.", lambda hooks: hooks[:1])
            .when(of_event(COMPLETED)),
        "oldest-only-when-created": to_some_webhooks(
            "Of several webhooks only the oldest receives an event.", lambda hooks: hooks[:1])
            .when(of_event(CREATED)),
    },
    "PAY-EVT-13": {
        "none-with-splits": not_to_postback(PAID).when(WITH_SPLITS),
        "none-without-webhook": changes_result(
            "A postbackUrl receives an event only if a webhook does.",
            posts_back=lambda rules, _, event, row: bool(rules.listeners(event, owner_of(row)))),
        "url-without-query": to_other_url(
            "Events come to a postbackUrl without its query.", without_query, postback=True).also("PAY-EVT-15"),
    },
    "PAY-EVT-15": {"none": not_to_postback(COMPLETED)},
    "PAY-EVT-16": {"none": not_to_postback(SENT)},
    "PAY-EVT-17": {"paid-to-urls-of-other-charges": changes_result(
            "transaction_paid goes to the postbackUrl of every other charge too.", send_event=send_to_earlier_charges)},
    "PAY-EVT-92": {"none": not_to_postback(UPDATED)},
    "PAY-EVT-93": {"none": not_to_postback(CANCELED, overdrawn_status="canceled")},
}  # fmt: skip
