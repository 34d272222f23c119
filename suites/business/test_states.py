"""States that a charge does not leave, and what is captured of it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fixtures.business import *
from fixtures.late_effects import wait_for_late_effects
from fixtures.optional_fixtures import available
from pix_conformance.testing import *
from pix_conformance.testing.business import *


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
def late_payment(business: Business, posted_payment: PaymentInLedger, kept_ledger: Exchange) -> LatePayment:
    """Pay the charge of the run's first payment again, 3 s after that was posted or later."""
    precondition(kept_ledger)
    earlier = ledgers_since(business, posted_payment.before)
    return LatePayment(earlier, business.pay_charge(id_of(posted_payment.charge)))


@dataclass(frozen=True)
class PaymentOfCanceled:
    """A payment of a canceled charge, the query after it, and the ledgers before the charge and after the payment."""

    cents: int
    before: Exchange
    answer: Exchange
    query: Exchange
    after: Exchange


@pytest.fixture(scope="session")
def payment_of_canceled(business: Business) -> PaymentOfCanceled:
    """Pay a canceled charge of a fresh amount."""
    cents, before = fresh_amount(business), precondition(business.get_finance())
    charge = create_canceled_charge(business, amount_cents=cents)
    answer = business.pay_charge(id_of(charge))
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    return PaymentOfCanceled(cents, before, answer, query, precondition(business.get_finance()))


@pytest.fixture(scope="session")
def payment_after_others(request: pytest.FixtureRequest, business: Business) -> Shown:
    """A charge that is paid once, after second payments, at once and late, and that of a canceled one: a control."""
    available(request, "second_payment", "late_payment", "payment_of_canceled")
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
    business: Business, second_payment: SecondPayment, payment_after_others: Shown
) -> None:
    """A charge that is paid twice leaves as many postings of each kind as one that is paid once."""
    cents, paid = int(second_payment.before.at("amount_cents")), payment_after_others
    expect(ledger_of_equal_payments(business, cents, paid), captured_once(cents, paid))


@requirement("BUS-STATE-08")
def test_a_late_second_payment_captures_nothing_more(
    posted_payment: PaymentInLedger, late_payment: LatePayment, payment_after_others: Shown
) -> None:
    """A charge that is paid again 3 s after its payment was posted, or later, is posted no more often than before."""
    require_decision(late_payment.answer)
    finance, control = payment_after_others
    if not is_met(shows_posting(control), finance):
        raise NotApplicable(f"effect unseen: a payment leaves no posting of its amount at once ({finance.evidence})")
    most = max(contents_of(*posted_payment.shown).values(), default=1)
    expect(finance, shows_no_more_captures(posted_payment.cents, most, late_payment.earlier))


@requirement("BUS-STATE-08")
def test_a_second_payment_is_not_credited(paid_twice: PaidTwice) -> None:
    """If a payment raises available_cents at once, a second payment of the same charge raises it no more."""
    for answer in paid_twice.answers:
        require_decision(answer)
    first, twice, last = paid_twice.payments
    expect(twice.after, credited_once(paid_twice.cents, twice.before, first.balances, last.balances))


@deferred(AT_THE_END)
@requirement("BUS-STATE-03", "BUS-STATE-15", "BUS-PAY-11")
def test_a_cancel_of_a_paid_charge_takes_nothing_back(business: Business, paid_twice: PaidTwice) -> Iterator[None]:
    """A paid charge stays paid after a cancel, keeps its e2e_id, and the balance does not fall by its amount."""
    cents, charge, before = paid_twice.cents, paid_twice.last.charge, precondition(business.get_finance())
    answer = require_decision(business.cancel_charge(id_of(charge)))
    query = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    after = ledger_after_change(business, cents, before)
    paid = control_of_fall(business, cents, before, after)
    yield
    wait_for_late_effects(business.sender.waits, answer)
    last = precondition(business.get_charge(id_of(charge)), has("status", "string"))
    for shown_then in (query, last):
        expect(shown_then, field("status", "paid"), of="BUS-STATE-03")
    expect(after, takes_nothing_back(cents, before, paid), of="BUS-STATE-15")
    expect(query, has("e2e_id"), of="BUS-PAY-11")


