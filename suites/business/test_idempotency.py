"""One key, one effect (business.md, lines 126-132)."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from fixtures.business.bodies import a_charge, a_full_charge, fresh_key, fresh_ref
from fixtures.business.charges import a_pending, field_difference, id_of, plain_charge
from fixtures.business.concurrency import (
    IdempotentRetry,
    conflicting,
    created_in_state,
    decided,
    labelled,
    one_only,
    replay_difference,
    retry_with_key,
)
from fixtures.business.ledger import fresh_amount
from fixtures.business.lists import listing_with
from fixtures.texts import ascii_text
from pix_conformance.checks.matchers import client_error, computed, field, has, not_field, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement

OTHER_KEYS = 4
LASTING = ("id", "amount_cents", "external_ref", "created_at", "expires_at")
LONG = ascii_text(250)
OTHERS: dict[str, dict[str, Any]] = {
    "amount": {"amount_cents": 1051},
    "description": {"description": "Three tickets"},
    "capitals": {"description": "TWO TICKETS"},
    "blank": {"description": "Two tickets "},
    "external_ref": {"external_ref": "pix-conformance-other"},
    "expiry": {"expires_in_seconds": 601},
    "email": {"customer_email": "player@example.com"},
    "less": {"description": ...},
}


@pytest.fixture(scope="module")
def twice(business: Business) -> IdempotentRetry:
    """Return a creation that was sent twice, the same to the byte."""
    return retry_with_key(business)


@requirement("BUS-IDEM-01")
def test_a_repetition_is_answered_with_the_first_body(twice: IdempotentRetry) -> None:
    """Each member of the table is equal as JSON; what others hold, such as the id of a request, may differ."""
    second = decided(twice.second)
    expect(second, computed("equals the first answer", replay_difference(twice.first, second)))


@requirement("BUS-IDEM-02")
def test_a_repetition_is_answered_with_the_first_status(twice: IdempotentRetry) -> None:
    """A response is its status too."""
    expect(decided(twice.second), status(twice.first.status or 0))


@requirement("BUS-IDEM-03")
def test_a_repetition_makes_no_second_charge(business: Business, twice: IdempotentRetry) -> None:
    """The list holds one charge of that label, and a success names the same one."""
    decided(twice.second)
    listing = listing_with(business, twice.first)
    charges = labelled(business, listing, twice.first, twice.body["external_ref"])
    expect(listing, computed("holds one charge of the label", one_only(listing, charges)))


@requirement("BUS-IDEM-03")
def test_a_repetition_names_the_first_charge(twice: IdempotentRetry) -> None:
    """Accepted under another id it would have made another charge."""
    expect(precondition(twice.second, has("id")), field("id", twice.first.at("id")))


@prepare("business")
def keyed(business: Business) -> dict[str, IdempotentRetry]:
    """Make a charge under a key in each state, long before it is repeated."""
    return {state: created_in_state(business, state) for state in ("pending", "paid", "canceled")}


@cache
def other_keys(business: Business) -> None:
    """Use some keys, long after the first ones."""
    for _ in range(OTHER_KEYS):
        a_pending(business)


@deferred(4)
@pytest.mark.parametrize("state", ["pending", "paid", "canceled"])
@requirement("BUS-IDEM-03")
def test_a_later_repetition_names_the_first_charge_and_leaves_it(business: Business, state: str) -> None:
    """Other keys were used since, and it was perhaps paid or canceled."""
    other_keys(business)
    once = keyed.after_age(4)[state]
    expect(precondition(business.create_charge(once.body, key=once.key)), field("id", id_of(once.first)))
    now = precondition(business.get_charge(id_of(once.first)))
    expect(
        now, field("status", state), computed("it expires as before", field_difference(once.first, now, "expires_at"))
    )


@deferred(4)
@pytest.mark.parametrize("state", ["pending", "paid", "canceled"])
@requirement("BUS-IDEM-01")
def test_a_later_repetition_is_answered_with_the_first_charge(business: Business, state: str) -> None:
    """In whatever state it is shown: that of its creation, or that of now."""
    once = keyed.after_age(4)[state]
    again = decided(business.create_charge(once.body, key=once.key))
    other = next(filter(None, (field_difference(once.first, again, name) for name in LASTING)), None)
    expect(again, success(), computed("shows what the first answer did", other))


@deferred(4)
@pytest.mark.parametrize("state", ["paid", "canceled"])
@requirement("BUS-IDEM-09")
def test_a_later_repetition_shows_the_status_of_the_first_answer(business: Business, state: str) -> None:
    """A creation repeated after the charge was paid or canceled is answered with the status of the first answer."""
    once = keyed.after_age(4)[state]
    again = precondition(business.create_charge(once.body, key=once.key), has("status", "string"))
    expect(again, field("status", once.first.at("status")))


@requirement("BUS-IDEM-01", "BUS-IDEM-03")
def test_a_repetition_after_a_conflict_names_the_first_charge(business: Business) -> None:
    """The key still stands for its first body."""
    both = retry_with_key(business, **OTHERS["amount"])
    decided(both.second)
    again = decided(business.create_charge(both.body, key=both.key))
    expect(again, success(), of="BUS-IDEM-01")
    expect(precondition(again), field("id", id_of(both.first)), of="BUS-IDEM-03")


@requirement("BUS-IDEM-03")
def test_each_repetition_of_an_amount_alone_names_the_first_charge(business: Business) -> None:
    """Nothing else tells such charges apart; the second repetition is as good as the first."""
    key, body = fresh_key(), {"amount_cents": fresh_amount(business)}
    first = precondition(business.create_charge(body, key=key), has("id"))
    for _ in range(2):
        expect(precondition(business.create_charge(body, key=key)), field("id", id_of(first)))


@requirement("BUS-IDEM-04")
def test_a_key_with_another_body_is_refused_after_the_payment(business: Business) -> None:
    """The key stays taken when its charge is done with."""
    once = created_in_state(business, "paid")
    expect(business.create_charge({**once.body, **OTHERS["amount"]}, key=once.key), status(409))


@requirement("BUS-IDEM-04")
@pytest.mark.parametrize("which", list(OTHERS))
def test_a_key_with_another_body_is_refused(business: Business, which: str) -> None:
    """Whichever field differs, also by its absence; under a key of its own that body is accepted."""
    both = retry_with_key(business, **OTHERS[which])
    expect(conflicting(business, both.second, both.other), status(409))


@requirement("BUS-IDEM-04")
def test_a_key_with_another_body_is_refused_each_time(business: Business) -> None:
    """The refusal does not make that body the key's."""
    both = retry_with_key(business, **OTHERS["amount"])
    decided(both.second)
    expect(business.create_charge(both.other, key=both.key), status(409))


