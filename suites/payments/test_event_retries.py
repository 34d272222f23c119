"""Events that are answered 500 or 200: which are sent again, how, and in what order."""

import json
from collections.abc import Iterator

import pytest

from fixtures.optional_fixtures import applicable
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

TAKEN_S = 1.0
"""Seconds after which the receiver has taken what it takes slowly."""


@requirement("PAY-EVT-02")
def test_a_payment_sends_transaction_paid_to_a_webhook_that_answers_500(
    payments_events: PaymentsEvents, late_events: LateEvents
) -> None:
    """The payment of a charge sends transaction_paid, which one webhook answers 500 twice."""
    refused = late_events.refused.value
    expect(refused.payment, sends("transaction_paid", to=payments_events.webhooks, about=refused.charge))


@deferred(0)  # a service may hold back events behind those that are refused here
@requirement("PAY-EVT-01", "PAY-EVT-02", "PAY-EVT-13")
def test_a_webhook_that_answers_500_keeps_no_event_from_others(
    payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int]
) -> None:
    """Of webhooks the second answers 500; the others, one of them registered later, and the postbackUrl receive all."""
    receiver, webhook = payments_events.receiver, payments_events.webhook.value
    postback, events = receiver.postback("beside"), ("transaction_created", "transaction_paid")
    with several_webhooks(payments, receiver, 2, *events) as further:
        if len(further) < 2:
            raise NotApplicable("no two further webhooks may be registered")
        refusing, others = further[0], [webhook, further[1]]
        created = announce(
            "transaction_created", others, lambda: create_charge_for_event(payments, unused_amounts), refusing
        )
        expect(created.request, created.reaches(*others), of="PAY-EVT-01")
        with several_webhooks(payments, receiver, 1, *events) as later:
            paid = announce(
                "transaction_paid",
                [*others, *later, postback],
                lambda: pay_charge_for_event(payments, unused_amounts, postback),
                refusing,
            )
            await_repetitions(refusing)
    expect(paid.request, paid.reaches(*others, *later), of="PAY-EVT-02")
    expect(paid.request, paid.reaches(postback), of="PAY-EVT-13")


@deferred(0)
@requirement("PAY-EVT-19")
def test_an_event_that_was_answered_200_is_not_sent_again(payments_events: PaymentsEvents) -> None:
    """A transaction_paid that each webhook answered 200 came to each of them once."""
    payment, webhooks = payments_events.payment.value, payments_events.webhooks
    first = payment.event_at(webhooks)
    wait_quiet_period(webhooks.channel)
    for webhook in webhooks.subscribed_to("transaction_paid"):
        events = (
            delivery for delivery in webhook.deliveries() if event_of(delivery, Api.PAYMENTS) == "transaction_paid"
        )
        came = [
            event for event in events if event.received >= payment.exchange.started and payment.about.is_named_in(event)
        ]
        expect(came[0] if came else first, is_not_sent_again(tuple(came)))


@deferred(0)
@requirement("PAY-EVT-21")
def test_an_event_that_is_sent_again_has_the_same_body(late_events: LateEvents) -> None:
    """An event that was answered 500 and is sent again has the same JSON in its body."""
    first, *further = late_events.refused.value.attempts()
    if not further:
        raise NotApplicable("the event that was answered 500 was not sent again while the run lasted")
    for attempt in further:
        expect(attempt, same_body_as(first))


@deferred(0)
@requirement("PAY-EVT-21")
def test_an_event_that_is_sent_again_after_a_change_has_the_body_of_before(
    events_of_changes_meanwhile: EventsOfChangesMeanwhile,
) -> None:
    """A transaction_created that was answered 500, and is sent again once the charge is paid, has the same body."""
    attempts = events_of_changes_meanwhile.refused_creation
    if len(attempts) < 2:
        raise NotApplicable("the event that was answered 500 was not sent again in time, or never came")
    expect(attempts[1], same_body_as(attempts[0]))


@deferred(0)
@requirement("PAY-EVT-02")
def test_a_payment_during_the_delivery_of_an_earlier_event_sends_its_event(
    events_of_changes_meanwhile: EventsOfChangesMeanwhile,
) -> None:
    """A charge that is paid while the receiver still takes its transaction_created sends transaction_paid too."""
    meanwhile = events_of_changes_meanwhile
    if not meanwhile.payment.ok:
        raise NotApplicable(f"the charge could not be paid ({meanwhile.payment.evidence})")
    if meanwhile.query is None:
        skip_if_events_wait(meanwhile.webhook.channel)
    expect(meanwhile.payment, sends("transaction_paid", to=meanwhile.webhook, about=meanwhile.charge))


@deferred(0)
@requirement("PAY-CHG-90")
def test_a_query_at_the_receipt_of_transaction_created_finds_the_charge(
    events_of_changes_meanwhile: EventsOfChangesMeanwhile,
) -> None:
    """GET of a charge that is sent as soon as its transaction_created comes returns 200."""
    query = events_of_changes_meanwhile.query_at_creation
    if query is None:
        raise NotApplicable("no transaction_created came in time that names its charge")
    expect(query, status(200))


