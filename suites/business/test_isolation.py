"""Accounts see nothing of each other (business.md, line 141)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from fixtures.business.bodies import a_charge, fresh_key
from fixtures.business.charges import a_canceled, a_paid, a_pending, id_of, refused, shown_as
from fixtures.business.concurrency import IdempotentRetry, decided
from fixtures.business.expiry import EXPIRED_AFTER_S
from fixtures.business.ledger import fresh_amount, payment_in_other_ledger
from fixtures.business.lists import listing_with
from fixtures.business.postings import captured_in
from fixtures.business.production import foreign_id, production_charge_of_sandbox_id
from pix_conformance.checks.matchers import computed, field, has, not_field, status
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import Observer, expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange

STATES = {"pending": a_pending, "paid": a_paid, "canceled": a_canceled}


@cache
def foreign(business: Business, state: str) -> Exchange:
    """Return a charge of the first account in a state; nobody changes it."""
    return STATES[state](business)


@requirement("BUS-ISO-01")
@pytest.mark.parametrize("state", STATES)
def test_a_foreign_charge_is_not_found(business: Business, other_business: Business, state: str) -> None:
    """As if there were none of that id."""
    charge = foreign(business, state)
    precondition(business.get_charge(id_of(charge)))
    expect(other_business.get_charge(foreign_id(other_business, charge)), status(404))


@pytest.mark.parametrize("state", ["paid", "canceled"])
@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(Business.cancel_charge, marks=requirement("BUS-ISO-02"), id="cancel"),
        pytest.param(Business.pay_charge, marks=requirement("BUS-ISO-04"), id="pay"),
    ],
)
def test_a_foreign_charge_that_is_done_with_is_not_found(
    business: Business, other_business: Business, ask: Callable[[Business, str], Exchange], state: str
) -> None:
    """That its state forbids the operation is not told either; its owner saw it in that state."""
    expect(ask(other_business, foreign_id(other_business, foreign(business, state))), status(404))


@prepare("business")
def expiring(business: Business) -> Exchange:
    """Make a charge that lives as short as can be."""
    return a_pending(business, expires_in_seconds=60)


@deferred(EXPIRED_AFTER_S)
@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(Business.get_charge, marks=requirement("BUS-ISO-01"), id="query"),
        pytest.param(Business.cancel_charge, marks=requirement("BUS-ISO-02"), id="cancel"),
        pytest.param(Business.pay_charge, marks=requirement("BUS-ISO-04"), id="pay"),
    ],
)
def test_a_foreign_charge_that_expired_is_not_found(
    business: Business, other_business: Business, ask: Callable[[Business, str], Exchange]
) -> None:
    """Its owner saw it expired."""
    charge = shown_as(business, expiring.after_age(EXPIRED_AFTER_S), "expired")
    expect(ask(other_business, foreign_id(other_business, charge)), status(404))


@prepare("other_business")
def expiring_too(other_business: Business) -> Exchange:
    """Make such a charge on the other account."""
    return a_pending(other_business, expires_in_seconds=60)


@requirement("BUS-ISO-06")
@deferred(EXPIRED_AFTER_S)
def test_the_list_of_the_expired_holds_no_foreign_charge(business: Business, other_business: Business) -> None:
    """Each owner saw its own charge expired."""
    theirs = shown_as(business, expiring.after_age(EXPIRED_AFTER_S), "expired")
    own = shown_as(other_business, expiring_too.after_age(EXPIRED_AFTER_S), "expired")
    foreign_id(other_business, theirs)
    listing = listing_with(other_business, own, "expired")
    expect(listing, computed("holds the caller's charges only", production_charge_of_sandbox_id(listing, own, theirs)))


@requirement("BUS-ISO-02")
def test_a_foreign_charge_is_not_found_to_cancel(business: Business, other_business: Business) -> None:
    """As if there were none of that id; its owner can cancel it."""
    charge = a_pending(business)
    answer = other_business.cancel_charge(foreign_id(other_business, charge))
    if not answer.ok:
        precondition(business.cancel_charge(id_of(charge)))
    expect(answer, status(404))


@requirement("BUS-ISO-03")
def test_a_cancel_by_another_account_has_no_effect(business: Business, other_business: Business) -> None:
    """The charge is still pending to its owner."""
    charge = a_pending(business)
    decided(other_business.cancel_charge(foreign_id(other_business, charge)))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "pending"))


@requirement("BUS-ISO-04")
def test_a_foreign_charge_is_not_found_to_pay(business: Business, other_business: Business) -> None:
    """As if there were none of that id; its owner can pay it."""
    charge = a_pending(business)
    answer = other_business.pay_charge(foreign_id(other_business, charge))
    if not answer.ok:
        precondition(business.pay_charge(id_of(charge)))
    expect(answer, status(404))


@requirement("BUS-ISO-05")
def test_a_payment_by_another_account_has_no_effect(business: Business, other_business: Business) -> None:
    """The charge is still pending to its owner."""
    charge = a_pending(business)
    decided(other_business.pay_charge(foreign_id(other_business, charge)))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "pending"))


@requirement("BUS-ISO-07")
def test_a_payment_by_another_account_captures_nothing(business: Business, other_business: Business) -> None:
    """Neither its own ledger nor the owner's has what a payment leaves."""
    charge = a_pending(business, amount_cents=fresh_amount(business))
    number, amount = foreign_id(other_business, charge), int(charge.at("amount_cents"))
    clients = (business, other_business)
    before = [precondition(one.get_finance()) for one in clients]
    refused(other_business.pay_charge(number))
    for one, then in zip(clients, before, strict=True):
        finance, problem = captured_in(one, business, amount, then)
        expect(finance, computed("nothing was captured", problem))


@requirement("BUS-ISO-06")
@pytest.mark.parametrize("state", STATES)
def test_the_list_holds_no_foreign_charge(business: Business, other_business: Business, state: str) -> None:
    """It holds the caller's own new charge, and not the other's; filtered or not."""
    theirs, own = foreign(business, state), STATES[state](other_business)
    foreign_id(other_business, theirs)
    for chosen in (None, state):
        listing = listing_with(other_business, own, chosen)
        expect(
            listing, computed("holds the caller's charges only", production_charge_of_sandbox_id(listing, own, theirs))
        )


@requirement("BUS-ISO-07")
def test_a_payment_leaves_no_trace_in_a_foreign_ledger(business: Business, other_business: Business) -> None:
    """By the time that its own ledger shows it."""
    finance, problem = payment_in_other_ledger(business, other_business)
    expect(finance, computed("does not know the payment", problem))


@pytest.fixture(scope="module")
def shared(business: Business, other_business: Business) -> IdempotentRetry:
    """Return two accounts' creations with one key and one body."""
    key, body = fresh_key(), a_charge()
    first = precondition(business.create_charge(body, key=key), has("id"))
    return IdempotentRetry(key, body, body, first, other_business.create_charge(body, key=key))


@requirement("BUS-ISO-08")
def test_a_foreign_key_does_not_hand_out_the_foreign_charge(shared: IdempotentRetry) -> None:
    """A charge of its own is as right as a refusal."""
    expect(decided(shared.second), not_field("id", shared.first.at("id")))


@requirement("BUS-ISO-09")
def test_what_a_foreign_key_gets(shared: IdempotentRetry, observe: Observer) -> None:
    """A charge of its own or a refusal."""
    words = f"another account's creation with the same key and body: {shared.second.status}"
    observe("BUS-ISO-09", words, shared.second.status, shared.first, shared.second)
