"""Sandbox and production share an address and nothing else (business.md, lines 12, 116-120, 139).

With the production key the suite reads, makes one charge of one cent, simulates its payment, and cancels it.
"""

from __future__ import annotations

import pytest

from fixtures.clients.business import Business
from fixtures.events import event_of, mentions
from fixtures.expect import expect, given, observe
from fixtures.planting import harvest
from fixtures.requirement import requirement
from fixtures.stories.business import a_paid, a_pending, id_of, no_balance
from fixtures.stories.business_acts import PAID
from fixtures.stories.business_events import BusinessEvents
from fixtures.stories.business_ledger import seen_elsewhere
from fixtures.stories.business_lists import listing_with
from fixtures.stories.business_live import Twins, stranger, twins
from fixtures.stories.business_races import decided
from fixtures.stories.hearing import Unwanted, refused
from specs.judge.matchers import field, has, said, status, success
from specs.vocabulary import Api


@pytest.fixture(scope="module")
def both(business: Business, live_business: Business) -> Twins:
    """Return a sandbox charge and the one production charge of the run."""
    return twins(business, live_business)


@requirement("BUS-ENV-01")
def test_a_production_key_works_at_the_same_address(live_business: Business, both: Twins) -> None:
    """It reads the balance; a key that nothing was done with may be no key."""
    finance = live_business.get_finance()
    if not finance.ok:
        given(both.live)
    expect(finance, success(), said("is a balance", no_balance(finance)))


@requirement("BUS-ENV-02")
def test_a_sandbox_charge_is_not_found_in_production(live_business: Business, both: Twins) -> None:
    """As if there were none of that id."""
    expect(live_business.get_charge(id_of(given(both.sandbox, has("id")))), status(404))


@requirement("BUS-ENV-03")
def test_a_production_charge_is_not_found_in_the_sandbox(business: Business, both: Twins) -> None:
    """As if there were none of that id."""
    expect(business.get_charge(id_of(both.live)), status(404))


@requirement("BUS-ENV-04")
def test_the_production_list_holds_no_sandbox_charge(live_business: Business, both: Twins) -> None:
    """It holds the production charge, and not the other."""
    listing = listing_with(live_business, both.live)
    expect(listing, said("holds production charges only", stranger(listing, both.live, both.sandbox)))


@requirement("BUS-ENV-04")
def test_the_sandbox_list_holds_no_production_charge(business: Business, both: Twins) -> None:
    """It holds a new sandbox charge, and not the other."""
    own = a_pending(business)
    listing = listing_with(business, own)
    expect(listing, said("holds sandbox charges only", stranger(listing, own, both.live)))


@requirement("BUS-ENV-05")
def test_a_simulated_payment_leaves_no_trace_in_production(business: Business, live_business: Business) -> None:
    """By the time that the sandbox ledger shows it."""
    finance, problem = seen_elsewhere(business, live_business)
    expect(finance, said("does not know the payment", problem))


@requirement("BUS-ENV-07")
def test_a_key_of_the_sandbox_in_production(both: Twins) -> None:
    """Fresh there, or spent."""
    given(both.sandbox, has("id"))
    same = "the sandbox charge" if both.shared.at("id") == both.sandbox.at("id") else "another charge or none"
    words = f"production answers a sandbox's key and body with {both.shared.status}: {same}"
    observe("BUS-ENV-07", words, {"status": both.shared.status, "what": same}, both.sandbox, both.shared)


@requirement("BUS-PAY-09")
def test_a_payment_is_not_simulated_in_production(business: Business, both: Twins) -> None:
    """The route is the sandbox's, where it works."""
    given(both.live)
    a_paid(business)
    expect(both.pay, status(403))


@harvest(0)
@requirement("BUS-EVT-19")
def test_a_simulation_refused_in_production_sends_no_event(business_events: BusinessEvents, both: Twins) -> None:
    """Neither its charge nor the sandbox's, which may have the same label, was paid."""
    refused(both.pay, 403)
    label = str(both.made.at("external_ref"))
    business_events.reach.quiet(both.pay)
    business_events.reach.settle()
    found = business_events.wait(lambda one: event_of(one, Api.BUSINESS) == PAID and mentions(one, label), 0)
    unwanted = Unwanted(both.pay, f"a {PAID} of a production charge", lambda: next(iter(found), None))
    expect(*unwanted.judged)


@requirement("BUS-PAY-10")
def test_a_refused_simulation_leaves_the_charge_pending(both: Twins) -> None:
    """Queried before the suite cancels it."""
    given(both.live)
    decided(both.pay)
    expect(given(both.after), field("status", "pending"))
