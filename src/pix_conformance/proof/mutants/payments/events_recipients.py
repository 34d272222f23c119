"""Mutants of PAY-EVT, events: the webhooks and the postbackUrl that receive them."""

import asyncio
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import WITH_SPLITS, of_event
from pix_conformance.proof.mutants.operators.recipients import (
    in_lower_case,
    not_to_postback,
    sent_in_turn,
    to_other_url,
    to_some_webhooks,
    to_webhooks_for,
    without_query,
)
from pix_conformance.reference.payments import PaymentsRules
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


def send_to_newest_charge(rules: Any, _: None, event: str, row: Row, payload: dict[str, Any]) -> None:
    charges = rules.store.rows("payments_charge", "seq DESC", account=row["account"])
    url = next((one["postback_url"] for one in charges if one["postback_url"]), None)
    if url and event.startswith("transfer"):
        rules.send_webhook_request(url, payload, None)


def each_address_once(rules: Any, event: str, row: Row, payload: dict[str, Any]) -> tuple[Any, ...]:
    sent, one = rules.__dict__.setdefault("sent", set()), (row["postback_url"], event)
    known = one in sent
    sent.add(one)
    return event, row | ({"postback_url": None} if known else {}), payload


MUTANTS = {
    "PAY-EVT-11": {
        "every-webhook": setting("Every event reaches every webhook.", subscribes=lambda _rules, _hook, _event: True),
        "paid-to-created": to_webhooks_for(CREATED, PAID),
        "created-to-paid": to_webhooks_for(PAID, CREATED),
        "paid-to-updated": to_webhooks_for("transaction_updated", PAID),
        "updated-to-completed": to_webhooks_for(COMPLETED, UPDATED),
        "completed-to-updated": to_webhooks_for(UPDATED, COMPLETED),
        "completed-to-infraction": to_webhooks_for("infraction", COMPLETED),
    },
    "PAY-EVT-12": {
        "oldest-only": to_some_webhooks(
            "Of several webhooks for an event only the oldest receives it.", lambda hooks: hooks[:1]),
        "newest-only": to_some_webhooks(
            "Of several webhooks for an event only the newest receives it.", lambda hooks: hooks[-1:]),
        "oldest-only-when-completed": to_some_webhooks(
            "Of several webhooks only the oldest receives an event.", lambda hooks: hooks[:1])
            .when(of_event(COMPLETED)),
        "oldest-only-when-created": to_some_webhooks(
            "Of several webhooks only the oldest receives an event.", lambda hooks: hooks[:1])
            .when(of_event(CREATED)),
    },
    "PAY-EVT-13": {
        "none": not_to_postback(PAID),
        "none-with-splits": not_to_postback(PAID).when(WITH_SPLITS),
        "none-without-webhook": changes_result(
            "A postbackUrl receives an event only if a webhook does.",
            posts_back=lambda rules, _, event, row: bool(rules.listeners(event, owner_of(row)))),
        "none-beside-webhook": changes_result(
            "A postbackUrl receives an event only if no webhook does.",
            posts_back=lambda rules, _, event, row: not rules.listeners(event, owner_of(row))),
        "once-for-each-url": changes_arguments(
            "A postbackUrl receives an event once, though several charges name it.", send_event=each_address_once),
        "url-without-query": to_other_url(
            "Events come to a postbackUrl without its query.", without_query, postback=True).also("PAY-EVT-15"),
        "url-with-lower-path": to_other_url(
            "Events come to the path of a postbackUrl in small letters.", in_lower_case, postback=True)
            .also("PAY-EVT-15"),
    },
    "PAY-EVT-15": {
        "none": not_to_postback(COMPLETED),
        "none-with-description": changes_arguments(
            "The postbackUrl of a transfer with a description is lost.",
            open_transfer=lambda _, call, read:
                (call, read | ({"postbackUrl": None} if read["description"] else {}))),
    },
    "PAY-EVT-16": {
        "none": not_to_postback(SENT),
    },
    "PAY-EVT-17": {
        "paid-to-urls-of-other-charges": changes_result(
            "transaction_paid goes to the postbackUrl of every other charge too.", send_event=send_to_earlier_charges),
        "transfers-to-url-of-newest-charge": changes_result(
            "Events of transfers go to the newest postbackUrl of a charge too.", send_event=send_to_newest_charge),
    },
    "PAY-EVT-92": {
        "none": not_to_postback(UPDATED),
    },
    "PAY-EVT-93": {
        "none": not_to_postback(CANCELED, overdrawn_status="canceled"),
    },
}  # fmt: skip


@mutant("PAY-EVT-13/none-if-a-webhook-fails")
class NoneIfAWebhookFails(PaymentsRules):
    """A postbackUrl receives an event once every webhook has answered 2xx at the first attempt."""

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        requests = [self.webhook_request(hook["url"], payload, hook) for hook in self.listeners(event, owner_of(row))]

        async def send() -> None:
            answered = await asyncio.gather(*(sent_in_turn(self, [one]) for one in requests))
            if all(answered) and row["postback_url"] and self.posts_back(event, row):
                self.send_webhook_request(row["postback_url"], payload, None)

        self.world.outbox.begin(send())
