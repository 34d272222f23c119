"""Every creation and query of the run, held against what was asked for (business.md, lines 17-43)."""

from __future__ import annotations

import pytest

from fixtures import current
from fixtures.clients.business import Business
from fixtures.expect import expect
from fixtures.planting import harvest
from fixtures.requirement import requirement
from fixtures.stories.business import plain_charge
from fixtures.stories.business_lives import DEAD_AT
from fixtures.stories.business_records import Records
from specs.judge.matchers import said

LATE = DEAD_AT + 1
"""After all that is done to charges."""


@pytest.fixture(scope="module")
def records() -> Records:
    """Return what the run knows of its charges."""
    return Records(current.ledger().exchanges)


@harvest(LATE)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("amount_cents", marks=requirement("BUS-CHG-56")),
        pytest.param("description", marks=requirement("BUS-CHG-57")),
        pytest.param("external_ref", marks=requirement("BUS-CHG-58")),
        pytest.param("customer_email", marks=requirement("BUS-CHG-59")),
    ],
)
def test_every_charge_shows_what_was_sent(business: Business, records: Records, name: str) -> None:
    """Whatever else was sent with it, and whatever became of it."""
    expect(plain_charge(business), said(f"{name} is what was sent", records.otherwise(name)))


@harvest(LATE)
@pytest.mark.parametrize(
    "given",
    [
        pytest.param(False, marks=requirement("BUS-CHG-34"), id="an-hour"),
        pytest.param(True, marks=requirement("BUS-CHG-35"), id="as-asked"),
    ],
)
def test_every_charge_lives_as_long_as_it_should(business: Business, records: Records, *, given: bool) -> None:
    """From its creation on, whatever else was sent with it, and whatever became of it."""
    expect(plain_charge(business), said("it lives as long as it should", records.life_off(given=given)))


@harvest(LATE)
@requirement("BUS-CHG-62")
def test_every_charge_keeps_its_created_at(business: Business, records: Records) -> None:
    """A charge is created once."""
    expect(plain_charge(business), said("created_at stays", records.redated()))
