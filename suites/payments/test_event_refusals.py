"""Requests that are refused send no event."""

from collections.abc import Iterator

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

TOO_LOW = limit(Api.PAYMENTS, "create_charge", "amountInCents", "minimum") - 1
TOO_LONG = ascii_text(limit(Api.PAYMENTS, "create_charge", "description", "maxLength") + 1)


@deferred(0)
@requirement("PAY-EVT-18")
@pytest.mark.parametrize(
    "fields", [{"amountInCents": TOO_LOW}, {"description": TOO_LONG}], ids=["amount-too-low", "description-too-long"]
)
def test_a_refused_charge_sends_no_event(
    payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int], fields: dict[str, str | int]
) -> Iterator[None]:
    """A charge below the minimum, or with too long a description, sends no event to its postbackUrl or to a webhook."""
    postback = payments_events.receiver.postback("refused-charge")
    body = a_charge(**{"amountInCents": next(unused_amounts), "postbackUrl": postback.url, **fields})
    refusal = require_refusal(payments.create_charge(body), 400, 409)
    yield
    charge = NeverCreated("transaction", body["amountInCents"], postback)
    expect(refusal, sends_no_event(to=payments_events.receiver, about=charge))


@deferred(0)
@requirement("PAY-EVT-18")
def test_a_charge_with_splits_of_more_than_the_whole_sends_no_event(
    request: pytest.FixtureRequest, payments: Payments, payments_events: PaymentsEvents, unused_amounts: Iterator[int]
) -> Iterator[None]:
    """A charge with two splits of 60, which is refused for their sum, sends no event."""
    if not available(request, "charge_with_a_split"):
        raise NotApplicable("no charge with a split can be created")
    amount, postback = next(unused_amounts), payments_events.receiver.postback("refused-splits")
    body = {**a_split_charge(payments, 60, 60), "amountInCents": amount, "postbackUrl": postback.url}
    refusal = require_refusal(payments.create_charge(body), 400, 409)
    yield
    expect(refusal, sends_no_event(to=payments_events.receiver, about=NeverCreated("transaction", amount, postback)))


@deferred(0)
@requirement("PAY-EVT-18")
def test_a_transfer_with_too_long_a_description_sends_no_event(
    payments: Payments, payments_events: PaymentsEvents, a_transfer: TransferBody, unused_amounts: Iterator[int]
) -> Iterator[None]:
    """A transfer with a description that is one character too long, which is refused, sends no event."""
    amount, postback = next(unused_amounts), payments_events.receiver.postback("refused-transfer")
    text = ascii_text(limit(Api.PAYMENTS, "create_transfer", "description", "maxLength") + 1)
    body = a_transfer(amount=amount, description=text, postbackUrl=postback.url)
    refusal = require_refusal(payments.create_transfer(body, key=fresh_key()), 400, 409)
    yield
    expect(refusal, sends_no_event(to=payments_events.receiver, about=NeverCreated("transfer", amount, postback)))


@deferred(0)
@requirement("PAY-EVT-18", "PAY-IDEM-04")
def test_a_transfer_under_a_used_key_sends_no_event(
    optional_receiver: PaymentsReceiver, payments: Payments, a_transfer: TransferBody, unused_amounts: Iterator[int]
) -> Iterator[None]:
    """A transfer whose idempotency key was used for another one, which is refused with 409, sends no event."""
    first = create_accepted_transfer(payments, a_transfer())
    amount, postback = next(unused_amounts), optional_receiver.postback("conflict")
    body = a_transfer(amount=amount, postbackUrl=postback.url)
    conflict = require_refusal(payments.create_transfer(body, key=first.key), 400, 409)
    yield
    optional_receiver.require_events()
    expect(conflict, sends_no_event(to=optional_receiver, about=NeverCreated("transfer", amount, postback)))


@deferred(0)
@requirement("PAY-AUTH-29")
@pytest.mark.parametrize("kind", ["transaction", "transfer"])
def test_a_request_with_an_altered_token_sends_no_event(
    request: pytest.FixtureRequest,
    payments: Payments,
    payments_events: PaymentsEvents,
    unused_amounts: Iterator[int],
    kind: str,
) -> Iterator[None]:
    """A charge or transfer that returns 401 because its token was altered sends no event, so it was not created."""
    altered = payments.bearer(jwt.tampered(current_token(payments)), "altered token")
    amount, postback = next(unused_amounts), payments_events.receiver.postback(f"altered-token-{kind}")
    if kind == "transaction":
        answer = payments.create_charge(a_charge(amountInCents=amount, postbackUrl=postback.url), authorization=altered)
    else:
        a_transfer: TransferBody = request.getfixturevalue("a_transfer")
        body = a_transfer(amount=amount, postbackUrl=postback.url)
        answer = payments.create_transfer(body, key=fresh_key(), authorization=altered)
    refusal = require_refusal(answer, 401)
    yield
    expect(refusal, sends_no_event(to=payments_events.receiver, about=NeverCreated(kind, amount, postback)))


def _require_one_event_id(events: PaymentsEvents) -> None:
    """NotApplicable if one webhook received transaction_paid of a charge that was paid once under two ids."""
    charge, webhooks = events.creation.value.about, events.webhooks
    wait_quiet_period(webhooks.channel)
    for webhook in webhooks.subscribed_to("transaction_paid"):
        paid = (delivery for delivery in webhook.deliveries() if event_of(delivery, Api.PAYMENTS) == "transaction_paid")
        came = tuple(filter(charge.is_named_in, paid))
        if not is_met(no_second_event_received("transaction_paid", came), charge.created):
            raise NotApplicable("an event comes again with another id though nothing was repeated")


@deferred(0)
@requirement("PAY-EVT-18")
@pytest.mark.parametrize(
    ("operation", "by"),
    [("pay_charge", lambda e: e.bare_payment), ("complete_transfer", lambda e: e.transfers.completion)],
    ids=["payment", "completion"],
)
def test_a_second_payment_or_completion_sends_no_second_event(
    payments: Payments, payments_events: PaymentsEvents, operation: str, by: CauseIn
) -> Iterator[None]:
    """A second payment of a charge, or completion of a transfer, which is refused, sends no second event."""
    first = by(payments_events).value
    refusal = require_refusal(getattr(payments, operation)(first.about.id), 400, 409)
    yield
    _require_one_event_id(payments_events)
    for webhook in payments_events.webhooks.subscribed_to(first.event):
        expect(refusal, sends_no_second(first.event, to=webhook, about=first.about))


@pytest.mark.whole_run
@deferred(AT_THE_END)
@requirement("PAY-EVT-18")
def test_no_refused_payment_sends_an_event(payments_events: PaymentsEvents) -> Iterator[None]:
    """A charge of which every payment was refused, to its own account or to another, sent no transaction_paid."""
    yield
    expect_every(histories_of(payments_events).paid_events())
