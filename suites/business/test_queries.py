"""Reading a charge (business.md, lines 29-43, 102-105)."""

from functools import cache

import pytest

from fixtures.business.bodies import a_full_charge
from fixtures.business.charges import (
    a_minimal,
    a_pending,
    creating,
    echoed,
    field_difference,
    fill_list,
    id_of,
    plain_charge,
    shown_as,
)
from fixtures.ids import nonexistent_id_like
from pix_conformance.checks.matchers import client_error, computed, field, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare_early
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange


@cache
def bought(business: Business) -> tuple[Exchange, Exchange]:
    """Create a charge and pay it, once in a run; return its creation and the query that shows it paid."""
    charge = a_pending(business)
    precondition(business.pay_charge(id_of(charge)))
    return charge, shown_as(business, charge, "paid")


@cache
def looked_at_again(business: Business) -> tuple[Exchange, ...]:
    """Create a charge and query it twice, once in a run; return the three answers."""
    creation, query = echoed(business)
    return creation, query, precondition(business.get_charge(id_of(creation)))


@cache
def given_up(business: Business) -> tuple[Exchange, Exchange]:
    """Create a charge and cancel it, once in a run; return its creation and the query that shows it canceled."""
    charge = a_pending(business)
    precondition(business.cancel_charge(id_of(charge)))
    return charge, shown_as(business, charge, "canceled")


@requirement("BUS-CHG-64")
def test_a_charge_is_read_back_by_its_id(business: Business) -> None:
    """The older of two charges is found as well as the newer, though it was made of an amount alone."""
    older, newer = a_minimal(business), a_pending(business)
    expect(business.get_charge(id_of(older)), success(), field("id", older.at("id")))
    expect(business.get_charge(id_of(newer)), success(), field("id", newer.at("id")))


@prepare_early("business")
def early(business: Business) -> Exchange:
    """Make a charge long before most others of the run."""
    return a_pending(business)


@requirement("BUS-CHG-64")
@deferred(0)
def test_a_charge_is_read_back_however_many_are_newer(business: Business) -> None:
    """More than a list holds, where the run made so many."""
    charge = early.value()
    fill_list(business)
    expect(business.get_charge(id_of(charge)), success(), field("id", charge.at("id")))


@requirement("BUS-CHG-65")
def test_an_unknown_id_is_not_found(business: Business) -> None:
    """The id has the form of those that exist."""
    known = plain_charge(business)
    precondition(business.get_charge(id_of(known)))
    expect(business.get_charge(nonexistent_id_like(id_of(known))), status(404))


@requirement("BUS-CHG-69")
def test_a_pending_charge_keeps_its_code(business: Business) -> None:
    """The payer may have it already."""
    creation, *queries = looked_at_again(business)
    for one in queries:
        precondition(one, field("status", "pending"), has("qr_code", "string"))
        expect(one, computed("qr_code is that of the creation", field_difference(creation, one, "qr_code")))


@requirement("BUS-CHG-70")
def test_an_id_of_another_form_is_refused(business: Business) -> None:
    """No charge has such an id."""
    precondition(business.get_charge(id_of(plain_charge(business))))
    expect(business.get_charge("pix-conformance"), client_error())


@requirement("BUS-CHG-70")
def test_the_beginning_of_an_id_is_not_found(business: Business) -> None:
    """All but its last sign, unless that happens to be the id of another charge."""
    known = id_of(plain_charge(business))
    precondition(business.get_charge(known))
    answer = business.get_charge(known[:-1]) if len(known) > 1 else None
    if answer is None or (answer.ok and answer.at("id") != plain_charge(business).at("id")):
        raise not_applicable("it is the id of another charge")
    expect(answer, client_error())


@requirement("BUS-CHG-66")
@pytest.mark.parametrize("name", ["qr_code", "provider", "expires_at"])
def test_what_a_charge_was_made_with_stays(business: Business, name: str) -> None:
    """On creation, on two queries and after a payment or a cancel; timestamps agree to the second."""
    creation, *queries = looked_at_again(business)
    for one in queries:
        expect(one, computed(f"{name} is that of the creation", field_difference(creation, one, name)))
    for new, done in (bought(business), given_up(business)):
        expect(done, computed(f"{name} is that of the creation", field_difference(new, done, name)))


@requirement("BUS-CHG-67")
def test_the_description_is_not_in_the_code(business: Business) -> None:
    """What the payer's app reads does not hold it, in any case of its letters."""
    charge = precondition(creating(business, a_full_charge(description="Quagga7391")), has("qr_code"))
    inside = "quagga" in str(charge.at("qr_code")).lower()
    expect(charge, computed("the code is free of it", "qr_code holds the description" if inside else None))
