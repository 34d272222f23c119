"""The charges that events are about exist (business.md, lines 104, 110, 145-153)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.clients.business import Business
from fixtures.expect import expect
from fixtures.planting import harvest
from fixtures.requirement import requirement
from fixtures.run import Run
from fixtures.stories.business_events import BusinessEvents
from fixtures.stories.business_histories import Histories
from fixtures.stories.business_lives import DEAD_AT
from fixtures.stories.business_subjects import known_to, unfounded
from specs.judge.matchers import said
from specs.vocabulary import Role

pytestmark = pytest.mark.looks_back


@pytest.fixture
def clients(run: Run, business: Business) -> dict[Role, Business]:
    """Return the client of each key that was given, by role."""
    found = {role: one for (_, role), one in run.clients.items() if isinstance(one, Business)}
    return found | {business.role: business}


@requirement("BUS-EVT-27")
@harvest(DEAD_AT + 1)
def test_every_event_is_about_a_charge_that_exists(
    business_events: BusinessEvents, clients: dict[Role, Business]
) -> None:
    """An event, whoever caused it, is about a charge of this run or about one that the lists show."""
    business_events.reach.settle()
    came, exchanges = business_events.endpoint.deliveries(), business_events.run.ledger.exchanges
    found = unfounded(Histories(exchanges, came), came, known_to(exchanges), clients)
    subject, problem = found or (business_events.payment, None)
    expect(replace(subject, run=business_events.run.ledger), said("its charge exists", problem))
