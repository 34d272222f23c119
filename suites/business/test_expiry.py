"""Charges near their expires_at and past it."""

from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

LIFETIMES_S = tuple(SHORTEST_LIFETIME_S * times for times in (1, 1, 4, 16))
"""However slow a run is, a charge of one of these lifetimes is near its end when it is to be."""
LIFETIMES_OF_QUERIED_S = tuple(SHORTEST_LIFETIME_S + more for more in (0, 20, 60))
CANCELED_FROM_S, CANCELED_APART_MS = -0.06, 20
"""When the first of several charges is canceled, seconds from its expires_at, and how long after it each other one."""
PAID_APART_MS = 60
"""How long after the payment of one of several charges that of the next one is sent."""
QUERIED, QUERIED_AFTER_MS = 2, 85
"""How many of them are queried, and how long after its payment: the first payment comes 60 ms before expires_at."""
QUERIED_AT_S = SHORTEST_LIFETIME_S - 10
"""Lifetimes of charges that are queried before their end and after it, and their age at the first query."""


@requirement("BUS-PAY-01", "BUS-PAY-26", "BUS-CAN-01", "BUS-CAN-16")
@deferred(QUERIED_AT_S, timely=True)
def test_a_charge_is_paid_or_canceled_until_its_expires_at(business: Business, clock: Clock) -> Iterator[None]:
    """Shortly before their expires_at a charge can be paid, and another one canceled, as new ones."""
    charges = create_charges_with_lifetimes(business, clock, LIFETIMES_S)
    yield
    business.sender.account_lock.hold(business.api)
    changed, answers = list[ExpiringCharge](), list[Exchange]()
    for change in (business.pay_charge, business.cancel_charge):
        if (charge := closest_to_expiry(charges, clock)) is None:
            raise Inconclusive("every charge has expired that was to be changed before")
        charges.remove(charge)
        changed.append(charge)
        answers.append(require_unexpired(charge, clock, change(charge.id)))
    queries = [poll_until_not_pending(business, charge.creation) for charge in changed]
    expect(answers[0], success(), of="BUS-PAY-01")
    expect(queries[0], field("status", "paid"), of="BUS-PAY-26")
    expect(answers[1], success(), of="BUS-CAN-01")
    expect(queries[1], field("status", "canceled"), of="BUS-CAN-16")


@requirement("BUS-EXP-01")
@deferred(EXPIRED_AFTER_S, timely=True)
def test_the_first_query_after_expires_at_shows_the_charge_as_expired(business: Business) -> Iterator[None]:
    """GET /v1/business/pix-charges/{id} after expires_at shows a charge as expired that no request has named before."""
    charge = create_expiring_charge(business)
    yield
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    expect(query, field("status", "expired"))


@requirement("BUS-EXP-03", "BUS-EXP-01")
@deferred(EXPIRED_AFTER_S + 1, between=QUERIED_AT_S, timely=True)
def test_a_query_before_expires_at_does_not_make_a_charge_live_longer(
    business: Business, clock: Clock
) -> Iterator[None]:
    """A charge is pending in a query shortly before its expires_at, and expired in the next one after it."""
    charges = create_charges_with_lifetimes(business, clock, LIFETIMES_OF_QUERIED_S)
    yield
    if (charge := closest_to_expiry(charges, clock)) is None:
        raise NotApplicable("every charge had expired, or was about to")
    query = precondition(business.get_charge(charge.id), has("status", "string"))
    expect(require_unexpired(charge, clock, query), field("status", "pending"), of="BUS-EXP-03")
    yield
    clock.wait_until_aged(charge.expires, 2 * ROUNDING_S)
    query = precondition(business.get_charge(charge.id), has("status", "string"))
    expect(query, field("status", "expired"), of="BUS-EXP-01")


@requirement("BUS-EXP-06", "BUS-EXP-07", "BUS-PAY-07")
@deferred(EXPIRED_AFTER_S + 1, between=EXPIRED_AFTER_S, timely=True)
def test_a_payment_after_expires_at_captures_nothing(
    business: Business, payment_after_expiries: PaymentWhenAsked, ledger_with_unpaid_charge: Shown, observe: Observer
) -> Iterator[None]:
    """POST /v1/business/pix-charges/{id}/pay after expires_at leaves the charge expired, and nothing is captured.

    How the payment itself is answered is open.
    """
    cents = fresh_amount(business)
    charge = create_expiring_charge(business, amount_cents=cents)
    yield
    before = precondition(business.get_finance())
    answer = require_decision(business.pay_charge(id_of(charge)))
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    after = precondition(business.get_finance())
    yield
    observe("BUS-PAY-07", f"paying a charge past its expires_at: {describe_status(answer)}", answer.status, answer)
    expect(precondition(query, not_field("status", "paid")), field("status", "expired"), of="BUS-EXP-06")
    expect(after, balance_unmoved_by(cents, before), of="BUS-EXP-07")
    paid = payment_after_expiries.shown
    expect(paid[0], captures_nothing(cents, before, paid, ledger_with_unpaid_charge), of="BUS-EXP-07")


