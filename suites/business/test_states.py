"""States that a charge does not leave, and what is captured of it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fixtures.business import *
from fixtures.late_effects import wait_for_late_effects
from fixtures.optional_fixtures import available
from pix_conformance.testing import *
from pix_conformance.testing.business import *

LATE_S = 3.0
"""Seconds after which a second payment is a late one: what a service keeps of the first for a moment is gone."""


@dataclass(frozen=True)
class SecondPayment:
    """The query that shows a charge as paid, the response to a second payment, and the query after that."""

    before: Exchange
    again: Exchange
    query: Exchange


@pytest.fixture(scope="session")
def second_payment(business: Business) -> SecondPayment:
    """Pay a charge of a fresh amount twice; Inconclusive if the first payment fails, or the second has no response."""
    before = create_paid_charge(business, amount_cents=fresh_amount(business))
    again = require_decision(business.pay_charge(id_of(before)))
    return SecondPayment(before, again, business.get_charge(id_of(before)))


@dataclass(frozen=True)
class LatePayment:
    """The ledgers until a late second payment of a charge, the first of them before the charge, and the response."""

    earlier: list[Exchange]
    answer: Exchange


@pytest.fixture(scope="session")
def late_payment(business: Business, clock: Clock, posted_payment: PaymentInLedger) -> LatePayment:
    """Pay the charge of the run's first payment again, 3 s after that was posted or later."""
    clock.wait_until_aged(clock.at(posted_payment.after.ended), LATE_S)
    precondition(business.get_finance())
    earlier = ledgers_since(business, posted_payment.before)
    return LatePayment(earlier, business.pay_charge(id_of(posted_payment.charge)))


@pytest.fixture(scope="session")
def control_of_second_payments(
    request: pytest.FixtureRequest, business: Business, second_payment: SecondPayment
) -> Shown:
    """A charge that is paid once, after the second payment of one charge and, if there is one, the late one."""
    precondition(second_payment.before)
    available(request, "late_payment")
    return pay_control(business)


@requirement("BUS-STATE-03", "BUS-STATE-13", "BUS-PAY-05")
def test_a_second_payment_leaves_a_charge_paid_with_its_e2e_id(
    second_payment: SecondPayment, observe: Observer
) -> None:
    """A paid charge that is paid again stays paid, and neither the response nor a query shows another e2e_id."""
    before, again, query = second_payment.before, second_payment.again, second_payment.query
    observe("BUS-PAY-05", f"paying a paid charge: {describe_status(again)}", again.status, again)
    expect(again, shows_no_other_payment_than(before), of="BUS-STATE-13")
    expect(precondition(query, has("status", "string")), field("status", "paid"), of="BUS-STATE-03")
    expect(query, field("e2e_id", before.at("e2e_id")), of="BUS-STATE-13")


@requirement("BUS-STATE-11")
def test_a_payment_is_captured_once(posted_payment: PaymentInLedger) -> None:
    """A charge that is paid once leaves no two postings that say the same."""
    expect(posted_payment.after, shows_no_posting_twice(posted_payment.cents))


@requirement("BUS-STATE-08")
def test_a_second_payment_captures_nothing_more(
    business: Business, second_payment: SecondPayment, control_of_second_payments: Shown
) -> None:
    """A charge that is paid twice leaves as many postings of each kind as one that is paid once."""
    cents, paid = int(second_payment.before.at("amount_cents")), control_of_second_payments
    expect(ledger_of_equal_payments(business, cents, paid), captured_once(cents, paid))


@requirement("BUS-STATE-08")
def test_a_late_second_payment_captures_nothing_more(
    posted_payment: PaymentInLedger, late_payment: LatePayment, control_of_second_payments: Shown
) -> None:
    """A charge that is paid again 3 s after its payment was posted, or later, is posted no more often than before."""
    require_decision(late_payment.answer)
    finance, control = control_of_second_payments
    if not is_met(shows_posting(control), finance):
        raise NotApplicable(f"effect unseen: a payment leaves no posting of its amount at once ({finance.evidence})")
    most = max(contents_of(*posted_payment.shown).values(), default=1)
    expect(finance, shows_no_more_captures(posted_payment.cents, most, late_payment.earlier))


@requirement("BUS-STATE-08")
def test_a_second_payment_is_not_credited(paid_twice: PaidTwice) -> None:
    """If a payment raises available_cents at once, a second payment of the same charge raises it no more."""
    first, twice, last = paid_twice.first, paid_twice.twice, paid_twice.last
    expect(twice.after, credited_once(paid_twice.cents, twice.before, first.balances, last.balances))


@deferred(AT_THE_END)
@requirement("BUS-STATE-03", "BUS-STATE-15", "BUS-PAY-11")
def test_a_cancel_of_a_paid_charge_takes_nothing_back(business: Business) -> Iterator[None]:
    """A paid charge stays paid after a cancel, keeps its e2e_id, and the balance does not fall by its amount."""
    cents = fresh_amount(business)
    charge, before = create_paid_charge(business, amount_cents=cents), precondition(business.get_finance())
    answer = require_decision(business.cancel_charge(id_of(charge)))
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    after = precondition(business.get_finance())
    paid = control_of_fall(business, cents, before, after)
    yield
    wait_for_late_effects(business.sender.waits, answer)
    last = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    for shown_then in (query, last):
        expect(shown_then, field("status", "paid"), of="BUS-STATE-03")
    expect(after, takes_nothing_back(cents, before, paid), of="BUS-STATE-15")
    expect(query, has("e2e_id"), of="BUS-PAY-11")