@deferred(AT_THE_END)
@requirement("PAY-WH-72")
def test_a_webhook_that_is_removed_during_a_delivery_stays_so(
    payments: Payments, events_of_changes_meanwhile: EventsOfChangesMeanwhile
) -> Iterator[None]:
    """A webhook that was removed while the receiver took an event is not in the list at the end of the run."""
    webhook = events_of_changes_meanwhile.webhook
    yield
    payments.sender.waits.pause(TAKEN_S)
    listing = list_all_pages(payments)
    expect(listing.first, does_not_list_webhook(webhook.created, listing.pages))


@deferred(0)
@requirement("PAY-PAYS-30")
def test_a_query_at_the_receipt_of_transaction_paid_shows_the_payment(
    events_of_changes_meanwhile: EventsOfChangesMeanwhile,
) -> None:
    """GET of a charge that is sent as soon as its transaction_paid comes shows it as paid."""
    if events_of_changes_meanwhile.query is None:
        raise NotApplicable("no transaction_paid came in time")
    query = precondition(events_of_changes_meanwhile.query, has("data.status", "string"))
    expect(query, field("data.status", "paid"))


@deferred(0)
@requirement("PAY-TRF-95")
@pytest.mark.concurrent
def test_a_query_at_the_receipt_of_transfer_created_finds_the_transfer(reported_transfer: ReportedTransfer) -> None:
    """GET of a transfer that is sent as soon as its transfer_created comes returns 200."""
    if reported_transfer.query is None:
        raise NotApplicable("no transfer_created came in time that names its transfer")
    expect(reported_transfer.query, status(200))


@deferred(0)
@requirement("PAY-CMP-31")
@pytest.mark.concurrent
def test_a_query_at_the_receipt_of_transfer_completed_shows_the_completion(
    query_at_transfer_completed: Exchange,
) -> None:
    """GET of a transfer that is sent as soon as its transfer_completed comes shows it as completed."""
    expect(precondition(query_at_transfer_completed, has("data.status", "string")), field("data.status", "completed"))


@deferred(0)
@requirement("PAY-WH-60")
@pytest.mark.usefixtures("possible_receiver")
def test_a_webhook_is_removed_while_an_event_is_being_delivered_to_it(request: pytest.FixtureRequest) -> None:
    """DELETE of a webhook returns 200 while the receiver still takes an event."""
    meanwhile: EventsOfChangesMeanwhile = applicable(request, "events_of_changes_meanwhile")
    expect(meanwhile.removal, status(200))


@deferred(0)
@requirement("PAY-EVT-20")
def test_whether_an_event_that_was_answered_500_is_sent_again(late_events: LateEvents, observe: Observer) -> None:
    """How often a transaction_paid that was answered 500 twice is sent, and after how many seconds, is noted."""
    attempts = late_events.refused.value.attempts()
    seconds = [round(attempt.received - attempts[0].received, 2) for attempt in attempts]
    words = f"answered 500, the event came {len(attempts)} times, after {', '.join(map(str, seconds))} s"
    observe("PAY-EVT-20", words, seconds, *attempts)


@deferred(0)
@requirement("PAY-EVT-23")
def test_the_order_in_which_the_events_of_one_charge_come(payments_events: PaymentsEvents, observe: Observer) -> None:
    """In which order one webhook received the events of a charge that was created and paid is noted."""
    charge, webhook = payments_events.payment.value.about, payments_events.webhook.value
    deliveries = list(filter(charge.may_be_subject_of, webhook.deliveries()))
    names = [event_of(delivery, Api.PAYMENTS) for delivery in deliveries]
    observe("PAY-EVT-23", f"the events of one charge arrived as {', '.join(map(str, names))}", names, *deliveries)


@deferred(0)
@requirement("PAY-WH-74")
def test_whether_a_failing_webhook_is_active_is_noted(
    payments: Payments, late_events: LateEvents, observe: Observer
) -> None:
    """The isActive of a webhook that answered an event with 500 twice is noted, where the list shows the webhook."""
    late_events.refused.value.attempts()
    listed = find_in_list(payments, late_events.refused.value.webhook.created)
    active = listed.at("isActive")
    observe("PAY-WH-74", f"isActive of a webhook that answered 500 is {json.dumps(active)}", active, listed.page)


@deferred(0)
@requirement("PAY-EVT-25")
def test_whether_events_come_before_the_response_is_noted(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Whether the events of a charge came before the responses to its creation and its payment is noted."""
    causes = (payments_events.creation.value, payments_events.payment.value)
    deliveries = list(filter(causes[0].about.is_named_in, payments_events.webhook.value.deliveries()))
    ends = {cause.event: cause.exchange.ended for cause in causes}
    early = sorted(
        {
            name
            for delivery in deliveries
            if (name := event_of(delivery, Api.PAYMENTS)) in ends and delivery.received < ends[name]
        }
    )
    observe("PAY-EVT-25", f"before the response came: {', '.join(early) or 'no event'}", early, *deliveries)
