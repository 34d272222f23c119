"""Sandbox and production share an address and nothing else (business.md, lines 12, 116-120, 139).

With the production key the suite reads, makes one charge of one cent, simulates its payment, and cancels it.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fixtures.clients.business import Business
from fixtures.events import event_of, mentions
from fixtures.exchange import Exchange
from fixtures.expect import expect, given, observe
from fixtures.planting import harvest
from fixtures.requirement import requirement
from fixtures.stories.business import a_canceled, a_paid, a_pending, life_off, no_balance, settled
from fixtures.stories.business_acts import PAID
from fixtures.stories.business_codes import judged
from fixtures.stories.business_events import BusinessEvents
from fixtures.stories.business_ledger import seen_elsewhere
from fixtures.stories.business_lists import listing_with
from fixtures.stories.business_live import Twins, foreign_id, stranger, twins
from fixtures.stories.business_races import decided
from fixtures.stories.hearing import Unwanted, refused
from specs.formats import emv
from specs.judge.matchers import field, has, said, status, success
from specs.vocabulary import Api


@pytest.fixture(scope="module")
def both(business: Business, live_business: Business) -> Twins:
    """Return a sandbox charge and the one production charge of the run."""
    return twins(business, live_business)


@requirement("BUS-ENV-01")
def test_a_production_key_works_at_the_same_address(business: Business, live_business: Business, both: Twins) -> None:
    """It reads the balance, as the sandbox's does; a key that nothing was done with may be no key."""
    control = business.get_finance()
    given(control, said("is a balance", no_balance(control)))
    finance = live_business.get_finance()
    if not finance.ok:
        given(both.live)
    expect(finance, success(), said("is a balance", no_balance(finance)))


@requirement("BUS-ENV-02")
def test_a_sandbox_charge_is_not_found_in_production(live_business: Business, both: Twins) -> None:
    """As if there were none of that id."""
    expect(live_business.get_charge(foreign_id(live_business, given(both.sandbox, has("id")))), status(404))


@requirement("BUS-ENV-03")
def test_a_production_charge_is_not_found_in_the_sandbox(business: Business, both: Twins) -> None:
    """As if there were none of that id; neither while it is pending nor once it is canceled."""
    number = foreign_id(business, both.live)
    expect(both.seen, status(404))
    expect(business.get_charge(number), status(404))


@requirement("BUS-ENV-02")
@pytest.mark.parametrize("make", [a_paid, a_canceled], ids=["paid", "canceled"])
def test_a_sandbox_charge_that_is_done_with_is_not_found_in_production(
    business: Business, live_business: Business, both: Twins, make: Callable[..., Exchange]
) -> None:
    """As if there were none of that id: neither to query nor to cancel."""
    given(both.live)
    number = foreign_id(live_business, make(business))
    expect(live_business.get_charge(number), status(404))
    expect(live_business.cancel_charge(number), status(404))


@requirement("BUS-ENV-02")
def test_a_key_used_in_the_sandbox_does_not_hand_out_its_charge(both: Twins) -> None:
    """With the same body; a charge of its own is as right as a refusal."""
    given(both.sandbox, has("id"), has("qr_code"))
    same = all(both.shared.at(name) == both.sandbox.at(name) for name in ("id", "qr_code"))
    expect(decided(both.shared), said("is not the sandbox's", "it is the charge of the sandbox" if same else None))


@requirement("BUS-ENV-02")
def test_a_sandbox_charge_is_not_canceled_with_a_production_key(
    business: Business, live_business: Business, both: Twins
) -> None:
    """As if there were none of that id."""
    given(both.live)
    expect(live_business.cancel_charge(foreign_id(live_business, a_pending(business))), status(404))


@requirement("BUS-ENV-03")
@pytest.mark.parametrize("ask", [Business.cancel_charge, Business.pay_charge], ids=["cancel", "pay"])
def test_a_production_charge_is_not_changed_with_a_sandbox_key(
    business: Business, both: Twins, ask: Callable[[Business, str], Exchange]
) -> None:
    """As if there were none of that id; it is canceled already, which is not told either."""
    expect(ask(business, foreign_id(business, both.live)), status(404))


@requirement("BUS-CHG-56", "BUS-CHG-58", "BUS-STATE-01", "BUS-CHG-34", "BUS-QR-03", "BUS-QR-04")
def test_a_production_charge_is_what_was_asked_for(both: Twins) -> None:
    """A charge like those of the sandbox."""
    charge = given(both.live)
    expect(charge, field("amount_cents", 1), of="BUS-CHG-56")
    expect(charge, field("external_ref", json.loads(charge.request.body)["external_ref"]), of="BUS-CHG-58")
    expect(charge, field("status", "pending"), of="BUS-STATE-01")
    expect(charge, said("it lives 3600 seconds", life_off(charge, 3600, charge.elapsed_ms / 1000)), of="BUS-CHG-34")
    expect(*judged([charge], "qr_code ends in a CRC", emv.ends_in_crc), of="BUS-QR-03")
    expect(*judged([charge], "the CRC is right", emv.RULES["crc"]), of="BUS-QR-04")


@requirement("BUS-CAN-01")
def test_a_production_charge_is_canceled(live_business: Business, both: Twins) -> None:
    """Payments are the sandbox's, cancels are not; one that is paid all the same is not canceled."""
    given(both.live)
    given(both.after, field("status", "pending"))
    expect(both.cancel, success())
    expect(settled(live_business, both.live), field("status", "canceled"))


@requirement("BUS-ENV-04")
def test_the_production_list_holds_no_sandbox_charge(business: Business, live_business: Business, both: Twins) -> None:
    """It holds the production charge, and not the other; filtered by the status of both or not."""
    for chosen, other in ((None, both.sandbox), ("canceled", a_canceled(business))):
        foreign_id(live_business, other)
        listing = listing_with(live_business, both.live, chosen)
        expect(listing, said("holds production charges only", stranger(listing, both.live, other)))


@requirement("BUS-ENV-04")
def test_the_sandbox_list_holds_no_production_charge(business: Business, both: Twins) -> None:
    """It holds a new sandbox charge, and not the other, which is canceled; filtered or not."""
    foreign_id(business, both.live)
    own = a_canceled(business)
    for chosen in (None, "canceled"):
        listing = listing_with(business, own, chosen)
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
