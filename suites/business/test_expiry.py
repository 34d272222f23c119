"""Charges of 60 seconds, made when the run starts and looked at near or past their end (business.md, lines 73-83)."""

from __future__ import annotations

import pytest

from fixtures.clients.business import Business
from fixtures.expect import expect, given, observe
from fixtures.planting import harvest, plant
from fixtures.requirement import requirement
from fixtures.stories.business_ledger import captured_never
from fixtures.stories.business_lives import (
    DEAD_AT,
    NEARLY,
    Mortal,
    detected,
    generations,
    mortals,
    nearly_dead,
)
from fixtures.stories.business_races import decided
from fixtures.stories.business_words import told
from specs.judge.matchers import field, has, said

NAMES = ("queried", "paid", "canceled", "pay", "cancel", "look")


@plant("business")
def growing_old(business: Business) -> list[Mortal]:
    """Charges of which one is near its end when the ordinary tests are through."""
    return generations(business)


@plant("business")
def dying(business: Business) -> dict[str, Mortal]:
    """Charges of 60 seconds, one for each thing that is done to an expired one."""
    return mortals(business, *NAMES)


@requirement("BUS-EXP-03")
@harvest(NEARLY)
def test_a_charge_stays_pending_until_its_time_has_passed(business: Business) -> None:
    """Asked of the charge that is nearest to its end and surely lives."""
    charge = nearly_dead(growing_old.aged(NEARLY))
    expect(given(business.get_charge(charge.id), has("status", "string")), field("status", "pending"))


@requirement("BUS-EXP-01")
@harvest(DEAD_AT)
def test_the_first_query_after_the_end_shows_it_expired(business: Business) -> None:
    """Nobody has asked for this charge since it was created."""
    charge = dying.aged(DEAD_AT)["queried"]
    expect(given(business.get_charge(charge.id), has("status", "string")), field("status", "expired"))


@requirement("BUS-EXP-02", "BUS-PAY-07")
@harvest(DEAD_AT)
def test_a_payment_after_the_end_does_not_make_it_paid(business: Business) -> None:
    """The attempt is the first that is heard of the charge; how it is answered is open."""
    charge = dying.aged(DEAD_AT)["paid"]
    before = given(business.get_finance())
    answer = decided(business.pay_charge(charge.id))
    observe("BUS-PAY-07", f"paying a charge past its end: {told(answer)}", answer.status, answer)
    expect(given(business.get_charge(charge.id), has("status", "string")), field("status", "expired"), of="BUS-EXP-02")
    finance, problem = captured_never(business, charge.amount, before)
    expect(finance, said("nothing was captured", problem), of="BUS-EXP-02")


@requirement("BUS-CAN-07")
@harvest(DEAD_AT)
def test_canceling_after_an_end_that_nobody_noticed(business: Business) -> None:
    """A cancel is not named among what detects an expiry."""
    charge = dying.aged(DEAD_AT)["canceled"]
    answer = business.cancel_charge(charge.id)
    after = business.get_charge(charge.id)
    words = f"canceling a charge past its end: {told(answer)}; afterwards it is {after.at('status')}"
    observe("BUS-CAN-07", words, {"status": answer.status, "then": str(after.at("status"))}, answer, after)


@requirement("BUS-STATE-05")
@harvest(DEAD_AT)
@pytest.mark.parametrize("move", ["pay", "cancel", "look"])
def test_a_charge_found_expired_stays_expired(business: Business, move: str) -> None:
    """Whether it is paid, canceled or looked at."""
    charge = detected(business, dying.aged(DEAD_AT)[move])
    operation = {"pay": "pay_charge", "cancel": "cancel_charge", "look": "get_charge"}[move]
    decided(getattr(business, operation)(charge.id))
    expect(given(business.get_charge(charge.id), has("status", "string")), field("status", "expired"))


@requirement("BUS-STATE-05")
@harvest(DEAD_AT)
def test_paying_a_charge_found_expired_captures_nothing(business: Business) -> None:
    """No posting of its amount appears of a kind that a payment leaves."""
    charge, before = detected(business, dying.aged(DEAD_AT)["queried"]), given(business.get_finance())
    decided(business.pay_charge(charge.id))
    finance, problem = captured_never(business, charge.amount, before)
    expect(finance, said("nothing was captured", problem))
