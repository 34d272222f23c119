"""Who receives an event: each webhook that subscribes, and no other address."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fixtures import available
from fixtures.payments import (
    CauseOf,
    EventSource,
    PaymentAfterWebhook,
    PaymentsReceiver,
    SubscribedWebhooks,
    Webhook,
    announce,
    create_charge,
    create_charge_of,
    pay_charge,
    register_webhook,
    two_webhooks_of_one_url,
)
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.usefixtures("early_events")


@deferred(0)
@requirement("PAY-WH-63")
def test_a_removed_webhook_receives_no_event(
    request: pytest.FixtureRequest,
    payments: Payments,
    webhook_to_remove: Webhook,
    charge_with_postback: EventSource,
    unused_amounts: Iterator[int],
) -> Iterator[None]:
    """A webhook that received transaction_created and was removed receives no event of a charge created afterwards."""
    webhook, before = webhook_to_remove, charge_with_postback
    await_event("transaction_created", to=webhook, about=before, cause=before.created)
    for completion in available(request, "completion_with_postback"):
        await_deliveries("transfer_completed", to=webhook, about=completion.about, cause=completion.request)
    precondition(payments.delete_webhook(webhook.id))
    after = create_charge_of(payments, next(unused_amounts))
    yield
    expect(after.created, sends_no_event(to=webhook, about=after))


@requirement("PAY-EVT-12")
@pytest.mark.parametrize("event", ["transaction_created", "transaction_paid", "transfer_completed"])
def test_each_webhook_that_subscribes_receives_the_event(
    cause_of: CauseOf, webhooks: SubscribedWebhooks, event: str
) -> None:
    """Of two webhooks that subscribe to an event, each receives it."""
    cause = cause_of(event)
    await_event(event, to=webhooks, about=cause.about, cause=cause.request)
    for webhook in webhooks.subscribed_to(event):
        expect(cause.request, sends(event, to=webhook, about=cause.about))


@requirement("PAY-EVT-01", "PAY-EVT-02")
def test_two_webhooks_of_one_url_receive_the_event_of_each(
    payments: Payments, payments_receiver: PaymentsReceiver, unused_amounts: Iterator[int]
) -> None:
    """Two webhooks have one url, and each subscribes to another event: both events come to that url."""
    with two_webhooks_of_one_url(payments, payments_receiver, "transaction_paid", "transaction_created") as url:
        paid = announce("transaction_paid", [url], lambda: pay_charge(payments, unused_amounts))
        created = announce("transaction_created", [url], lambda: create_charge(payments, unused_amounts))
    expect(created.request, created.reaches(url), of="PAY-EVT-01")
    expect(paid.request, paid.reaches(url), of="PAY-EVT-02")


@requirement("PAY-EVT-02")
def test_a_webhook_that_is_younger_than_the_charge_receives_its_payment(
    payment_after_webhook: PaymentAfterWebhook,
) -> None:
    """A webhook that is registered between the creation and the payment of a charge receives transaction_paid."""
    webhook, payment = payment_after_webhook.webhook, payment_after_webhook.payment
    expect(payment.request, sends("transaction_paid", to=webhook, about=payment.about))


@deferred(0)
@requirement("PAY-EVT-11")
def test_a_webhook_for_payments_receives_no_other_event(webhook_for_payments: Webhook) -> Iterator[None]:
    """A webhook for transaction_paid, infraction and transfer_updated receives no other event during the run."""
    yield
    webhook_for_payments.channel.wait_quiet_period()
    expect(webhook_for_payments.created, receives_only_its_events(tuple(webhook_for_payments.deliveries())))


@deferred(0)
@requirement("PAY-EVT-11")
def test_a_webhook_for_creations_receives_no_other_event(webhook_to_remove: Webhook) -> Iterator[None]:
    """A webhook for transaction_created, transaction_updated and transfer_completed receives no other event."""
    yield
    webhook_to_remove.channel.wait_quiet_period()
    expect(webhook_to_remove.created, receives_only_its_events(tuple(webhook_to_remove.deliveries())))


@deferred(0)
@requirement("PAY-EVT-17")
def test_a_postback_url_receives_events_of_its_own_object_only(event_sources: list[EventSource]) -> None:
    """The postbackUrl of a charge or transfer receives no event of another charge or transfer."""
    with_postback = [one for one in event_sources if one.postback_address]
    if not with_postback or len(event_sources) < 2:  # an object, and another one
        raise inconclusive("fewer than two charges or transfers of this run send events")
    for one in with_postback:
        address = replace(one.postback, place=f"the postbackUrl of {one.created.evidence}")
        for other in (each for each in event_sources if each is not one):
            expect(other.created, sends_no_event(to=address, about=other))


@deferred(0)
@requirement("PAY-EVT-27")
def test_how_often_an_event_comes_to_a_webhook_that_is_the_postback_url_is_noted(
    payments: Payments, payments_receiver: PaymentsReceiver, unused_amounts: Iterator[int], observe: Observer
) -> None:
    """How often transaction_paid comes to one url that is a webhook and the postbackUrl of the charge is noted."""
    webhook = register_webhook(payments, payments_receiver, "twofold", "transaction_paid")
    try:
        charge = create_charge_of(payments, next(unused_amounts), webhook)
        payment = precondition(payments.pay_charge(charge.id))
        await_deliveries("transaction_paid", to=webhook, about=charge, cause=payment)
        webhook.channel.expect_none_after(payment)
        webhook.channel.wait_quiet_period()
    finally:
        payments.delete_webhook(webhook.id)
    paid = [one for one in webhook.deliveries() if event_of(one, Api.PAYMENTS) == "transaction_paid"]
    observe("PAY-EVT-27", f"transaction_paid came {len(paid)} times to the one url", len(paid), payment, *paid)
