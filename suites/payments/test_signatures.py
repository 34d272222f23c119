"""Signatures of events, over the raw bytes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

SENDING_S = 3.0
"""Seconds between the signing of an event and its arrival, at most: the clock may be advanced between them."""
CAUSES: Mapping[str, CauseIn] = {
    "transaction_created": lambda e: e.creation,
    "transaction_paid": lambda e: e.payment,
    "transfer_created": lambda e: e.transfers.creation,
    "transfer_completed": lambda e: e.transfers.completion,
}


@pytest.fixture
def signed_payment(payments_events: PaymentsEvents) -> Delivery:
    """Return transaction_paid as it came to a webhook that was given a signatureSecret."""
    return payments_events.payment.value.event_at(payments_events.webhooks.with_secret)


def signed_events(signing: SubscribedWebhooks) -> Iterable[tuple[Delivery, Relation]]:
    """Yield each event that came to a webhook with a signatureSecret, repeated ones too, and that it is signed."""
    for webhook in signing.every:
        attempts = defaultdict[str, list[Delivery]](list)
        for event in webhook.deliveries():
            if event_of(event, Api.PAYMENTS):
                earlier = attempts[str(at(event.json, "id"))]
                yield event, signing.is_signed_for(webhook, tuple(earlier))
                earlier.append(event)


@requirement("PAY-SIG-01")
@pytest.mark.parametrize("name", CAUSES)
def test_an_event_to_a_webhook_is_signed(payments_events: PaymentsEvents, name: str) -> None:
    """An event to a webhook that was given a signatureSecret has the header Service-Signature."""
    event = CAUSES[name](payments_events).value.event_at(payments_events.webhooks.with_secret)
    expect(event, has_signature_header())


@requirement("PAY-SIG-01", "PAY-SIG-03")
def test_an_event_to_a_webhook_for_one_event_is_signed(late_events: LateEvents) -> None:
    """An event to a webhook that subscribes to nothing else is signed with the signatureSecret of that webhook."""
    webhook = SubscribedWebhooks([late_events.after_webhook.value.webhook]).with_secret
    event = late_events.after_webhook.value.payment.event_at(webhook)
    expect(event, has_signature_header(), of="PAY-SIG-01")
    expect(event, webhook.is_signed_for(webhook.webhook_of(event)), of="PAY-SIG-03")


@quick
@requirement("PAY-SIG-02", "PAY-SIG-04")
def test_a_signature_is_a_timestamp_and_a_hexadecimal_hash(signed_payment: Delivery) -> None:
    """The header Service-Signature is t=<timestamp>,v1=<hash>, and the hash is 64 hexadecimal digits."""
    expect(signed_payment, has_signature_form("PAY-SIG-02"), of="PAY-SIG-02")
    expect(signed_payment, has_signature_form("PAY-SIG-04"), of="PAY-SIG-04")


@quick
@requirement("PAY-SIG-03")
@pytest.mark.parametrize("name", CAUSES)
def test_a_signature_is_the_hmac_of_the_raw_body(payments_events: PaymentsEvents, name: str) -> None:
    """At each webhook, v1 is the HMAC-SHA256 of <t>.<raw body> under the signatureSecret of that webhook."""
    cause, signing = CAUSES[name](payments_events).value, payments_events.webhooks.with_secret
    first = cause.event_at(signing)
    expect(first, signing.is_signed_for(signing.webhook_of(first)))
    for webhook in signing.subscribed_to(name):
        if not webhook.took(first):
            for event in await_deliveries(name, to=webhook, about=cause.about, cause=cause.exchange)[:1]:
                expect(event, signing.is_signed_for(webhook))


@pytest.mark.whole_run
@deferred(0)
@requirement("PAY-SIG-01", "PAY-SIG-03")
@pytest.mark.usefixtures("signed_payment")
def test_every_event_of_the_run_is_signed(payments_events: PaymentsEvents, late_events: LateEvents) -> None:
    """Each event to a webhook with a signatureSecret is signed with it, one that is sent again after a 500 too."""
    late_events.refused.value.attempts()
    events = list(signed_events(payments_events.webhooks_of_both_accounts.with_secret))
    expect_every(((event, has_signature_header()) for event, _ in events), of="PAY-SIG-01")
    expect_every(events, of="PAY-SIG-03")


@requirement("PAY-SIG-09")
def test_the_timestamp_of_a_signature_is_the_time_of_sending(
    payments: Payments, signed_payment: Delivery, clock: Clock
) -> None:
    """The t of a signature is the time at which the event came, within the five minutes that clocks may differ by."""
    came = signed_payment.received
    ahead = clock_ahead(payments.sender.facts.exchanges)
    expect(signed_payment, is_signed_between(clock.at(came - SENDING_S), clock.at(came), ahead))


@pytest.mark.whole_run
@deferred(AT_THE_END)
@requirement("PAY-SIG-10")
def test_the_timestamp_of_signatures_changes_with_time(
    payments_events: PaymentsEvents, signed_payment: Delivery
) -> None:
    """Signatures of events that came at different times do not all have the same t."""
    events = [event for event, _ in signed_events(payments_events.webhooks_of_both_accounts)]
    first, other = farthest_apart([signed_payment, *events])
    expect(other, has_another_time_than(first))


@deferred(0)
@requirement("PAY-SIG-06")
def test_what_the_timestamp_of_a_signature_counts(signed_payment: Delivery, observe: Observer) -> None:
    """Whether the t of a signature counts seconds or milliseconds, or is a text, is noted."""
    t = signature.parse(signed_payment.header(HEADER)).t
    observe("PAY-SIG-06", f"t is {read(t)}", {"t": t, "received": signed_payment.received}, signed_payment)


@deferred(0)
@requirement("PAY-SIG-07")
def test_whether_an_event_to_a_postback_url_is_signed(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Whether an event to a postbackUrl is signed, and with the signatureSecret of a webhook, is noted."""
    payment = payments_events.payment.value
    event = payment.event_at(payment.about.postback)
    secrets = [webhook.secret for webhook in payments_events.webhooks.every if webhook.secret]
    header = event.header(HEADER)
    fits = any(signature.verify(header, event.body, secret.reveal()) is None for secret in secrets)
    words = "not signed" if header is None else f"signed, with {'a' if fits else 'no'} secret of a webhook of this run"
    observe("PAY-SIG-07", f"an event to a postbackUrl is {words}", header is not None, event)


@deferred(AT_THE_END)
@requirement("PAY-SIG-08")
def test_whether_an_event_that_is_sent_again_is_signed_again(late_events: LateEvents, observe: Observer) -> None:
    """Whether an event that was answered 500 has another t when it is sent again is noted."""
    attempts = late_events.refused.value.attempts()
    stamps = [signature.parse(attempt.header(HEADER)).t for attempt in attempts]
    if len(attempts) > 1 and len(set(stamps)) == 1 and attempts[-1].received - attempts[0].received < 1:
        raise NotApplicable("unseen: all attempts came within one second, so that t may be the same by chance")
    same = "the same in each" if len(set(stamps)) == 1 else "another in a later one"
    words = f"t of the attempts is {same}: {', '.join(stamps)}" if len(attempts) > 1 else "the event was not sent again"
    observe("PAY-SIG-08", words, stamps, *attempts)
