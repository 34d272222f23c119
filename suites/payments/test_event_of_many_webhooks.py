"""Twenty-one webhooks of one account at once: the list of them, and their events."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fixtures import *
from fixtures.optional_fixtures import Possible
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

MANY, FEW = 21, 4
"""Webhooks of one event: one more than a page of 20 shows; as many as a quota must leave for their events to tell."""


@dataclass(frozen=True)
class ManyWebhooks:
    """The registrations, and the webhooks where their events can be received."""

    created: list[Exchange]
    webhooks: list[Webhook]


@pytest.fixture(scope="module")
def many_webhooks(
    possible_receiver: Possible[PaymentsReceiver], payments: Payments, webhook_body: WebhookBody
) -> Iterator[ManyWebhooks]:
    """Register 21 webhooks, or as many as a quota leaves; for transaction_created where it can be received."""
    receivers = values(possible_receiver)
    if receivers:
        with several_webhooks(payments, receivers[0], MANY, "transaction_created") as webhooks:
            yield ManyWebhooks([webhook.created for webhook in webhooks], webhooks)
    else:
        with registered_webhooks(payments, [webhook_body() for _ in range(MANY)]) as created:
            yield ManyWebhooks(created, [])


@requirement("PAY-WH-52")
def test_each_of_21_webhooks_is_in_the_list(payments: Payments, many_webhooks: ManyWebhooks) -> None:
    """Each of 21 webhooks, one more than a page of 20 shows, or as many as a quota leaves, is in the list."""
    if not many_webhooks.created:
        raise Inconclusive("not tested: no webhook could be registered")
    listing = list_webhooks_until_shown(payments, *many_webhooks.created, unless=NotApplicable)
    expect(listing.first, *(lists_webhook(creation, listing.pages) for creation in many_webhooks.created))


@requirement("PAY-WH-32")
def test_many_webhooks_have_different_ids(many_webhooks: ManyWebhooks) -> None:
    """Twenty-one webhooks that exist at the same time, or as many as a quota leaves, have an id each."""
    if len(many_webhooks.created) < 2:
        raise NotApplicable(f"no more than {len(many_webhooks.created)} further webhooks may be registered")
    first, *others = [precondition(creation, has("data.id", "integer")) for creation in many_webhooks.created]
    expect(first, has_its_own("data.id", others))


@requirement("PAY-WH-73")
def test_how_many_webhooks_an_account_may_have_is_noted(many_webhooks: ManyWebhooks, observe: Observer) -> None:
    """How many of 21 webhooks are accepted beside those of other tests is noted."""
    accepted = len(many_webhooks.created)
    observe("PAY-WH-73", f"{accepted} of {MANY} further webhooks are accepted", accepted, *many_webhooks.created[-1:])


@pytest.fixture(scope="module")
def event_of_many_webhooks(
    payments: Payments, payments_receiver: PaymentsReceiver, many_webhooks: ManyWebhooks, unused_amounts: Iterator[int]
) -> Announcement:
    """Create a charge while the webhooks are registered for its event."""
    payments_receiver.channel.require_reachable()
    if len(many_webhooks.webhooks) < FEW:
        raise NotApplicable(f"no more than {len(many_webhooks.webhooks)} further webhooks may be registered")
    return announce(
        "transaction_created", many_webhooks.webhooks, lambda: create_charge_for_event(payments, unused_amounts)
    )


@requirement("PAY-EVT-01")
def test_each_of_many_webhooks_receives_transaction_created(
    many_webhooks: ManyWebhooks, event_of_many_webhooks: Announcement
) -> None:
    """Each of 21 webhooks that subscribe to transaction_created, or of as many as a quota leaves, receives it."""
    expect(event_of_many_webhooks.request, event_of_many_webhooks.reaches(*many_webhooks.webhooks))


@requirement("PAY-SIG-03")
def test_the_event_of_many_webhooks_is_signed_by_the_secret_of_each(
    many_webhooks: ManyWebhooks, event_of_many_webhooks: Announcement
) -> None:
    """An event to webhooks that subscribe to the same events is signed with the signatureSecret of each of them."""
    signing = SubscribedWebhooks(many_webhooks.webhooks).with_secret
    events = event_of_many_webhooks.deliveries
    came = [event for event in events if any(webhook.took(event) for webhook in signing.every)]
    expect_every((event, signing.is_signed_for(signing.webhook_of(event))) for event in came)
