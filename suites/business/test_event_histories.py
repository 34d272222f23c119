"""All events of the run, held against all that was done to the charges that they are about (lines 145-153)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.business.events import BusinessEvents
from fixtures.business.expiry import EXPIRED_AFTER_S
from pix_conformance.checks.business.event_history import CANCELED, CREATED, PAID, Found, Histories
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement

pytestmark = pytest.mark.looks_back
LATE = EXPIRED_AFTER_S + 1
"""After all that is done to charges, and before the clock is turned far for attempts."""


@pytest.fixture
def histories(business_events: BusinessEvents) -> Histories:
    """Return what is known of the run's charges once every event that may come has come."""
    business_events.channel.wait_quiet_period()
    return Histories(business_events.run.ledger.exchanges, business_events.endpoint.deliveries())


def hold(story: BusinessEvents, question: str, found: Found) -> None:
    """Hold the delivery that is wrong, or else the payment of the story, to the question."""
    subject, problem = found or (story.payment, None)
    expect(replace(subject, run=story.run.ledger), computed(question, problem))


@deferred(LATE)
@requirement("BUS-EVT-19")
def test_every_event_has_its_change(business_events: BusinessEvents, histories: Histories) -> None:
    """Of each charge, whatever was tried with it, by whomever; and each change has one event."""
    hold(business_events, "nothing is announced that did not happen", histories.groundless())
    hold(business_events, "a change is announced by one event", histories.surplus())


@deferred(LATE)
@pytest.mark.parametrize(
    "event",
    [
        pytest.param(CREATED, marks=requirement("BUS-EVT-01")),
        pytest.param(PAID, marks=requirement("BUS-EVT-02")),
        pytest.param(CANCELED, marks=requirement("BUS-EVT-03")),
    ],
)
def test_every_change_has_its_event(business_events: BusinessEvents, histories: Histories, event: str) -> None:
    """Of each charge, whatever else is said of it, where events name their charges."""
    hold(business_events, "each change is announced", histories.unheard(event))


@deferred(LATE)
@requirement("BUS-EVT-12")
def test_every_event_has_the_amount_of_its_charge(business_events: BusinessEvents, histories: Histories) -> None:
    """However small or large."""
    hold(business_events, "its amount is the charge's", histories.misstated())


@deferred(LATE)
@requirement("BUS-EVT-13")
def test_every_label_is_told_as_it_was_sent(business_events: BusinessEvents, histories: Histories) -> None:
    """Also such as no other question makes: of other scripts, of pictures, of several lines."""
    hold(business_events, "its external_ref is the charge's", histories.mislabelled())


@deferred(LATE)
@requirement("BUS-EVT-14")
def test_every_paid_event_has_the_e2e_id_of_its_charge(business_events: BusinessEvents, histories: Histories) -> None:
    """As the queries of it have shown it."""
    hold(business_events, "its e2e_id is the charge's", histories.misnamed())


@deferred(LATE)
@requirement("BUS-EVT-18")
def test_no_two_events_share_an_id(business_events: BusinessEvents, histories: Histories) -> None:
    """Of all that came."""
    hold(business_events, "its id is its own", histories.shared())
