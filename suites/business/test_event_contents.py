"""What the events carry: ids, times, and the data of their charges."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

CAUSES: Mapping[str, CauseIn] = {
    CREATED: lambda events: events.creation,
    PAID: lambda events: events.payment,
    CANCELED: lambda events: events.cancel,
}
WITH_SPECIAL_REF: Mapping[str, CauseIn] = {
    CREATED: lambda events: events.creation_with_special_ref,
    PAID: lambda events: events.payment_with_special_ref,
    CANCELED: lambda events: events.cancel_after_query,
}


@dataclass(frozen=True)
class ReceivedEvent:
    """An event as the endpoint received it, its charge, and the request that caused it."""

    delivery: Delivery
    charge: ReportedCharge
    cause: Exchange


def receive(events: BusinessEvents, request: CauseIn) -> ReceivedEvent:
    """Return the event of a request; Inconclusive if it does not come, which is another requirement."""
    cause = request(events).value
    return ReceivedEvent(cause.event_at(events.endpoint), cause.about, cause.exchange)


@pytest.fixture(params=CAUSES)
def received(request: pytest.FixtureRequest, business_events: BusinessEvents) -> ReceivedEvent:
    """A created, a paid or a canceled event."""
    return receive(business_events, CAUSES[request.param])


@requirement("BUS-EVT-11")
def test_an_event_has_the_external_ref_of_a_charge_that_has_one(received: ReceivedEvent) -> None:
    """The data of an event has a string external_ref if the charge was created with one."""
    expect(require_field(received.delivery, "data", "object"), has("data.external_ref", "string"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        case("BUS-EVT-12", "amount_cents", "integer", id="amount_cents", quick=True),
        case("BUS-EVT-13", "external_ref", "string", id="external_ref", quick=True),
    ],
)
def test_a_value_of_an_event_is_that_of_its_charge(received: ReceivedEvent, name: str, kind: str) -> None:
    """The data of an event has the amount_cents and the external_ref that its charge was created with."""
    event = require_field(received.delivery, f"data.{name}", kind)
    charge = received.charge
    expect(event, field(f"data.{name}", charge.amount if name == "amount_cents" else charge.external_ref))


@requirement("BUS-EVT-13")
@pytest.mark.parametrize("name", WITH_SPECIAL_REF)
def test_an_event_keeps_an_external_ref_with_special_characters(business_events: BusinessEvents, name: str) -> None:
    """The data.external_ref keeps letters beyond ASCII, quotes, slashes, blanks, and what HTML and URLs escape."""
    received = receive(business_events, WITH_SPECIAL_REF[name])
    event = require_field(received.delivery, "data.external_ref", "string")
    expect(event, field("data.external_ref", received.charge.external_ref))


@requirement("BUS-EVT-14")
def test_the_e2e_id_of_a_paid_event_is_that_of_its_charge(business: Business, business_events: BusinessEvents) -> None:
    """The data.e2e_id of a paid event is the e2e_id that GET /v1/business/pix-charges/{id} returns."""
    payment = business_events.payment.value
    event = require_field(payment.event_at(business_events.endpoint), "data.e2e_id", "string")
    query = precondition(business.get_charge(payment.about.id), has("e2e_id", "string"))
    expect(event, field("data.e2e_id", query.at("e2e_id")))


@pytest.mark.parametrize(
    "relation",
    [
        case("BUS-EVT-29", dated_within_lifetime_of, id="life"),
        case("BUS-EVT-26", dated_within_ten_minutes_of, id="time-zone"),
    ],
)
def test_an_event_is_dated_within_the_life_of_its_charge(
    received: ReceivedEvent, relation: Callable[[Exchange], Relation]
) -> None:
    """The created_at of an event lies between the creation and the delivery, and is no local time with the Z of UTC."""
    expect(received.delivery, relation(received.charge.created))


@requirement("BUS-EVT-18")
def test_different_events_have_different_ids(business_events: BusinessEvents) -> None:
    """A created, a paid and a canceled event, and the created event of another charge, have four different ids."""
    causes = (*CAUSES.values(), WITH_SPECIAL_REF[CREATED])
    events = [receive(business_events, cause).delivery for cause in causes]
    for event in events:
        require_field(require_field(event, "data.external_ref", "string"), "id", "string")
    expect(events[-1], has_its_own("id", events[:-1]))


@requirement("BUS-EVT-15")
def test_the_e2e_id_of_events_without_a_payment_is_noted(business_events: BusinessEvents, observe: Observer) -> None:
    """The data.e2e_id of a created and of a canceled event is noted: neither charge was paid by then."""
    events = {name: receive(business_events, CAUSES[name]).delivery for name in (CREATED, CANCELED)}
    seen = {name: describe_field(at(event.json, "data.e2e_id")) for name, event in events.items()}
    words = ", ".join(f"{value} in {name}" for name, value in seen.items())
    observe("BUS-EVT-15", f"data.e2e_id is {words}", seen, *events.values())


@requirement("BUS-EVT-16")
def test_the_external_ref_of_an_event_of_a_charge_without_one_is_noted(
    business_events: BusinessEvents, observe: Observer
) -> None:
    """The data.external_ref of the created event of a charge without external_ref is noted."""
    event = business_events.creation_without_ref.value.event_at(business_events.endpoint)
    seen = describe_field(at(event.json, "data.external_ref"))
    observe("BUS-EVT-16", f"data.external_ref is {seen}", seen, event)


@requirement("BUS-EVT-30")
def test_the_order_of_the_events_of_a_charge_is_noted(business_events: BusinessEvents, observe: Observer) -> None:
    """The order in which the created and the paid event of one charge came is noted."""
    deliveries = [receive(business_events, CAUSES[name]).delivery for name in (PAID, CREATED)]
    events = sorted(deliveries, key=lambda event: event.received)
    names = " and then ".join(str(at(event.json, "type")) for event in events)
    observe("BUS-EVT-30", f"the events of a charge came as {names}", names, *events)


@requirement("BUS-EVT-31")
def test_whether_an_event_comes_before_the_response_is_noted(
    business_events: BusinessEvents, observe: Observer
) -> None:
    """How many of a created, a paid and a canceled event came before the response to their request is noted."""
    received = [receive(business_events, cause) for cause in CAUSES.values()]
    early = [event for event in received if event.delivery.received < event.cause.ended]
    words = f"{len(early)} of {len(received)} events came before the response to their request"
    observe("BUS-EVT-31", words, len(early), *(event.delivery for event in received))


@deferred()
@requirement("BUS-EVT-22")
def test_fields_beyond_the_documented_ones_are_noted(business_events: BusinessEvents, observe: Observer) -> None:
    """The fields that events have beyond those that the document names are noted, of all events so far."""
    business_events.endpoint.channel.require_reachable()
    fields = undocumented_fields(business_events.endpoint.deliveries())
    observe("BUS-EVT-22", f"members beyond those named: {', '.join(fields) or 'none'}", fields)
