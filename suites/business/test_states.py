"""States that a charge does not leave (business.md, lines 65-83)."""

from __future__ import annotations

import pytest

from fixtures.builders.business import a_charge, fresh_key
from fixtures.clients.business import Business
from fixtures.expect import expect, given
from fixtures.requirement import requirement
from fixtures.stories.business import a_canceled, a_paid, a_pending, id_of, shown_as
from fixtures.stories.business_ledger import captured_never, captured_once, fresh_amount
from fixtures.stories.business_races import decided
from specs.judge.matchers import field, said

ASKED = ["pay_charge", "cancel_charge", "get_charge"]


@requirement("BUS-STATE-01")
def test_a_new_charge_is_pending(business: Business) -> None:
    """In the answer to its creation and in the first query."""
    charge = a_pending(business)
    expect(charge, field("status", "pending"))
    expect(given(business.get_charge(id_of(charge))), field("status", "pending"))


@requirement("BUS-STATE-03")
@pytest.mark.parametrize("operation", ASKED)
def test_a_paid_charge_stays_paid(business: Business, operation: str) -> None:
    """Whether it is paid again, canceled or looked at."""
    charge = a_paid(business)
    decided(getattr(business, operation)(id_of(charge)))
    expect(given(business.get_charge(id_of(charge))), field("status", "paid"))


@requirement("BUS-STATE-03")
def test_a_paid_charge_stays_paid_when_its_creation_is_repeated(business: Business) -> None:
    """The repetition may show what was; the charge is what it is."""
    key, body = fresh_key(), a_charge()
    charge = given(business.create_charge(body, key=key))
    given(business.pay_charge(id_of(charge)))
    shown_as(business, charge, "paid")
    decided(business.create_charge(body, key=key))
    expect(given(business.get_charge(id_of(charge))), field("status", "paid"))


@requirement("BUS-STATE-04")
@pytest.mark.parametrize("operation", ASKED)
def test_a_canceled_charge_stays_canceled(business: Business, operation: str) -> None:
    """Whether it is paid, canceled again or looked at."""
    charge = a_canceled(business)
    decided(getattr(business, operation)(id_of(charge)))
    expect(given(business.get_charge(id_of(charge))), field("status", "canceled"))


@requirement("BUS-STATE-04")
def test_paying_a_canceled_charge_captures_nothing(business: Business) -> None:
    """No posting of its amount appears of a kind that a payment leaves."""
    amount = fresh_amount()
    charge, before = a_canceled(business, amount_cents=amount), given(business.get_finance())
    decided(business.pay_charge(id_of(charge)))
    finance, problem = captured_never(business, amount, before)
    expect(finance, said("nothing was captured", problem))


@requirement("BUS-STATE-08")
def test_paying_again_captures_nothing_more(business: Business) -> None:
    """A charge that was paid twice leaves as many postings of a kind as one that was paid once."""
    amount = fresh_amount()
    decided(business.pay_charge(id_of(a_paid(business, amount_cents=amount))))
    finance, problem = captured_once(business, amount)
    expect(finance, said("the amount was captured once", problem))


@requirement("BUS-STATE-08")
def test_paying_again_gives_no_new_e2e_id(business: Business) -> None:
    """One payment has one end-to-end identifier."""
    charge = a_paid(business)
    decided(business.pay_charge(id_of(charge)))
    expect(given(business.get_charge(id_of(charge))), field("e2e_id", charge.at("e2e_id")))
