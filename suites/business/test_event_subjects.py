"""The charges that events are about exist (business.md, lines 104, 110, 145-153)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.business.event_subjects import known_to, unfounded
from fixtures.business.events import BusinessEvents
from fixtures.business.expiry import EXPIRED_AFTER_S
from pix_conformance.checks.business.event_history import Histories
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run
from pix_conformance.model.vocabulary import Role

pytestmark = pytest.mark.looks_back


@pytest.fixture
def clients(run: Run, business: Business) -> dict[Role, Business]:
    """Return the client of each key that was given, by role."""
    found = {role: one for (_, role), one in run.clients.items() if isinstance(one, Business)}
    return found | {business.role: business}


@requirement("BUS-EVT-27")
@deferred(EXPIRED_AFTER_S + 1)
def test_every_event_is_about_a_charge_that_exists(
    business_events: BusinessEvents, clients: dict[Role, Business]
) -> None:
    """An event, whoever caused it, is about a charge of this run or about one that the lists show."""
    business_events.channel.wait_quiet_period()
    came, exchanges = business_events.endpoint.deliveries(), business_events.run.ledger.exchanges
    found = unfounded(Histories(exchanges, came), came, known_to(exchanges), clients)
    subject, problem = found or (business_events.payment, None)
    expect(replace(subject, run=business_events.run.ledger), computed("its charge exists", problem))
