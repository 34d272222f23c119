"""Every creation, query and list of the run, held against what was asked for (business.md, lines 17-43, 107-110)."""

from __future__ import annotations

import pytest

from fixtures.business.expiry import EXPIRED_AFTER_S
from pix_conformance.checks.business.exchange_history import Records
from pix_conformance.checks.business.list_history import gaps, misplaced
from pix_conformance.checks.business.transition_history import forbidden
from pix_conformance.checks.history import first_violation
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run

LATE = EXPIRED_AFTER_S + 1
"""After all that is done to charges."""


pytestmark = [pytest.mark.usefixtures("business"), pytest.mark.looks_back]


@pytest.fixture(scope="module")
def records(run: Run) -> Records:
    """Return what the run knows of its charges."""
    return Records(run.ledger.exchanges)


@deferred(LATE)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("amount_cents", marks=requirement("BUS-CHG-56")),
        pytest.param("description", marks=requirement("BUS-CHG-57")),
        pytest.param("external_ref", marks=requirement("BUS-CHG-58")),
        pytest.param("customer_email", marks=requirement("BUS-CHG-59")),
    ],
)
def test_every_charge_shows_what_was_sent(records: Records, name: str) -> None:
    """Whatever else was sent with it, and whatever became of it."""
    expect(*first_violation(f"{name} is what was sent", records.echoes(name)))


@deferred(LATE)
@requirement("BUS-CHG-58")
def test_every_list_shows_the_labels_that_were_sent(records: Records) -> None:
    """Of each charge that it shows with a label; rows of a list may be shorter."""
    expect(*first_violation("external_ref is what was sent", records.labels()))


@deferred(LATE)
@pytest.mark.parametrize(
    "given",
    [
        pytest.param(False, marks=requirement("BUS-CHG-34"), id="an-hour"),
        pytest.param(True, marks=requirement("BUS-CHG-35"), id="as-asked"),
    ],
)
def test_every_charge_lives_as_long_as_it_should(records: Records, *, given: bool) -> None:
    """From its creation on, whatever else was sent with it, and whatever became of it."""
    expect(*first_violation("it lives as long as it should", records.lives(given=given)))


@deferred(LATE)
@requirement("BUS-CHG-62")
def test_every_charge_keeps_its_created_at(records: Records) -> None:
    """A charge is created once."""
    expect(*first_violation("created_at stays", records.dates()))


@deferred(LATE)
@requirement("BUS-PAY-13")
def test_no_two_payments_share_an_e2e_id(records: Records) -> None:
    """Of whatever label, amount or player."""
    expect(*first_violation("its e2e_id is its own", records.payments()))


@deferred(LATE)
@requirement("BUS-LIST-10")
def test_every_list_holds_what_is_newer_than_its_oldest(run: Run) -> None:
    """Whatever was sent with a charge, in the list of all and in those of what is done with."""
    expect(*first_violation("nothing newer is left out", gaps(run.ledger.exchanges)))


@deferred(LATE)
@requirement("BUS-LIST-08")
def test_every_list_has_the_newer_before_the_older(run: Run) -> None:
    """Of charges that were made one after the other, by our clock and by their created_at, however soon."""
    expect(*first_violation("the newer stands first", misplaced(run.ledger.exchanges)))


@deferred(LATE)
@pytest.mark.parametrize(
    "operation",
    [
        pytest.param("pay_charge", marks=requirement("BUS-PAY-01")),
        pytest.param("cancel_charge", marks=requirement("BUS-CAN-01")),
    ],
)
def test_every_pending_charge_can_be_paid_and_canceled(run: Run, operation: str) -> None:
    """Of whatever amount, and whatever was sent with it."""
    expect(*first_violation("what is pending is not forbidden", forbidden(run.ledger.exchanges, operation)))
