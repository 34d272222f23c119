"""All events of the run and the charges that they are about."""

import time

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.whole_run
SHORT_S = 8.0
"""Seconds of a run in which few events are so much later than a change that its own event counts as missing."""
LATE_S = EXPIRED_AFTER_S + 1
"""After all that is done to charges, and before the clock is turned far for attempts."""


@pytest.fixture(scope="session")
def late_endpoint(run: Run, business: Business, business_events: BusinessEvents) -> WebhookEndpoint:
    """In a run of a few seconds, wait, and cause one more event: the missing ones of earlier changes are late then."""
    endpoint = business_events.endpoint
    if time.time() - run.recorder.exchanges[0].started < SHORT_S:
        run.waits.pause(LATER_S + 0.5)
        charge = create_reported_charge(business, endpoint)
        endpoint.wait_for(charge.may_be_subject_of, quiet_seconds(endpoint.channel))
    return endpoint


@pytest.fixture
def histories(run: Run, late_endpoint: WebhookEndpoint) -> Histories:
    """Read all requests about charges, once every event that may come has come."""
    wait_quiet_period(late_endpoint.channel)
    return Histories(run.recorder.exchanges, late_endpoint.deliveries())


@deferred(LATE_S)
@requirement("BUS-EVT-28")
def test_every_event_has_its_cause(histories: Histories) -> None:
    """Each event of the run reports a change that some request made, and each change is reported by one event."""
    expect_every(histories.causes())
    expect_every(histories.numbers_of_events())


@deferred(LATE_S)
@pytest.mark.parametrize(
    "event",
    [
        pytest.param(CREATED, marks=requirement("BUS-EVT-01")),
        pytest.param(PAID, marks=requirement("BUS-EVT-02")),
        pytest.param(CANCELED, marks=requirement("BUS-EVT-03")),
    ],
)
def test_every_change_has_its_event(histories: Histories, event: str) -> None:
    """Each charge that was created, paid or canceled in this run has its event, where events name their charges."""
    expect_every(histories.changes(event))


@deferred(LATE_S)
@requirement("BUS-EVT-12")
def test_every_event_has_the_amount_of_its_charge(histories: Histories) -> None:
    """The data.amount_cents of each event of the run is the amount of its charge, also of very small and large ones."""
    expect_every(histories.amounts())


@deferred(LATE_S)
@requirement("BUS-EVT-13")
def test_every_external_ref_is_sent_unchanged(histories: Histories) -> None:
    """Each external_ref of the run, also with other scripts, emoji and line breaks, is in a created event as sent."""
    expect_every(histories.special_refs())


@deferred(LATE_S)
@requirement("BUS-EVT-14")
def test_every_paid_event_has_the_e2e_id_of_its_charge(histories: Histories) -> None:
    """The data.e2e_id of each paid event of the run is the e2e_id that the queries of its charge show."""
    expect_every(histories.e2e_ids())


@deferred(LATE_S)
@requirement("BUS-EVT-18")
def test_no_two_events_share_an_id(histories: Histories) -> None:
    """No two different events of the run have the same event id."""
    expect_every(histories.event_ids())


@pytest.fixture
def clients(run: Run, business: Business) -> dict[Role, Business]:
    """Return the client of each API key that was given, by role."""
    by_role = {role: client for (_, role), client in run.clients.items() if isinstance(client, Business)}
    return by_role | {business.role: business}


@deferred(LATE_S)
@requirement("BUS-EVT-27")
def test_every_event_is_about_a_charge_that_exists(
    run: Run, business_events: BusinessEvents, clients: dict[Role, Business]
) -> None:
    """Each event, also of other traffic on the account, is about a charge of this run or one that a list shows."""
    wait_quiet_period(business_events.endpoint.channel)
    events, exchanges = whole_events(business_events.endpoint.deliveries()), run.recorder.exchanges
    if not events:
        raise NotApplicable("no event came")
    unexplained = unexplained_events(events, exchanges)
    if unexplained and Role.LIVE_MERCHANT not in clients:
        raise NotApplicable("PIX_LIVE_API_KEY is not set: an event may be about a charge of production")
    late = latest_created_event(exchanges, events)
    lists = [list_charges_by_status(client) for client in clients.values()] if unexplained else []
    expect_every([*events_in(events, exchanges), *events_in_lists(unexplained, lists, late)])


def list_charges_by_status(business: Business) -> ListsOfAccount:
    """List all charges of an account, and those of each status."""
    lists = {status: precondition(business.list_charges(status)) for status in (None, *STATUSES)}
    return ListsOfAccount(lists, {status: charges_in(listing) for status, listing in lists.items()})
