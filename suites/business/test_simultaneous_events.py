"""Events of requests that are sent at the same time: each change has its own, with its own values."""

from collections.abc import Iterator

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.concurrent


@deferred(0)
@pytest.mark.parametrize(
    ("operation", "event"),
    [
        case("BUS-EVT-01", "create_charge", CREATED, id="create"),
        case("BUS-EVT-02", "pay_charge", PAID, id="pay"),
        case("BUS-EVT-03", "cancel_charge", CANCELED, id="cancel"),
    ],
)
def test_each_of_simultaneous_changes_sends_its_event(
    simultaneous_business_requests: SimultaneousRequests,
    webhook_endpoint: WebhookEndpoint,
    operation: str,
    event: str,
) -> Iterator[None]:
    """Each charge that was created, paid or canceled at once with others has its event at the webhook endpoint."""
    yield
    for charge, cause in changes_of(simultaneous_business_requests, operation):
        expect(cause, sends(event, to=webhook_endpoint, about=ReportedCharge(charge)))


@deferred(0)
@pytest.mark.parametrize(
    ("operation", "event", "name"),
    [
        case("BUS-EVT-12", "pay_charge", PAID, "amount_cents", id="paid-amount_cents"),
        case("BUS-EVT-14", "pay_charge", PAID, "e2e_id", id="paid-e2e_id"),
        case("BUS-EVT-12", "cancel_charge", CANCELED, "amount_cents", id="canceled-amount_cents"),
    ],
)
def test_the_events_of_simultaneous_changes_are_each_of_its_own_charge(
    simultaneous_business_requests: SimultaneousRequests,
    webhook_endpoint: WebhookEndpoint,
    operation: str,
    event: str,
    name: str,
) -> Iterator[None]:
    """The event of each of several charges that were paid, or canceled, at once has the values of that charge."""
    yield
    kind = "integer" if name == "amount_cents" else "string"
    for charge, cause in changes_of(simultaneous_business_requests, operation):
        query = precondition(simultaneous_business_requests.own.queries[id_of(charge)], has(name, kind))
        delivery = await_event(event, to=webhook_endpoint, about=ReportedCharge(charge), cause=cause)
        due = query.at(name) if name == "e2e_id" else charge.request.json_object[name]
        expect(require_field(delivery, f"data.{name}", kind), field(f"data.{name}", due))
