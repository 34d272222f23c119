"""Sandbox and production share an address and nothing else (business.md, lines 12, 116-120, 139).

With the production key the suite reads, makes one charge of one cent, simulates its payment, and cancels it;
beside it sends what must be refused, or repeats it under its key.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fixtures.business.charges import (
    OF_ECHO,
    a_canceled,
    a_paid,
    a_pending,
    fill_list,
    id_of,
    lifetime_problem,
    no_balance,
    poll_until_not_pending,
    rows,
    shown_as,
)
from fixtures.business.concurrency import decided
from fixtures.business.events import BusinessEvents
from fixtures.business.ledger import payment_in_other_ledger
from fixtures.business.lists import holds, lacking, listing_with
from fixtures.business.postings import captured_in
from fixtures.business.production import (
    INVALID,
    SandboxAndProductionCharge,
    foreign_id,
    invalid,
    made_again,
    production_charge_of_sandbox_id,
    sandbox_and_production_charge,
)
from pix_conformance.checks.business.event_history import PAID
from pix_conformance.checks.business.qr_code import first_violation
from pix_conformance.checks.events import UnexpectedEvent, require_refusal
from pix_conformance.checks.matchers import computed, field, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.events import event_of, mentions
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import emv


@pytest.fixture(scope="module")
def both(business: Business, live_business: Business) -> SandboxAndProductionCharge:
    """Return a sandbox charge and the one production charge of the run."""
    return sandbox_and_production_charge(business, live_business)


@requirement("BUS-ENV-01")
def test_a_production_key_works_at_the_same_address(
    business: Business, live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """It reads the balance, as the sandbox's does; a key that nothing was done with may be no key."""
    control = business.get_finance()
    precondition(control, computed("is a balance", no_balance(control)))
    finance = live_business.get_finance()
    if not finance.ok:
        precondition(both.live)
    expect(finance, success(), computed("is a balance", no_balance(finance)))


@requirement("BUS-ENV-02")
def test_a_sandbox_charge_is_not_found_in_production(live_business: Business, both: SandboxAndProductionCharge) -> None:
    """As if there were none of that id."""
    expect(live_business.get_charge(foreign_id(live_business, precondition(both.sandbox, has("id")))), status(404))


@requirement("BUS-ENV-03")
def test_a_production_charge_is_not_found_in_the_sandbox(business: Business, both: SandboxAndProductionCharge) -> None:
    """As if there were none of that id; neither while it is pending nor once it is canceled."""
    number = foreign_id(business, both.live)
    expect(both.seen, status(404))
    expect(business.get_charge(number), status(404))


@requirement("BUS-ENV-02")
@pytest.mark.parametrize("make", [a_paid, a_canceled], ids=["paid", "canceled"])
def test_a_sandbox_charge_that_is_done_with_is_not_found_in_production(
    business: Business, live_business: Business, both: SandboxAndProductionCharge, make: Callable[..., Exchange]
) -> None:
    """As if there were none of that id: neither to query nor to cancel."""
    precondition(both.live)
    number = foreign_id(live_business, make(business))
    expect(live_business.get_charge(number), status(404))
    expect(live_business.cancel_charge(number), status(404))


@requirement("BUS-ENV-02")
def test_a_key_used_in_the_sandbox_does_not_hand_out_its_charge(both: SandboxAndProductionCharge) -> None:
    """With the same body; a charge of its own is as right as a refusal."""
    precondition(both.sandbox, has("id"), has("qr_code"))
    same = all(both.shared.at(name) == both.sandbox.at(name) for name in ("id", "qr_code"))
    expect(decided(both.shared), computed("is not the sandbox's", "it is the charge of the sandbox" if same else None))