@requirement("BUS-IDEM-04")
def test_a_key_with_an_invalid_body_is_refused(business: Business, twice: IdempotentRetry) -> None:
    """As another body or as invalid."""
    precondition(twice.first)
    expect(business.create_charge({**twice.body, "amount_cents": 0}, key=twice.key), client_error())


@requirement("BUS-IDEM-04")
def test_a_key_with_the_label_in_capitals_is_refused(business: Business) -> None:
    """A label comes back as it was sent, so that one in capitals is another."""
    once = created_in_state(business, "pending")
    other = {**once.body, "external_ref": once.body["external_ref"].upper()}
    expect(conflicting(business, business.create_charge(other, key=once.key), other), status(409))


@requirement("BUS-IDEM-04")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"description": f"{LONG}a"}, {"description": f"{LONG}b"}, id="late"),
        pytest.param(
            {"description": "North", "external_ref": "South"},
            {"description": "South", "external_ref": "North"},
            id="swapped",
        ),
    ],
)
def test_a_key_with_a_body_that_is_hardly_another_is_refused(
    business: Business, first: dict[str, str], second: dict[str, str]
) -> None:
    """The last of many signs differs, or only which field has which value."""
    key, body = fresh_key(), a_charge(**first)
    precondition(business.create_charge(body, key=key))
    other = {**body, **second}
    expect(conflicting(business, business.create_charge(other, key=key), other), status(409))


@requirement("BUS-IDEM-05")
def test_a_key_with_another_body_makes_no_charge(business: Business) -> None:
    """The list holds no charge of the second body's label."""
    ref = fresh_ref()
    both = retry_with_key(business, external_ref=ref)
    decided(both.second)
    listing = listing_with(business, a_pending(business))
    shown = labelled(business, listing, both.first, both.body["external_ref"])
    precondition(listing, computed("shows a label", None if shown else "shows no label"))
    again = labelled(business, listing, both.first, ref)
    expect(listing, computed("holds no charge of it", "the list holds it" if again else None))


@requirement("BUS-IDEM-05")
def test_a_key_with_another_body_leaves_the_first_charge(business: Business) -> None:
    """Nothing of the second body is taken over."""
    other = {"amount_cents": 1051, "description": "Three tickets", "customer_email": "another@example.com"}
    both = retry_with_key(business, first=a_full_charge(), **other, expires_in_seconds=6000)
    decided(both.second)
    now = precondition(business.get_charge(id_of(both.first)))
    expect(now, field("status", both.first.at("status")), *(not_field(name, new) for name, new in other.items()))
    expect(now, computed("it expires as before", field_difference(both.first, now, "expires_at")))


@requirement("BUS-IDEM-06")
def test_without_a_key_each_creation_makes_a_charge(business: Business) -> None:
    """Even if all else is the same; with one it does."""
    plain_charge(business)
    body = a_charge()
    first = business.create_charge(body)
    expect(first, success(), has("id"))
    expect(business.create_charge(body), success(), has("id"), not_field("id", first.at("id")))


@requirement("BUS-IDEM-06")
def test_without_a_key_nothing_is_a_repetition(business: Business) -> None:
    """Neither of a creation that had a key."""
    once = created_in_state(business, "pending")
    expect(business.create_charge(once.body), success(), has("id"), not_field("id", once.first.at("id")))
