"""Reading a charge (business.md, lines 29-43, 102-105)."""

from functools import cache

import pytest

from fixtures.builders.business import a_full_charge
from fixtures.builders.ids import unknown_like
from fixtures.clients.business import Business
from fixtures.exchange import Exchange
from fixtures.expect import expect, given
from fixtures.requirement import requirement
from fixtures.stories.business import a_pending, apart, creating, echoed, id_of, plain_charge, shown_as
from specs.judge.matchers import field, has, said, status, success


@cache
def bought(business: Business) -> tuple[Exchange, Exchange]:
    """Create a charge and pay it, once in a run; return its creation and the query that shows it paid."""
    charge = a_pending(business)
    given(business.pay_charge(id_of(charge)))
    return charge, shown_as(business, charge, "paid")


@requirement("BUS-CHG-64")
def test_a_charge_is_read_back_by_its_id(business: Business) -> None:
    """The older of two charges is found as well as the newer."""
    older, newer = a_pending(business), a_pending(business)
    expect(business.get_charge(id_of(older)), success(), field("id", older.at("id")))
    expect(business.get_charge(id_of(newer)), success(), field("id", newer.at("id")))


@requirement("BUS-CHG-65")
def test_an_unknown_id_is_not_found(business: Business) -> None:
    """The id has the form of those that exist."""
    known = plain_charge(business)
    given(business.get_charge(id_of(known)))
    expect(business.get_charge(unknown_like(id_of(known))), status(404))


@requirement("BUS-CHG-66")
@pytest.mark.parametrize("name", ["qr_code", "provider", "created_at", "expires_at"])
def test_what_a_charge_was_made_with_stays(business: Business, name: str) -> None:
    """The creation and two queries show the same, and so does a query after payment; of timestamps, the same second."""
    creation, query = echoed(business)
    again = given(business.get_charge(id_of(creation)))
    for one in (query, again):
        expect(one, said(f"{name} is that of the creation", apart(creation, one, name)))
    new, paid = bought(business)
    expect(paid, said(f"{name} is that of the creation", apart(new, paid, name)))


@requirement("BUS-CHG-67")
def test_the_description_is_not_in_the_code(business: Business) -> None:
    """What the payer's app reads does not hold it, in any case of its letters."""
    charge = given(creating(business, a_full_charge(description="Quagga7391")), has("qr_code"))
    inside = "quagga" in str(charge.at("qr_code")).lower()
    expect(charge, said("the code is free of it", "qr_code holds the description" if inside else None))
