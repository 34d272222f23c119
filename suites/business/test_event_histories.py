"""All events of the run and the charges that they are about."""

import time
from collections.abc import Callable, Iterable

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
    if time.time() - run.sender.whole_run.exchanges[0].started < SHORT_S:
        run.sender.waits.pause(LATER_S + 0.5)
        charge = create_reported_charge(business, endpoint)
        endpoint.wait_for(charge.may_be_subject_of, endpoint.channel.timing.quiet_seconds)
    return endpoint


@pytest.fixture(scope="module")
def histories(run: Run, late_endpoint: WebhookEndpoint) -> Histories:
    """Read all requests about charges, once every event that may come has come."""
    wait_quiet_period(late_endpoint.channel)
    return Histories(run.sender.whole_run.exchanges, late_endpoint.deliveries())


@deferred(LATE_S)
@pytest.mark.parametrize(
    "judge",
    [
        case("BUS-EVT-28", lambda histories: histories.causes(), id="causes"),
        case("BUS-EVT-28", lambda histories: histories.numbers_of_events(), id="numbers-of-events"),
        case("BUS-EVT-01", lambda histories: histories.changes(CREATED), id=CREATED),
        case("BUS-EVT-02", lambda histories: histories.changes(PAID), id=PAID),
        case("BUS-EVT-03", lambda histories: histories.changes(CANCELED), id=CANCELED),
        case("BUS-EVT-12", lambda histories: histories.amounts(), id="amount_cents"),
        case("BUS-EVT-13", lambda histories: histories.special_refs(), id="external_ref"),
        case("BUS-EVT-14", lambda histories: histories.e2e_ids(), id="e2e_id"),
        case("BUS-EVT-18", lambda histories: histories.event_ids(), id="id"),
    ],
)
def test_every_change_of_the_run_has_one_event_of_its_charge(
    histories: Histories, judge: Callable[[Histories], Iterable[tuple[Exchange | Delivery, Matcher]]]
) -> None:
    """Each change of the run has one event, each event a cause, its own id, and amount, external_ref and e2e_id."""
    expect_every(judge(histories))


@pytest.fixture
def clients(run: Run, business: Business) -> dict[Role, Business]:
    """Return the client of each API key that was given, by role."""
    by_role = {role: client for (_, role), client in run.clients.by_role.items() if isinstance(client, Business)}
    return by_role | {business.role: business}


@deferred(LATE_S)
@requirement("BUS-EVT-27")
def test_every_event_is_about_a_charge_that_exists(
    run: Run, business_events: BusinessEvents, clients: dict[Role, Business]
) -> None:
    """Each event, also of other traffic on the account, is about a charge of this run or one that a list shows."""
    wait_quiet_period(business_events.endpoint.channel)
    events, exchanges = whole_events(business_events.endpoint.deliveries()), run.sender.whole_run.exchanges
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
