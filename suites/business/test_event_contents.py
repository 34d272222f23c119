"""What the events carry: ids, times, and the data of their charges."""

from dataclasses import dataclass

import pytest

from fixtures.business import WebhookEndpoint
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.usefixtures("early_business_events")
SPECIAL = " of a special external_ref"
CAUSES = {
    CREATED: ("charge_with_ref", None),
    PAID: ("charge_with_ref", "payment_with_ref"),
    CANCELED: ("charge_without_key", "cancel_without_key"),
    CREATED + SPECIAL: ("charge_with_special_ref", None),
    PAID + SPECIAL: ("charge_with_special_ref", "payment_with_special_ref"),
    CANCELED + SPECIAL: ("canceled_charge_with_special_ref", "cancel_after_query"),
}
"""The fixtures of the charge and of the request that causes an event: its creation where none is named."""
EVENTS = (CREATED, PAID, CANCELED)


@dataclass(frozen=True)
class ReceivedEvent:
    """An event as the endpoint received it, its charge, and the request that caused it."""

    delivery: Delivery
    charge: ReportedCharge
    cause: Exchange


def _receive(request: pytest.FixtureRequest, endpoint: WebhookEndpoint, name: str) -> ReceivedEvent:
    of_charge, of_cause = CAUSES[name]
    charge: ReportedCharge = request.getfixturevalue(of_charge)
    cause: Exchange = request.getfixturevalue(of_cause) if of_cause else charge.created
    event = name.removesuffix(SPECIAL)
    return ReceivedEvent(await_event(event, to=endpoint, about=charge, cause=cause), charge, cause)


@pytest.fixture(params=EVENTS)
def received(request: pytest.FixtureRequest, webhook_endpoint: WebhookEndpoint) -> ReceivedEvent:
    """A created, a paid or a canceled event; Inconclusive if it does not come, which is another requirement."""
    return _receive(request, webhook_endpoint, request.param)


@pytest.fixture(params=[one + SPECIAL for one in EVENTS], ids=EVENTS)
def received_with_special_ref(request: pytest.FixtureRequest, webhook_endpoint: WebhookEndpoint) -> ReceivedEvent:
    """A created, a paid or a canceled event of a charge whose external_ref has special characters."""
    return _receive(request, webhook_endpoint, request.param)


@requirement("BUS-EVT-11")
def test_an_event_has_the_external_ref_of_a_charge_that_has_one(received: ReceivedEvent) -> None:
    """The data of an event has a string external_ref if the charge was created with one."""
    expect(require_field(received.delivery, "data", "object"), has("data.external_ref", "string"))


@quick
@requirement("BUS-EVT-12")
def test_the_amount_of_an_event_is_that_of_its_charge(received: ReceivedEvent) -> None:
    """The data.amount_cents of an event is the amount_cents that the charge was created with."""
    event = require_field(received.delivery, "data.amount_cents", "integer")
    expect(event, field("data.amount_cents", received.charge.amount))


@quick
@requirement("BUS-EVT-13")
def test_the_external_ref_of_an_event_is_that_of_its_charge(received: ReceivedEvent) -> None:
    """The data.external_ref of an event is the external_ref that the charge was created with."""
    event = require_field(received.delivery, "data.external_ref", "string")
    expect(event, field("data.external_ref", received.charge.external_ref))


@requirement("BUS-EVT-13")
def test_an_event_keeps_an_external_ref_with_special_characters(received_with_special_ref: ReceivedEvent) -> None:
    """The data.external_ref keeps letters beyond ASCII, quotes, slashes, blanks, and what HTML and URLs escape."""
    event = require_field(received_with_special_ref.delivery, "data.external_ref", "string")
    expect(event, field("data.external_ref", received_with_special_ref.charge.external_ref))


@requirement("BUS-EVT-14")
def test_the_e2e_id_of_a_paid_event_is_that_of_its_charge(
    business: Business, webhook_endpoint: WebhookEndpoint, charge_with_ref: ReportedCharge, payment_with_ref: Exchange
) -> None:
    """The data.e2e_id of a paid event is the e2e_id that GET /v1/business/pix-charges/{id} returns."""
    charge = charge_with_ref
    event = await_event(PAID, to=webhook_endpoint, about=charge, cause=payment_with_ref)
    require_field(event, "data.e2e_id", "string")
    query = precondition(business.get_charge(charge.id), has("e2e_id", "string"))
    expect(event, field("data.e2e_id", query.at("e2e_id")))


