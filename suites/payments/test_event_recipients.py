"""Who receives an event: each webhook that subscribes, and no other address."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pytest

from fixtures import *
from fixtures.optional_fixtures import possible
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@deferred(0)
@requirement("PAY-WH-63", "PAY-EVT-12")
def test_a_removed_webhook_receives_no_event(
    payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int]
) -> Iterator[None]:
    """A webhook that was removed while a charge was created receives no event of a charge created directly afterwards.

    A younger one receives the events of both charges. Just before, another charge sends its event to both webhooks.
    """
    webhook, cents, event = payments_events.webhook_to_remove.value, next(unused_amounts), "transaction_created"
    # What is under way to the webhook arrives first: it may come after the removal.
    payments_events.creation.value.event_at(webhook)
    for completion in values(payments_events.transfers.completion):
        await_deliveries(completion.event, to=webhook, about=completion.about, cause=completion.exchange)
    register = partial(register_webhook, payments, payments_events.receiver, "younger", event)
    younger = list(values(possible(register)))
    create_charge_of(payments, next(unused_amounts))
    removal, created = run_concurrently(
        lambda: payments.delete_webhook(webhook.id), lambda: create_charge_of(payments, cents).created
    )
    precondition(removal)
    after = create_charge_of(payments, next(unused_amounts))
    charges = [source_of(payments, "transaction", created, cents), after]
    for address in younger:
        if all(await_deliveries(event, to=address, about=charge, cause=charge.created) for charge in charges):
            payments.delete_webhook(address.id)
    yield
    expect(after.created, sends_no_event(to=webhook, about=after), of="PAY-WH-63")
    for address in younger:
        for charge in charges:
            expect(charge.created, sends(event, to=address, about=charge), of="PAY-EVT-12")
    if not younger:
        raise NotApplicable("no further webhook may be registered")


@requirement("PAY-EVT-12")
@pytest.mark.parametrize(
    "by",
    [lambda e: e.creation, lambda e: e.payment, lambda e: e.transfers.completion],
    ids=["transaction_created", "transaction_paid", "transfer_completed"],
)
def test_each_webhook_that_subscribes_receives_the_event(payments_events: PaymentsEvents, by: CauseIn) -> None:
    """Of two webhooks that subscribe to an event, each receives it."""
    cause = by(payments_events).value
    cause.event_at(payments_events.webhooks)
    for webhook in payments_events.webhooks.subscribed_to(cause.event):
        expect(cause.exchange, sends(cause.event, to=webhook, about=cause.about))


@dataclass(frozen=True)
class EventsOfOneUrl:
    """An event for each of two webhooks that have one url, and subscribe to different events."""

    webhooks: Sequence[Webhook]
    announcements: Sequence[Announcement]


@pytest.fixture(scope="session")
def events_of_one_url(
    payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int]
) -> EventsOfOneUrl:
    """Pay a charge and create one while two webhooks of one url are registered, for a payment and for a creation."""
    with two_webhooks_of_one_url(payments, payments_events.receiver, "transaction_paid", "transaction_created") as both:
        paid = announce("transaction_paid", both[:1], lambda: pay_charge_for_event(payments, unused_amounts))
        created = announce("transaction_created", both[1:], lambda: create_charge_for_event(payments, unused_amounts))
    return EventsOfOneUrl(both, [paid, created])


@requirement("PAY-EVT-01", "PAY-EVT-02")
def test_two_webhooks_of_one_url_receive_the_event_of_each(events_of_one_url: EventsOfOneUrl) -> None:
    """Two webhooks have one url, and each subscribes to another event: both events come to that url."""
    (for_paid, for_created), (paid, created) = events_of_one_url.webhooks, events_of_one_url.announcements
    expect(created.request, created.reaches(for_created), of="PAY-EVT-01")
    expect(paid.request, paid.reaches(for_paid), of="PAY-EVT-02")


@requirement("PAY-SIG-03")
def test_events_to_two_webhooks_of_one_url_are_signed_by_the_secret_of_each(events_of_one_url: EventsOfOneUrl) -> None:
    """Two webhooks have one url: the event of each is signed with the signatureSecret of that webhook."""
    came = [event for announcement in events_of_one_url.announcements for event in announcement.deliveries]
    signing = SubscribedWebhooks(events_of_one_url.webhooks).with_secret
    for webhook in signing.every:
        events = [event for event in came if event_of(event, Api.PAYMENTS) in webhook.events]
        expect_every((event, signing.is_signed_for(webhook)) for event in events)


@deferred(0)
@requirement("PAY-ISO-08")
def test_no_event_comes_for_the_webhook_of_another_account_that_has_the_same_url(
    payments: Payments, other_payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int]
) -> Iterator[None]:
    """Two accounts register one url: no event of the first is signed with the signatureSecret of the second.

    Events of the second, such as of a charge that another client creates meanwhile, come to that url too.
    """
    receiver = payments_events.receiver
    with webhooks_of_accounts([other_payments, payments], receiver, "transaction_created") as (theirs, own):
        secret = theirs.secret
        if secret is None or own.secret is None or secret.reveal() == own.secret.reveal():
            raise NotApplicable("the two webhooks have no signatureSecret of their own")
        announcement = announce("transaction_created", [own], lambda: create_charge_for_event(payments, unused_amounts))
    yield
    wait_quiet_period(receiver.channel)
    charges = [cause.about for cause in announcement.causes]
    events = [event for event in own.deliveries() if any(charge.is_named_in(event) for charge in charges)]
    expect_every((event, is_not_signed_with(secret)) for event in events)


@requirement("PAY-EVT-02")
def test_a_webhook_that_is_younger_than_the_charge_receives_its_payment(late_events: LateEvents) -> None:
    """A webhook that is registered between the creation and the payment of a charge receives transaction_paid."""
    webhook, payment = late_events.after_webhook.value.webhook, late_events.after_webhook.value.payment
    expect(payment.exchange, sends("transaction_paid", to=webhook, about=payment.about))


@deferred(0)
@requirement("PAY-EVT-11")
@pytest.mark.parametrize("name", ["webhook_for_payments", "webhook_to_remove"], ids=["payments", "creations"])
def test_a_webhook_for_some_events_receives_no_other_event(
    payments_events: PaymentsEvents, name: str
) -> Iterator[None]:
    """A webhook for three events, of payments or of creations, receives no other event during the run."""
    yield
    webhook: Webhook = getattr(payments_events, name).value
    wait_quiet_period(webhook.channel)
    expect(webhook.created, receives_only_its_events(tuple(webhook.deliveries())))


@deferred(0)
@requirement("PAY-EVT-17")
def test_a_postback_url_receives_events_of_its_own_object_only(
    payments_events: PaymentsEvents, late_events: LateEvents
) -> None:
    """The postbackUrl of a charge or transfer receives no event of another charge or transfer."""
    sources = event_sources(payments_events, late_events)
    with_postback = [source for source in sources if source.postback_address]
    if not with_postback or len(sources) < 2:  # an object, and another one
        raise Inconclusive("fewer than two charges or transfers of this run send events")
    for source in with_postback:
        address = replace(source.postback, in_words=f"the postbackUrl of {source.created.evidence}")
        for other in (other for other in sources if other is not source):
            expect(other.created, sends_no_event(to=address, about=other))


@requirement("PAY-EVT-13")
def test_a_postback_url_that_is_a_webhook_for_other_events_receives_the_payment(
    payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int]
) -> None:
    """A payment sends transaction_paid to a postbackUrl that is the url of a webhook for transfer_canceled alone."""
    webhook = register_webhook(payments, payments_events.receiver, "postback-too", "transfer_canceled")
    try:
        charge = create_charge_of(payments, next(unused_amounts), webhook)
        payment = precondition(payments.pay_charge(charge.id))
        if not await_deliveries("transaction_paid", to=webhook, about=charge, cause=payment):
            skip_if_events_wait(webhook.channel)
        expect(payment, sends("transaction_paid", to=webhook, about=charge))
    finally:
        payments.delete_webhook(webhook.id)


@deferred(0)
@requirement("PAY-EVT-27")
def test_how_often_an_event_comes_to_a_webhook_that_is_the_postback_url_is_noted(
    payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int], observe: Observer
) -> None:
    """How often transaction_paid comes to one url that is a webhook and the postbackUrl of the charge is noted."""
    webhook = register_webhook(payments, payments_events.receiver, "twofold", "transaction_paid")
    try:
        charge = create_charge_of(payments, next(unused_amounts), webhook)
        payment = precondition(payments.pay_charge(charge.id))
        await_deliveries("transaction_paid", to=webhook, about=charge, cause=payment)
        webhook.channel.expect_none_after(payment)
        wait_quiet_period(webhook.channel)
    finally:
        payments.delete_webhook(webhook.id)
    came = filter(charge.is_named_in, webhook.deliveries())
    paid = [delivery for delivery in came if event_of(delivery, Api.PAYMENTS) == "transaction_paid"]
    observe("PAY-EVT-27", f"transaction_paid came {len(paid)} times to the one url", len(paid), payment, *paid)