@deferred(AT_THE_END)
@requirement("BUS-STATE-04", "BUS-STATE-16", "BUS-PAY-06")
def test_a_payment_leaves_a_canceled_charge_canceled(
    business: Business, ledger_with_unpaid_charge: Shown, observe: Observer
) -> Iterator[None]:
    """A canceled charge for which a payment is sent stays canceled, and nothing is captured."""
    cents, before = fresh_amount(business), precondition(business.get_finance())
    charge = create_canceled_charge(business, amount_cents=cents)
    answer = business.pay_charge(id_of(charge))
    observe("BUS-PAY-06", f"paying a canceled charge: {describe_status(answer)}", answer.status, answer)
    require_decision(answer)
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    paid = pay_and_read_ledger(business)
    yield
    wait_for_late_effects(business.sender.waits, answer)
    last = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    for shown_then in (query, last):
        expect(shown_then, field("status", "canceled"), of="BUS-STATE-04")
    expect(paid.before, balance_unmoved_by(cents, before), of="BUS-STATE-16")
    unposted = captures_nothing(cents, before, paid.shown, ledger_with_unpaid_charge)
    expect(paid.after, unposted, of="BUS-STATE-16")


@deferred(EXPIRED_AFTER_S)
@pytest.mark.parametrize(
    "status",
    [
        pytest.param("paid", marks=requirement("BUS-STATE-03")),
        pytest.param("canceled", marks=requirement("BUS-STATE-04")),
    ],
)
def test_a_paid_or_canceled_charge_does_not_expire(business: Business, status: str) -> Iterator[None]:
    """A paid or canceled charge keeps its status past its expires_at, after every request that may detect an expiry."""
    create = create_paid_charge if status == "paid" else create_canceled_charge
    charge = id_of(create(business, expires_in_seconds=SHORTEST_LIFETIME_S))
    yield
    for answer in (
        business.pay_charge(charge),
        business.cancel_charge(charge),
        business.list_charges(),
        business.get_charge(charge),
    ):
        require_decision(answer)
    expect(precondition(business.get_charge(charge)), field("status", status))


@requirement("BUS-STATE-05", "BUS-STATE-17", "BUS-PAY-07")
@deferred(EXPIRED_AFTER_S)
def test_a_payment_leaves_an_expired_charge_expired(
    business: Business, payment_of_expired: ChangeOfExpired, ledger_with_unpaid_charge: Shown, observe: Observer
) -> Iterator[None]:
    """A charge that a query shows as expired stays expired when a payment is sent, and nothing is captured."""
    cents = int(payment_of_expired.creation.at("amount_cents"))
    yield
    before, answer = payment_of_expired.before, payment_of_expired.answer
    observe("BUS-PAY-07", f"paying a charge shown as expired: {describe_status(answer)}", answer.status, answer)
    expect(payment_of_expired.query, field("status", "expired"), of="BUS-STATE-05")
    paid = pay_and_read_ledger(business)
    expect(paid.before, balance_unmoved_by(cents, before), of="BUS-STATE-17")
    unposted = captures_nothing(cents, before, paid.shown, ledger_with_unpaid_charge)
    expect(paid.after, unposted, of="BUS-STATE-17")


@requirement("BUS-STATE-05")
@deferred(EXPIRED_AFTER_S)
def test_a_cancel_leaves_an_expired_charge_expired(cancel_of_expired: ChangeOfExpired) -> Iterator[None]:
    """A charge that a query shows as expired is still expired after POST /v1/business/pix-charges/{id}/cancel."""
    yield
    expect(cancel_of_expired.query, field("status", "expired"))


@requirement("BUS-STATE-05", "BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59", "BUS-CHG-66")
@deferred(EXPIRED_AFTER_S)
def test_an_expired_charge_shows_what_it_showed_before(
    business: Business, short_lived: ShortLivedCharge
) -> Iterator[None]:
    """A charge that was found expired is expired in each query, and all its other fields are as at its creation."""
    creation = short_lived.creation
    yield
    first = short_lived.expired
    second = precondition(business.get_charge(id_of(creation)), has("status", "string"))
    expect(second, field("status", "expired"), of="BUS-STATE-05")
    expect_as_sent(first, creation.request.json_object)
    expect(first, unchanged_since(creation, "qr_code", "provider", "expires_at"), of="BUS-CHG-66")


@requirement("BUS-STATE-05", "BUS-IDEM-14")
@deferred(EXPIRED_AFTER_S)
def test_a_creation_repeated_after_the_expiry_leaves_the_charge_expired(
    business: Business, clock: Clock, short_lived: ShortLivedCharge, observe: Observer
) -> Iterator[None]:
    """A charge stays expired when its creation is sent again; whether its key is still remembered is noted."""
    charge = short_lived.creation
    yield
    precondition(short_lived.expired)
    again = require_decision(business.create_charge(charge.request.json_object, key=key_of(charge.request)))
    known = "remembered" if again.at("id") == charge.at("id") else "not remembered"
    words = f"after {clock.now() - clock.at(charge.ended):.0f} s a key is {known}: {describe_status(again)}"
    observe("BUS-IDEM-14", words, known, charge, again)
    expect(precondition(business.get_charge(id_of(charge))), field("status", "expired"), of="BUS-STATE-05")
