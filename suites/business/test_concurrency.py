"""What is asked at the same moment; the history is judged after the fact (business.md, lines 67, 130)."""

from __future__ import annotations

import pytest

from fixtures.business.bodies import a_charge, fresh_ref
from fixtures.business.charges import a_pending, id_of
from fixtures.business.concurrency import (
    Race,
    created_at_once,
    e2e_ids,
    paid_and_canceled,
    paid_at_once,
    race_contradiction,
    too_many_created,
)
from fixtures.business.ledger import capture_of_unpaid, captured_once, credited_once
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.concurrency import repeat_concurrently
from pix_conformance.harness.expect import expect, inconclusive, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange


@pytest.fixture(scope="module")
def fired(business: Business) -> Race:
    """Return a charge that five payments reached at the same moment."""
    return paid_at_once(business)


@requirement("BUS-STATE-06")
def test_simultaneous_payments_capture_once(business: Business, fired: Race) -> None:
    """Under fire a charge leaves as many postings of a kind as one that is paid plainly."""
    finance, problem = captured_once(business, fired.amount)
    expect(finance, computed("the amount was captured once", problem))


@requirement("BUS-STATE-06")
def test_simultaneous_payments_are_credited_once(business: Business) -> None:
    """Where a payment raises the balance at once, five together raise it no more."""

    def together(charge: Exchange) -> None:
        repeat_concurrently(5, lambda: business.pay_charge(id_of(charge), group=id_of(charge)))

    finance, problem = credited_once(business, together)
    expect(finance, computed("the balance rose once", problem))


@requirement("BUS-STATE-06")
def test_simultaneous_payments_give_one_e2e_id(business: Business, fired: Race) -> None:
    """Neither their answers nor later queries show a second one."""
    later = precondition(business.get_charge(id_of(fired.charge)))
    expect(later, computed("the charge has one e2e_id", e2e_ids(fired, later)))


@requirement("BUS-STATE-07")
@pytest.mark.parametrize("turn", range(4), ids=["pay-first-1", "cancel-first-1", "pay-first-2", "cancel-first-2"])
def test_a_payment_against_a_cancel_ends_in_one_state(business: Business, turn: int) -> None:
    """Whoever wins, the charge is what the winner was told."""
    race = paid_and_canceled(business, cancel_first=bool(turn % 2))
    later = precondition(business.get_charge(id_of(race.charge)))
    expect(later, computed("the history has one end", race_contradiction(race, later)))


@requirement("BUS-STATE-07")
def test_a_charge_canceled_in_a_race_is_not_captured(business: Business) -> None:
    """Either it is paid, or nothing of its amount is posted as a payment."""
    before = precondition(business.get_finance())
    race = paid_and_canceled(business, cancel_first=True)
    finance, problem = capture_of_unpaid(business, race.amount, before)
    canceled = race.after.at("status") == "canceled"
    expect(finance, computed("a canceled charge is not captured", problem if canceled else None))


@requirement("BUS-CAN-05")
def test_of_simultaneous_cancels_one_succeeds(business: Business) -> None:
    """The others find a canceled charge."""
    charge = a_pending(business)
    answers = repeat_concurrently(4, lambda: business.cancel_charge(id_of(charge), group=id_of(charge)))
    done = [one for one in answers if one.ok]
    if not done:
        raise inconclusive("not tested: none of the simultaneous cancels succeeded")
    twice = f"{len(done)} cancels of one charge succeeded" if len(done) > 1 else None
    expect(done[-1], computed("one cancel succeeds", twice))


@requirement("BUS-IDEM-07")
def test_simultaneous_creations_with_one_key_make_one_charge(business: Business) -> None:
    """Counted in the answers and in the list."""
    burst = created_at_once(business, *[a_charge()] * 6)
    expect(burst.listing, computed("one key made one charge", too_many_created(burst)))


@requirement("BUS-IDEM-04", "BUS-IDEM-05")
def test_of_different_creations_with_one_key_at_once_one_is_made(business: Business) -> None:
    """Whichever comes first takes the key."""
    bodies = [a_charge(amount_cents=1050 + number, external_ref=fresh_ref()) for number in range(8)]
    burst = created_at_once(business, *bodies)
    expect(burst.listing, computed("one key made one charge", too_many_created(burst)), of="BUS-IDEM-05")
    taken = [one.status for one in burst.answers if one.ok]
    several = f"{len(taken)} different bodies were accepted" if len(taken) > 1 else None
    expect(burst.listing, computed("one body is accepted", several), of="BUS-IDEM-04")
