"""Signatures of events, over the raw bytes (payments.md, lines 338-347)."""

import pytest

from fixtures.payments.account import LAST
from fixtures.payments.events import PaymentsEvents
from pix_conformance.checks import signatures
from pix_conformance.checks.deliveries import Context, payments_signature
from pix_conformance.checks.matchers import computed
from pix_conformance.checks.payments.signatures import signed, undated, unmoved
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement
from pix_conformance.oracles.signature import parse, verify

ALL = ["transaction_created", "transaction_paid", "transfer_created", "transfer_completed"]


@requirement("PAY-SIG-01")
@pytest.mark.parametrize("name", ALL)
def test_an_event_to_a_webhook_is_signed(payments_events: PaymentsEvents, name: str) -> None:
    """The webhook was given a secret, so the header is there."""
    _, delivery = payments_events.with_secret(name)
    missing = delivery.header("Service-Signature") is None
    expect(delivery, computed("the event is signed", "Service-Signature is missing" if missing else None))


@requirement("PAY-SIG-02", "PAY-SIG-04")
def test_a_signature_has_its_form(payments_events: PaymentsEvents) -> None:
    """Judged in passing too; a webhook without a secret has none."""
    _, delivery = payments_events.with_secret("transaction_paid")
    signed(delivery)
    for found in payments_signature(delivery, Context()):
        expect(delivery, computed("the signature has its form", found.mismatch), of=found.requirement)


@requirement("PAY-SIG-03")
@pytest.mark.parametrize("name", ALL)
def test_the_signature_is_that_of_the_raw_body(payments_events: PaymentsEvents, name: str) -> None:
    """Under the secret that the creation of the webhook answered, at each that hears it."""
    for secret, delivery in payments_events.with_secrets(name):
        problem = signatures.mismatch(signed(delivery), delivery.body, secret)
        expect(delivery, computed("v1 is the HMAC-SHA256 of <t>.<raw body>", problem))


@deferred(0)
@requirement("PAY-SIG-01", "PAY-SIG-03")
def test_every_event_of_the_story_is_signed(payments_events: PaymentsEvents) -> None:
    """Updates and attempts that follow a failure too, each with the secret of its webhook."""
    _ = payments_events.attempts
    _, last = payments_events.with_secret("transaction_paid")
    found = [(one.header("Service-Signature"), one, secret) for secret, one in payments_events.signed_deliveries()]
    missing = next((one for header, one, _ in found if header is None), None)
    read = [(header, one, secret) for header, one, secret in found if header and all(parse(header))]
    wrong = next((one for header, one, secret in read if verify(header, one.body, secret)), None)
    expect(
        missing or last,
        computed("every event is signed", "Service-Signature is missing" if missing else None),
        of="PAY-SIG-01",
    )
    words = "v1 is not the HMAC-SHA256 of <t>.<raw body>" if wrong else None
    expect(wrong or last, computed("every signature is that of the raw body", words), of="PAY-SIG-03")


@requirement("PAY-SIG-09")
def test_the_timestamp_is_the_time_of_sending(payments_events: PaymentsEvents, clock: Clock) -> None:
    """Within the five minutes that clocks may differ by."""
    _, delivery = payments_events.with_secret("transaction_paid")
    problem = undated(signed(delivery), clock.at(delivery.received))
    expect(delivery, computed("t is the time of sending", problem))


@deferred(LAST)
@requirement("PAY-SIG-10")
def test_the_timestamp_moves_with_time(payments_events: PaymentsEvents) -> None:
    """Whatever it counts, and whatever the service's clock says."""
    _, last = payments_events.with_secret("transaction_paid")
    found = [one for _, one in payments_events.signed_deliveries()]
    expect(last, computed("t is not the same at all times", unmoved(found)))