@requirement("BUS-ENV-02")
def test_a_sandbox_charge_is_not_canceled_with_a_production_key(
    business: Business, live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """As if there were none of that id."""
    precondition(both.live)
    expect(live_business.cancel_charge(foreign_id(live_business, a_pending(business))), status(404))


@requirement("BUS-ENV-03")
@pytest.mark.parametrize("ask", [Business.cancel_charge, Business.pay_charge], ids=["cancel", "pay"])
def test_a_production_charge_is_not_changed_with_a_sandbox_key(
    business: Business, both: SandboxAndProductionCharge, ask: Callable[[Business, str], Exchange]
) -> None:
    """As if there were none of that id; it is canceled already, which is not told either."""
    expect(ask(business, foreign_id(business, both.live)), status(404))


@requirement(*OF_ECHO.values(), "BUS-STATE-01", "BUS-CHG-34", "BUS-QR-03", "BUS-QR-04")
def test_a_production_charge_is_what_was_asked_for(both: SandboxAndProductionCharge) -> None:
    """A charge like those of the sandbox."""
    charge = precondition(both.live)
    for name, one in OF_ECHO.items():
        expect(charge, field(name, json.loads(charge.request.body)[name]), of=one)
    expect(charge, field("status", "pending"), of="BUS-STATE-01")
    expect(
        charge,
        computed("it lives 3600 seconds", lifetime_problem(charge, 3600, charge.elapsed_ms / 1000)),
        of="BUS-CHG-34",
    )
    expect(*first_violation([charge], "qr_code ends in a CRC", emv.ends_in_crc), of="BUS-QR-03")
    expect(*first_violation([charge], "the CRC is right", emv.RULES["crc"]), of="BUS-QR-04")


@requirement("BUS-CAN-01")
def test_a_production_charge_is_canceled(live_business: Business, both: SandboxAndProductionCharge) -> None:
    """Payments are the sandbox's, cancels are not; one that is paid all the same is not canceled."""
    precondition(both.live)
    precondition(both.after, field("status", "pending"))
    expect(both.cancel, success())
    expect(poll_until_not_pending(live_business, both.live), field("status", "canceled"))


@requirement(*INVALID)
def test_an_invalid_production_charge_is_refused(business: Business, live_business: Business) -> None:
    """An amount of nothing and a description that is too long, where a valid charge is made."""
    precondition(sandbox_and_production_charge(business, live_business).live)
    for one, answer in invalid(live_business).items():
        expect(answer, status(422), of=one)


@requirement("BUS-IDEM-03", "BUS-IDEM-04")
def test_a_key_of_production_stands_for_one_charge(live_business: Business, both: SandboxAndProductionCharge) -> None:
    """Repeated it names that charge, and another body under it is refused."""
    number = id_of(both.live)
    expect(precondition(made_again(live_business, both), has("id")), field("id", number), of="BUS-IDEM-03")
    expect(made_again(live_business, both, description="Three tickets"), status(409), of="BUS-IDEM-04")


@requirement("BUS-PAY-09", "BUS-CAN-05")
def test_a_canceled_production_charge_is_neither_paid_nor_canceled(
    live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """The simulation is none of production's whatever the state; a second cancel conflicts."""
    number = id_of(shown_as(live_business, both.live, "canceled"))
    expect(live_business.pay_charge(number), status(403), of="BUS-PAY-09")
    expect(live_business.cancel_charge(number), status(409), of="BUS-CAN-05")


@requirement("BUS-LIST-02")
def test_a_filtered_production_list_leaves_out_what_was_never_paid(
    live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """The production charge, which the list without filter holds."""
    precondition(both.after, field("status", "pending"))
    number, whole = both.live.at("id"), listing_with(live_business, both.live)
    if not holds(whole, both.live):
        raise not_applicable("the production list does not show the charge")
    listing = precondition(live_business.list_charges("paid"))
    there = number in [row.get("id") for row in rows(listing)]
    expect(listing, computed("it holds what was paid", f"it holds {number}, which never was" if there else None))


@requirement("BUS-ENV-04")
def test_the_production_list_holds_no_sandbox_charge(
    business: Business, live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """It holds the production charge, and not the other; filtered by the status of both or not."""
    for chosen, other in ((None, both.sandbox), ("canceled", a_canceled(business))):
        foreign_id(live_business, other)
        listing = listing_with(live_business, both.live, chosen)
        expect(
            listing,
            computed("holds production charges only", production_charge_of_sandbox_id(listing, both.live, other)),
        )


@requirement("BUS-ENV-04")
def test_the_sandbox_list_holds_no_production_charge(business: Business, both: SandboxAndProductionCharge) -> None:
    """It holds a new sandbox charge, and not the other, which is canceled; filtered or not."""
    foreign_id(business, both.live)
    own = a_canceled(business)
    for chosen in (None, "canceled"):
        listing = listing_with(business, own, chosen)
        expect(
            listing, computed("holds sandbox charges only", production_charge_of_sandbox_id(listing, own, both.live))
        )


@requirement("BUS-ENV-04")
def test_the_sandbox_list_holds_no_pending_production_charge(
    business: Business, both: SandboxAndProductionCharge
) -> None:
    """It was asked for while both charges were pending, and holds the other one."""
    foreign_id(business, both.live)
    if not holds(precondition(both.listed), both.sandbox):
        raise not_applicable("the list does not show a new charge at once")
    expect(
        both.listed,
        computed("holds sandbox charges only", production_charge_of_sandbox_id(both.listed, both.sandbox, both.live)),
    )


@deferred(0)
@requirement("BUS-LIST-07")
def test_many_sandbox_charges_drive_none_out_of_the_production_list(
    business: Business, live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """It holds the production charge, unless it is as long as one of the sandbox, which has more than 200."""
    precondition(both.live)
    fill_list(business)
    whole, listing = business.list_charges(), listing_with(live_business, both.live)
    expect(listing, computed("the list holds it", lacking(listing, whole, both.live)))


@requirement("BUS-ENV-05")
def test_a_simulated_payment_leaves_no_trace_in_production(business: Business, live_business: Business) -> None:
    """By the time that the sandbox ledger shows it."""
    finance, problem = payment_in_other_ledger(business, live_business)
    expect(finance, computed("does not know the payment", problem))


@requirement("BUS-ENV-07")
def test_a_key_of_the_sandbox_in_production(both: SandboxAndProductionCharge, observe: Observer) -> None:
    """Fresh there, or spent."""
    precondition(both.sandbox, has("id"))
    same = "the sandbox charge" if both.shared.at("id") == both.sandbox.at("id") else "another charge or none"
    words = f"production answers a sandbox's key and body with {both.shared.status}: {same}"
    observe("BUS-ENV-07", words, {"status": both.shared.status, "what": same}, both.sandbox, both.shared)


@requirement("BUS-PAY-09")
def test_a_payment_is_not_simulated_in_production(business: Business, both: SandboxAndProductionCharge) -> None:
    """The route is the sandbox's, where it works."""
    precondition(both.live)
    a_paid(business)
    expect(both.pay, status(403))


@requirement("BUS-ENV-05")
def test_a_simulation_refused_in_production_captures_nothing(
    business: Business, live_business: Business, both: SandboxAndProductionCharge
) -> None:
    """Its ledger shows nothing new of that amount that a payment leaves in the sandbox's."""
    precondition(both.live)
    require_refusal(both.pay, 403)
    finance, problem = captured_in(live_business, business, int(both.live.at("amount_cents")), both.before)
    expect(finance, computed("nothing was captured", problem))


@deferred(0)
@requirement("BUS-EVT-19")
def test_a_simulation_refused_in_production_sends_no_event(
    business_events: BusinessEvents, both: SandboxAndProductionCharge
) -> None:
    """Neither its charge nor the sandbox's, which may have the same label, was paid."""
    require_refusal(both.pay, 403)
    label = str(both.made.at("external_ref"))
    business_events.channel.expect_none_after(both.pay)
    business_events.channel.wait_quiet_period()
    found = business_events.wait(lambda one: event_of(one, Api.BUSINESS) == PAID and mentions(one, label), 0)
    unwanted = UnexpectedEvent(both.pay, f"a {PAID} of a production charge", lambda: next(iter(found), None))
    expect(*unwanted.check)


@requirement("BUS-PAY-10")
def test_a_refused_simulation_leaves_the_charge_pending(both: SandboxAndProductionCharge) -> None:
    """Queried before the suite cancels it."""
    precondition(both.live)
    decided(both.pay)
    expect(precondition(both.after), field("status", "pending"))
