"""Charges of 60 seconds, made when the run starts and looked at near or past their end (business.md, lines 73-83)."""

from __future__ import annotations

from functools import cache

import pytest

from fixtures.business.charges import OF_ECHO, field_difference, poll_until_not_pending
from fixtures.business.concurrency import decided
from fixtures.business.descriptions import describe_status
from fixtures.business.events import BusinessEvents
from fixtures.business.expiry import (
    CLOSE,
    EXPIRED_AFTER_S,
    NEARLY,
    ExpiringCharge,
    answered_before_expiry,
    charges_with_lifetimes,
    closest_to_expiry,
    expiring_charges,
    shown_expired,
)
from fixtures.business.ledger import capture_of_unpaid
from pix_conformance.checks.business.event_history import CANCELED, PAID
from pix_conformance.checks.events import UnexpectedEvent
from pix_conformance.checks.matchers import computed, field, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.events import event_of, mentions
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api

MOVES = {"pay": "BUS-PAY-01", "cancel": "BUS-CAN-01"}
NAMES = ("queried", "paid", "late", "canceled", "pay", "cancel", "look", "booked")
OPERATIONS = {"pay": "pay_charge", "cancel": "cancel_charge", "look": "get_charge"}


@prepare("business")
def growing_old(business: Business) -> dict[str, list[ExpiringCharge]]:
    """Charges of which one is near its end when the ordinary tests are through, for each thing that is done then."""
    return {name: charges_with_lifetimes(business) for name in ("pay", "cancel")}


@prepare("business", timely=True)
def dying(business: Business) -> dict[str, ExpiringCharge]:
    """Charges of 60 seconds, one for each thing that is done to an expired one."""
    return expiring_charges(business, *NAMES)


@requirement("BUS-EXP-03")
@deferred(NEARLY)
@pytest.mark.parametrize(
    ("move", "status"),
    [
        pytest.param(move, status, marks=requirement(MOVES[move]))
        for move, status in (("pay", "paid"), ("cancel", "canceled"))
    ],
)
def test_a_charge_is_alive_until_its_time_has_passed(business: Business, move: str, status: str) -> None:
    """Asked of the charge that is nearest to its end and surely lives: it is pending, and moves as a new one."""
    charge = closest_to_expiry(growing_old.after_age(NEARLY)[move])
    query = answered_before_expiry(charge, precondition(business.get_charge(charge.id), has("status", "string")))
    expect(query, field("status", "pending"), of="BUS-EXP-03")
    expect(answered_before_expiry(charge, getattr(business, OPERATIONS[move])(charge.id)), success(), of=MOVES[move])
    expect(poll_until_not_pending(business, charge.creation), field("status", status), of=MOVES[move])


@requirement("BUS-EXP-01")
@deferred(EXPIRED_AFTER_S)
def test_the_first_query_after_the_end_shows_it_expired(business: Business) -> None:
    """Nobody has asked for this charge since it was created."""
    charge = dying.after_age(EXPIRED_AFTER_S)["queried"]
    expect(precondition(business.get_charge(charge.id), has("status", "string")), field("status", "expired"))


@prepare("business")
def watched(business: Business) -> ExpiringCharge:
    """A charge that is asked for in its life: that gives it no longer one."""
    return ExpiringCharge(business)


@cache
def seen_alive(business: Business) -> Exchange:
    """Ask for it shortly before its end, once in a run."""
    return precondition(business.get_charge(watched.after_age(NEARLY).id), has("status", "string"))


@requirement("BUS-EXP-03")
@deferred(NEARLY)
def test_a_charge_is_asked_for_in_its_life(business: Business) -> None:
    """A run that took longer has missed it."""
    left = watched.after_age(NEARLY).seconds_left
    if left < CLOSE:
        raise not_applicable(f"the charge had {left:.0f} s left to live")
    expect(answered_before_expiry(watched.after_age(NEARLY), seen_alive(business)), field("status", "pending"))


@requirement("BUS-EXP-01")
@deferred(EXPIRED_AFTER_S)
def test_a_charge_that_was_asked_for_in_its_life_expires(business: Business) -> None:
    """Polling is how its end is awaited, so that a query does not move it."""
    if seen_alive(business).at("status") != "pending":
        raise not_applicable("the charge was not seen pending shortly before its end")
    expect(
        precondition(business.get_charge(watched.after_age(EXPIRED_AFTER_S).id), has("status", "string")),
        field("status", "expired"),
    )


@requirement("BUS-EXP-02", "BUS-PAY-07")
@deferred(EXPIRED_AFTER_S)
def test_a_payment_after_the_end_does_not_make_it_paid(business: Business, observe: Observer) -> None:
    """The attempt is the first that is heard of the charge; how it is answered is open."""
    charge = dying.after_age(EXPIRED_AFTER_S)["paid"]
    before = precondition(business.get_finance())
    answer = decided(business.pay_charge(charge.id))
    observe("BUS-PAY-07", f"paying a charge past its end: {describe_status(answer)}", answer.status, answer)
    expect(
        precondition(business.get_charge(charge.id), has("status", "string")),
        field("status", "expired"),
        of="BUS-EXP-02",
    )
    finance, problem = capture_of_unpaid(business, charge.amount, before)
    expect(finance, computed("nothing was captured", problem), of="BUS-EXP-02")


