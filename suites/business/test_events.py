"""Events that the webhook endpoint receives, and requests that send none."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        case("BUS-EVT-01", CREATED, lambda events: events.creation, id="creation", quick=True),
        case("BUS-EVT-02", PAID, lambda events: events.payment, id="payment", quick=True),
        case("BUS-EVT-03", CANCELED, lambda events: events.cancel, id="cancel", quick=True),
        case("BUS-EVT-03", CANCELED, lambda events: events.cancel_after_query, id="cancel-after-query"),
    ],
)
def test_a_change_sends_its_event(business_events: BusinessEvents, event: str, cause: CauseIn) -> None:
    """The creation, the payment and the cancel of a charge send its event to the webhook endpoint."""
    change = cause(business_events).value
    expect(change.exchange, sends(event, to=business_events.endpoint, about=change.about))


@requirement("BUS-EVT-01")
def test_a_new_charge_without_external_ref_sends_a_created_event(business_events: BusinessEvents) -> None:
    """The creation of a charge without external_ref sends business.pix.created, which is known by its amount."""
    creation, without_ref = business_events.creation.value, business_events.creation_without_ref.value
    if at(creation.event_at(business_events.endpoint).json, "data.amount_cents") != creation.about.amount:
        raise Inconclusive("not tested: the amounts of events are not those of their charges")
    expect(without_ref.exchange, sends(CREATED, to=business_events.endpoint, about=without_ref.about))


@deferred()
@requirement("BUS-EVT-19")
@pytest.mark.parametrize(
    "invalid",
    [
        {"expires_in_seconds": 1},
        {"external_ref": fresh_ref().ljust(limit(Api.BUSINESS, "create_charge", "external_ref", "maxLength") + 1, ".")},
    ],
    ids=["lifetime", "length"],
)
def test_a_refused_creation_sends_no_event(
    business: Business, business_events: BusinessEvents, invalid: dict[str, object]
) -> Iterator[None]:
    """A creation refused for a lifetime of 1 second, or for an external_ref one character too long, sends no event."""
    body = a_charge(amount_cents=fresh_amount(business), **invalid)
    refusal = require_refusal(business.create_charge(body, key=fresh_key()), 422)
    yield
    expect(refusal, sends_no_event(to=business_events.endpoint, about=ReportedCharge(refusal)))


@deferred()
@requirement("BUS-EVT-19")
def test_a_creation_with_a_used_key_sends_no_event(
    business: Business, business_events: BusinessEvents
) -> Iterator[None]:
    """A creation refused with 409, because its idempotency key was used with another body, sends no event."""
    key = key_of(business_events.creation.value.exchange.request)
    body = a_charge(amount_cents=fresh_amount(business))
    refusal = require_refusal(business.create_charge(body, key=key), 409)
    yield
    expect(refusal, sends_no_event(to=business_events.endpoint, about=ReportedCharge(refusal)))


@deferred()
@requirement("BUS-EVT-19")
@pytest.mark.parametrize(
    ("operation", "by", "absent"),
    [
        ("cancel_charge", lambda events: events.payment, lambda **of: sends_no_event(CANCELED, **of)),
        ("cancel_charge", lambda events: events.cancel, lambda **of: sends_no_second(CANCELED, **of)),
        ("pay_charge", lambda events: events.cancel, lambda **of: sends_no_event(PAID, **of)),
    ],
    ids=["cancel-of-a-paid-charge", "second-cancel", "payment-of-a-canceled-charge"],
)
def test_a_refused_change_of_a_paid_or_canceled_charge_sends_no_event(
    business: Business, business_events: BusinessEvents, operation: str, by: CauseIn, absent: Callable[..., Any]
) -> Iterator[None]:
    """A cancel of a paid or canceled charge, which returns 409, and a payment, if it is refused, send no event."""
    charge = by(business_events).value.about
    answer = getattr(business, operation)(charge.id)
    if operation == "cancel_charge":
        require_refusal(answer, 409)
    yield
    if answer.ok:
        raise NotApplicable("a payment of a canceled charge was not refused")
    expect(answer, absent(to=business_events.endpoint, about=charge))


@deferred(AT_THE_END, between=EXPIRED_AFTER_S)
@requirement("BUS-EVT-19")
def test_no_request_refused_for_an_expired_charge_sends_an_event(
    payment_of_expired: PaymentOfExpired, cancel_of_expired: ChangeOfExpired, business_events: BusinessEvents
) -> Iterator[None]:
    """A payment and a cancel of charges that a query shows as expired, if they are refused, send no event."""
    yield
    payment, cancel = payment_of_expired.answer, cancel_of_expired.answer
    yield
    if payment.ok and cancel.ok:
        raise NotApplicable("neither a payment nor a cancel of an expired charge was refused")
    changes = ((payment_of_expired, payment, PAID), (cancel_of_expired, cancel, CANCELED))
    for change, answer, event in changes:
        if not answer.ok:
            charge = ReportedCharge(change.creation)
            expect(answer, sends_no_event(event, to=business_events.endpoint, about=charge))


@deferred()
@requirement("BUS-IDEM-08")
def test_a_repeated_creation_sends_no_second_event(business_events: BusinessEvents) -> Iterator[None]:
    """A creation that is sent again with its idempotency key sends no created event with another id."""
    charge, again = business_events.creation.value.about, precondition(business_events.repetition.value)
    yield
    expect(again, sends_no_second(CREATED, to=business_events.endpoint, about=charge))


@deferred()
@requirement("BUS-STATE-10")
def test_simultaneous_payments_send_one_paid_event(
    paid_five_times: Race, optional_webhook_endpoint: WebhookEndpoint
) -> Iterator[None]:
    """Five payments of one charge at the same time send one paid event, if events can be seen."""
    yield
    optional_webhook_endpoint.require_events()
    paid = next((answer for answer in paid_five_times.responses if answer.ok), None)
    if paid is None:
        raise Inconclusive("not tested: none of the simultaneous payments succeeded")
    charge = ReportedCharge(paid_five_times.charge)
    expect(paid, sends_no_second(PAID, to=optional_webhook_endpoint, about=charge))


@pytest.fixture(scope="session")
def paid_again(business: Business, business_events: BusinessEvents) -> Exchange:
    """The response to a second payment of the charge that the first events are about."""
    return business.pay_charge(business_events.payment.value.about.id)


@deferred()
@requirement("BUS-STATE-14")
def test_a_second_payment_sends_no_second_paid_event(
    optional_webhook_endpoint: WebhookEndpoint, business_events: BusinessEvents, paid_again: Exchange
) -> Iterator[None]:
    """A second payment of a charge, refused or not, sends no further paid event, if events can be seen."""
    charge = business_events.payment.value.about
    yield
    optional_webhook_endpoint.require_events()
    expect(paid_again, sends_no_second(PAID, to=optional_webhook_endpoint, about=charge))


@deferred()
@requirement("BUS-EVT-19")
def test_a_refused_second_payment_sends_no_event(
    business_events: BusinessEvents, paid_again: Exchange
) -> Iterator[None]:
    """A second payment of a charge, if it is refused, sends no further paid event."""
    charge = business_events.payment.value.about
    yield
    if paid_again.ok:
        raise NotApplicable("a payment of a paid charge was not refused")
    expect(paid_again, sends_no_second(PAID, to=business_events.endpoint, about=charge))


@deferred(AT_THE_END, between=EXPIRED_AFTER_S)
@requirement("BUS-EVT-17")
def test_events_of_an_expiry_are_noted(
    short_lived: ShortLivedCharge, business_events: BusinessEvents, observe: Observer
) -> Iterator[None]:
    """The events that follow the query by which the service detects the expiry of a charge are noted."""
    charge, endpoint = ReportedCharge(short_lived.creation), business_events.endpoint
    yield
    query = endpoint.channel.expect_none_after(short_lived.expired)
    yield
    wait_quiet_period(endpoint.channel)
    came = (delivery for delivery in endpoint.deliveries() if delivery.received >= query.started)
    deliveries = [delivery for delivery in came if mentions(delivery, charge.external_ref)]
    names = ", ".join(sorted({str(at(delivery.json, "type")) for delivery in deliveries})) or "no event"
    observe("BUS-EVT-17", f"the detection of an expiry was followed by {names}", names, query, *deliveries)


@deferred(0)
@requirement("BUS-EVT-32")
@pytest.mark.concurrent
def test_a_query_at_the_receipt_of_a_paid_event_shows_the_payment(
    business: Business, webhook_endpoint: WebhookEndpoint
) -> None:
    """GET of a charge that is sent as soon as its business.pix.paid comes shows it as paid."""
    charge = create_reported_charge(business, webhook_endpoint)
    _, query = run_concurrently(
        lambda: business.pay_charge(charge.id), lambda: query_at_payment(business, webhook_endpoint, charge)
    )
    if query is None:
        raise NotApplicable("no business.pix.paid came in time")
    expect(precondition(query, has("status", "string")), field("status", "paid"))