@requirement("BUS-EVT-29")
def test_an_event_is_dated_within_the_life_of_its_charge(received: ReceivedEvent) -> None:
    """The created_at of an event lies between the creation of its charge and the delivery."""
    expect(received.delivery, dated_within_lifetime_of(received.charge.created))


@requirement("BUS-EVT-26")
def test_an_event_is_not_dated_in_another_time_zone(received: ReceivedEvent) -> None:
    """The created_at of an event is not hours off, as local time with the Z of UTC is."""
    expect(received.delivery, dated_within_ten_minutes_of(received.charge.created))


@requirement("BUS-EVT-18")
def test_different_events_have_different_ids(webhook_endpoint: WebhookEndpoint, request: pytest.FixtureRequest) -> None:
    """A created, a paid and a canceled event, and the created event of another charge, have four different ids."""
    found = [_receive(request, webhook_endpoint, name).delivery for name in (*EVENTS, CREATED + SPECIAL)]
    for one in found:
        require_field(require_field(one, "data.external_ref", "string"), "id", "string")
    expect(found[-1], has_another_event_id_than(found[:-1]))


@requirement("BUS-EVT-15")
def test_the_e2e_id_of_events_without_a_payment_is_noted(
    webhook_endpoint: WebhookEndpoint, request: pytest.FixtureRequest, observe: Observer
) -> None:
    """The data.e2e_id of a created and of a canceled event is noted: neither charge was paid by then."""
    found = {name: _receive(request, webhook_endpoint, name).delivery for name in (CREATED, CANCELED)}
    seen = {name: describe_field(at(one.json, "data.e2e_id")) for name, one in found.items()}
    words = ", ".join(f"{value} in {name}" for name, value in seen.items())
    observe("BUS-EVT-15", f"data.e2e_id is {words}", seen, *found.values())


@requirement("BUS-EVT-16")
def test_the_external_ref_of_an_event_of_a_charge_without_one_is_noted(
    webhook_endpoint: WebhookEndpoint, charge_without_ref: ReportedCharge, observe: Observer
) -> None:
    """The data.external_ref of the created event of a charge without external_ref is noted."""
    charge = charge_without_ref
    event = await_event(CREATED, to=webhook_endpoint, about=charge, cause=charge.created)
    seen = describe_field(at(event.json, "data.external_ref"))
    observe("BUS-EVT-16", f"data.external_ref is {seen}", seen, event)


@requirement("BUS-EVT-30")
def test_the_order_of_the_events_of_a_charge_is_noted(
    request: pytest.FixtureRequest, webhook_endpoint: WebhookEndpoint, observe: Observer
) -> None:
    """The order in which the created and the paid event of one charge came is noted."""
    paid = _receive(request, webhook_endpoint, PAID)
    created = _receive(request, webhook_endpoint, CREATED)
    came = sorted((created.delivery, paid.delivery), key=lambda one: one.received)
    names = " and then ".join(str(at(one.json, "type")) for one in came)
    observe("BUS-EVT-30", f"the events of a charge came as {names}", names, *came)


@requirement("BUS-EVT-31")
def test_whether_an_event_comes_before_the_response_is_noted(
    request: pytest.FixtureRequest, webhook_endpoint: WebhookEndpoint, observe: Observer
) -> None:
    """How many of a created, a paid and a canceled event came before the response to their request is noted."""
    received = [_receive(request, webhook_endpoint, name) for name in EVENTS]
    early = [one.delivery for one in received if one.delivery.received < one.cause.ended]
    words = f"{len(early)} of {len(received)} events came before the response to their request"
    observe("BUS-EVT-31", words, len(early), *(one.delivery for one in received))


@deferred()
@requirement("BUS-EVT-22")
def test_fields_beyond_the_documented_ones_are_noted(webhook_endpoint: WebhookEndpoint, observe: Observer) -> None:
    """The fields that events have beyond those that the document names are noted, of all events so far."""
    webhook_endpoint.channel.require_reachable()
    found = undocumented_fields(webhook_endpoint.deliveries())
    observe("BUS-EVT-22", f"members beyond those named: {', '.join(found) or 'none'}", found)
