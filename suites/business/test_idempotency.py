"""One key, one effect (business.md, lines 126-132)."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.builders.business import a_charge, fresh_ref
from fixtures.clients.business import Business
from fixtures.expect import expect, given
from fixtures.requirement import requirement
from fixtures.stories.business import creating, id_of
from fixtures.stories.business_races import Repeated, decided, labelled, one_only, repeated
from specs.judge.matchers import field, has, not_field, said, status, success

OTHERS: dict[str, dict[str, Any]] = {
    "amount": {"amount_cents": 1051},
    "description": {"description": "Three tickets"},
    "capitals": {"description": "TWO TICKETS"},
    "external_ref": {"external_ref": "pix-conformance-other"},
    "expiry": {"expires_in_seconds": 601},
    "email": {"customer_email": "player@example.com"},
}


@pytest.fixture(scope="module")
def twice(business: Business) -> Repeated:
    """Return a creation that was sent twice, the same to the byte."""
    return repeated(business)


@requirement("BUS-IDEM-01")
def test_a_repetition_is_answered_with_the_first_body(twice: Repeated) -> None:
    """Equal as JSON."""
    second = decided(twice.second)
    expect(second, said("equals the first answer", None if second.json == twice.first.json else "the bodies differ"))


@requirement("BUS-IDEM-02")
def test_a_repetition_is_answered_with_the_first_status(twice: Repeated) -> None:
    """A response is its status too."""
    expect(decided(twice.second), status(twice.first.status or 0))


@requirement("BUS-IDEM-03")
def test_a_repetition_makes_no_second_charge(business: Business, twice: Repeated) -> None:
    """The list holds one charge of that label, and a success names the same one."""
    decided(twice.second)
    listing = business.list_charges()
    charges = labelled(listing, twice.body["external_ref"])
    expect(listing, said("holds one charge of the label", one_only(listing, charges)))


@requirement("BUS-IDEM-03")
def test_a_repetition_names_the_first_charge(twice: Repeated) -> None:
    """Accepted under another id it would have made another charge."""
    expect(given(twice.second, has("id")), field("id", twice.first.at("id")))


@requirement("BUS-IDEM-04")
@pytest.mark.parametrize("which", list(OTHERS))
def test_a_key_with_another_body_is_refused(business: Business, which: str) -> None:
    """Whichever field differs."""
    expect(repeated(business, **OTHERS[which]).second, status(409))


@requirement("BUS-IDEM-05")
def test_a_key_with_another_body_makes_no_charge(business: Business) -> None:
    """The list holds no charge of the second body's label."""
    ref = fresh_ref()
    decided(repeated(business, external_ref=ref).second)
    marker = given(creating(business, a_charge()), has("id"))
    listing = business.list_charges()
    given(listing, said("shows a label", None if labelled(listing, marker.at("external_ref")) else "shows no label"))
    expect(listing, said("holds no charge of it", "the list holds it" if labelled(listing, ref) else None))


@requirement("BUS-IDEM-05")
def test_a_key_with_another_body_leaves_the_first_charge(business: Business) -> None:
    """Its amount and its description stay."""
    both = repeated(business, amount_cents=1051, description="Three tickets")
    decided(both.second)
    now = given(business.get_charge(id_of(both.first)))
    expect(now, *(field(name, both.first.at(name)) for name in ("amount_cents", "description", "status")))


@requirement("BUS-IDEM-06")
def test_without_a_key_each_creation_makes_a_charge(business: Business) -> None:
    """Even if all else is the same."""
    body = a_charge()
    first = business.create_charge(body)
    expect(first, success(), has("id"))
    expect(business.create_charge(body), success(), has("id"), not_field("id", first.at("id")))