@requirement("BUS-CAN-06")
@deferred(EXPIRED_AFTER_S)
def test_canceling_after_a_late_payment_was_refused(business: Business) -> None:
    """The attempt detected the expiry, though nobody has queried the charge; the control is a cancel in its life."""
    charge = dying.after_age(EXPIRED_AFTER_S)["late"]
    if decided(business.pay_charge(charge.id)).ok:
        raise not_applicable("a payment past the end was not refused")
    expect(business.cancel_charge(charge.id), status(409))


@requirement("BUS-CAN-07")
@deferred(EXPIRED_AFTER_S)
def test_canceling_after_an_end_that_nobody_noticed(business: Business, observe: Observer) -> None:
    """A cancel is not named among what detects an expiry."""
    charge = dying.after_age(EXPIRED_AFTER_S)["canceled"]
    answer = business.cancel_charge(charge.id)
    after = business.get_charge(charge.id)
    words = f"canceling a charge past its end: {describe_status(answer)}; afterwards it is {after.at('status')}"
    observe("BUS-CAN-07", words, {"status": answer.status, "then": str(after.at("status"))}, answer, after)


@cache
def tried(business: Business, move: str) -> tuple[ExpiringCharge, Exchange]:
    """Do something with a charge that a query has shown expired, once in a run; return it and the answer."""
    charge = shown_expired(business, dying.after_age(EXPIRED_AFTER_S)[move])
    return charge, getattr(business, OPERATIONS[move])(charge.id)


@requirement("BUS-STATE-05")
@deferred(EXPIRED_AFTER_S)
@pytest.mark.parametrize("move", OPERATIONS)
def test_a_charge_found_expired_stays_expired(business: Business, move: str) -> None:
    """Whether it is paid, canceled or looked at."""
    charge, answer = tried(business, move)
    decided(answer)
    expect(precondition(business.get_charge(charge.id), has("status", "string")), field("status", "expired"))


@requirement("BUS-EVT-19")
@deferred(EXPIRED_AFTER_S)
@pytest.mark.parametrize(("move", "event"), [("pay", PAID), ("cancel", CANCELED)])
def test_what_is_refused_after_the_end_sends_no_event(business_events: BusinessEvents, move: str, event: str) -> None:
    """That a payment is refused then at all is not promised."""
    charge, answer = tried(business_events.business, move)
    if decided(answer).ok:
        raise not_applicable(f"{OPERATIONS[move]} of an expired charge was not refused")
    business_events.channel.expect_none_after(answer)
    business_events.channel.wait_quiet_period()
    label = str(charge.body["external_ref"])
    found = business_events.wait(lambda one: event_of(one, Api.BUSINESS) == event and mentions(one, label), 0)
    unwanted = UnexpectedEvent(answer, f"a {event} of an expired charge", lambda: next(iter(found), None))
    expect(*unwanted.check)


@requirement(*OF_ECHO.values(), "BUS-CHG-66")
@deferred(EXPIRED_AFTER_S)
def test_an_expired_charge_is_still_what_it_was(business: Business) -> None:
    """An expiry changes the state alone."""
    charge, query = tried(business, "look")
    precondition(query, field("status", "expired"))
    for name, one in OF_ECHO.items():
        expect(query, field(name, charge.body[name]), of=one)
    for name in ("qr_code", "provider", "expires_at"):
        same = computed(f"{name} is that of the creation", field_difference(charge.creation, query, name))
        expect(query, same, of="BUS-CHG-66")


@requirement("BUS-IDEM-01", "BUS-IDEM-03", "BUS-STATE-05")
@deferred(EXPIRED_AFTER_S)
def test_a_creation_repeated_after_the_end_names_the_first_charge(business: Business) -> None:
    """Its key is not free again, and is still answered; the charge is as expired as before."""
    charge, _ = tried(business, "look")
    again = decided(business.create_charge(charge.body, key=charge.key))
    expect(again, success(), of="BUS-IDEM-01")
    expect(again, field("id", charge.id), of="BUS-IDEM-03")
    expect(precondition(business.get_charge(charge.id)), field("status", "expired"), of="BUS-STATE-05")


@requirement("BUS-STATE-05")
@deferred(EXPIRED_AFTER_S)
def test_paying_a_charge_found_expired_captures_nothing(business: Business) -> None:
    """No posting of its amount appears of a kind that a payment leaves, nor did with the query that found it."""
    charge, before = dying.after_age(EXPIRED_AFTER_S)["booked"], precondition(business.get_finance())
    decided(business.pay_charge(shown_expired(business, charge).id))
    finance, problem = capture_of_unpaid(business, charge.amount, before)
    expect(finance, computed("nothing was captured", problem))