@deferred(AT_THE_END)
@requirement("BUS-STATE-04", "BUS-PAY-06")
def test_a_payment_leaves_a_canceled_charge_canceled(
    business: Business, payment_of_canceled: PaymentOfCanceled, observe: Observer
) -> Iterator[None]:
    """A canceled charge for which a payment is sent stays canceled."""
    answer, query = payment_of_canceled.answer, payment_of_canceled.query
    observe("BUS-PAY-06", f"paying a canceled charge: {describe_status(answer)}", answer.status, answer)
    require_decision(answer)
    yield
    wait_for_late_effects(business.sender.waits, answer)
    last = precondition(business.get_charge(id_of(query)), has("status", "string"))
    for shown_then in (query, last):
        expect(shown_then, field("status", "canceled"), of="BUS-STATE-04")


@requirement("BUS-STATE-16")
def test_a_payment_of_a_canceled_charge_captures_nothing(
    payment_of_canceled: PaymentOfCanceled, payment_after_others: Shown, ledger_with_unpaid_charge: Shown
) -> None:
    """After a payment was sent for a canceled charge the balance is as before, and nothing is posted."""
    require_decision(payment_of_canceled.answer)
    cents, before = payment_of_canceled.cents, payment_of_canceled.before
    expect(payment_of_canceled.after, balance_unmoved_by(cents, before))
    expect(payment_after_others[0], captures_nothing(cents, before, payment_after_others, ledger_with_unpaid_charge))


@deferred(EXPIRED_AFTER_S)
@requirement("BUS-STATE-03", "BUS-STATE-04")
def test_a_paid_or_canceled_charge_does_not_expire(business: Business) -> Iterator[None]:
    """A paid or canceled charge keeps its status past its expires_at, after every request that may detect an expiry."""
    paid = id_of(create_paid_charge(business, expires_in_seconds=SHORTEST_LIFETIME_S))
    canceled = id_of(create_canceled_charge(business, expires_in_seconds=SHORTEST_LIFETIME_S))
    yield
    charges = (paid, canceled)
    answers = [change(charge) for charge in charges for change in (business.pay_charge, business.cancel_charge)]
    for answer in (*answers, business.list_charges()):
        require_decision(answer)
    last = [precondition(business.get_charge(charge)) for charge in charges]
    expect(last[0], field("status", "paid"), of="BUS-STATE-03")
    expect(last[1], field("status", "canceled"), of="BUS-STATE-04")


@requirement("BUS-STATE-05", "BUS-STATE-17", "BUS-PAY-07")
@deferred(EXPIRED_AFTER_S + 1, between=EXPIRED_AFTER_S)
def test_a_payment_leaves_an_expired_charge_expired(
    business: Business,
    payment_of_expired: PaymentOfExpired,
    payment_after_expiries: PaymentWhenAsked,
    ledger_with_unpaid_charge: Shown,
    observe: Observer,
) -> Iterator[None]:
    """A charge that a query shows as expired stays expired when a payment is sent, and nothing is captured."""
    cents = int(payment_of_expired.creation.at("amount_cents"))
    yield
    before, answer, query = payment_of_expired.before, payment_of_expired.answer, payment_of_expired.query
    after = precondition(business.get_finance())
    yield
    observe("BUS-PAY-07", f"paying a charge shown as expired: {describe_status(answer)}", answer.status, answer)
    expect(query, field("status", "expired"), of="BUS-STATE-05")
    expect(after, balance_unmoved_by(cents, before), of="BUS-STATE-17")
    paid = payment_after_expiries.shown
    expect(paid[0], captures_nothing(cents, before, paid, ledger_with_unpaid_charge), of="BUS-STATE-17")


@requirement("BUS-STATE-05")
@deferred(EXPIRED_AFTER_S)
def test_a_cancel_leaves_an_expired_charge_expired(cancel_of_expired: ChangeOfExpired) -> Iterator[None]:
    """A charge that a query shows as expired is still expired after POST /v1/business/pix-charges/{id}/cancel."""
    yield
    expect(cancel_of_expired.query, field("status", "expired"))


@requirement("BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59", "BUS-CHG-66")
@deferred(EXPIRED_AFTER_S)
def test_an_expired_charge_shows_what_it_showed_before(short_lived: ShortLivedCharge) -> Iterator[None]:
    """The query that shows a charge as expired shows all its other fields as they were at its creation."""
    creation = short_lived.creation
    yield
    first = short_lived.expired
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