@requirement("BUS-EXP-02")
@deferred(FIRST_AFTER_EXPIRY_S, timely=True)
def test_a_payment_after_expires_at_does_not_make_a_charge_paid(seldom_listed: Business, run: Run) -> Iterator[None]:
    """POST /v1/business/pix-charges/{id}/pay, the first request after expires_at, does not make the charge paid."""
    charge = create_expiring_charge(seldom_listed)
    allow_lists = keep_unlisted(seldom_listed, charge)
    yield
    detected = could_have_detected(run, charge)
    require_decision(seldom_listed.pay_charge(id_of(charge)))
    allow_lists()
    query = precondition(seldom_listed.get_charge(id_of(charge)), has("status", "string"))
    if detected and query.at("status") != "paid":
        raise NotApplicable(detected)
    expect(query, not_field("status", "paid"))


def around_expiry_ms(expiries: Sequence[float], apart_ms: int) -> list[int]:
    """Return the milliseconds after the first of some requests, each so much later after its charge's expires_at.

    The charges were created one after the other, so that on a slow target they expire one after the other too.
    """
    return [round((expires - expiries[0]) * 1000) + place * apart_ms for place, expires in enumerate(expiries)]


@requirement("BUS-STATE-04")
@deferred(EXPIRED_AFTER_S + 1, between=SHORTEST_LIFETIME_S - 4, timely=True)
@pytest.mark.concurrent
def test_a_charge_whose_cancel_succeeds_at_its_expires_at_does_not_expire(
    business: Business, clock: Clock
) -> Iterator[None]:
    """Of four charges canceled 20 ms apart around their expires_at, those whose cancel returned a 2xx stay canceled."""
    charges = create_charges_with_lifetimes(business, clock, [SHORTEST_LIFETIME_S] * 4)
    yield
    clock.wait_until_aged(charges[0].expires, CANCELED_FROM_S)
    cancels = [partial(business.cancel_charge, charge.id) for charge in charges]
    answers = send_concurrently(
        *cancels, after_ms=around_expiry_ms([charge.expires for charge in charges], CANCELED_APART_MS)
    )
    yield
    clock.wait_until_aged(charges[-1].expires, 2 * ROUNDING_S)
    canceled = [charge for charge, answer in zip(charges, answers, strict=True) if answer.ok]
    if not canceled:
        raise NotApplicable("every cancel was refused: the charges had expired")
    for charge in canceled:
        expect(precondition(business.get_charge(charge.id), has("status", "string")), field("status", "canceled"))


@requirement("BUS-STATE-03", "BUS-STATE-17")
@deferred(EXPIRED_AFTER_S + 1, between=SHORTEST_LIFETIME_S - 4, timely=True)
@pytest.mark.concurrent
def test_a_charge_that_is_paid_at_its_expires_at_is_paid_or_expired(
    business: Business, clock: Clock, ledger_with_unpaid_charge: Shown, first_payment: PaymentInLedger
) -> Iterator[None]:
    """Of charges paid 60 ms apart around their expires_at, those shown as paid stay so, the others are not captured.

    Two of them are queried meanwhile, once the payment may be in progress.
    """
    charges = create_charges_with_lifetimes(business, clock, [SHORTEST_LIFETIME_S] * 4)
    yield
    before = precondition(business.get_finance())
    clock.wait_until_aged(charges[0].expires, CANCELED_FROM_S)
    pays = [partial(business.pay_charge, charge.id) for charge in charges]
    asked = [partial(business.get_charge, charge.id) for charge in charges[:QUERIED]]
    pays_ms = around_expiry_ms([charge.expires for charge in charges], PAID_APART_MS)
    queries_ms = [pause_ms + QUERIED_AFTER_MS for pause_ms in pays_ms[: len(asked)]]
    answers = send_concurrently(*pays, *asked, after_ms=[*pays_ms, *queries_ms])[: len(pays)]
    yield
    clock.wait_until_aged(charges[-1].expires, 2 * ROUNDING_S)
    finance = precondition(business.get_finance())
    queries = [precondition(business.get_charge(charge.id), has("status", "string")) for charge in charges]
    in_time = [
        query for answer, query in zip(answers, queries, strict=True) if answer.ok and answer.at("status") == "paid"
    ]
    expired = [query for query in queries if query.at("status") == "expired"]
    for query in in_time:
        expect(query, field("status", "paid"), of="BUS-STATE-03")
    for query in expired:
        controls = (first_payment.shown, ledger_with_unpaid_charge)
        expect(finance, captures_nothing(int(query.at("amount_cents")), before, *controls), of="BUS-STATE-17")
    if not in_time or not expired:
        raise NotApplicable("all of the payments were in time, or none was shown as such")
