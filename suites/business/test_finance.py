"""GET /v1/business/finance: the balance and the ledger."""

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@quick
@pytest.mark.generated
@requirement("BUS-FIN-01")
def test_the_finance_route_succeeds(business: Business) -> None:
    """Every generated GET /v1/business/finance returns a 2xx with at least one member of the balance."""
    for request in cases(Api.BUSINESS, "get_finance", "positive"):
        expect(send_generated(business, request), success(), is_a_balance())


@requirement("BUS-FIN-17")
def test_debits_equal_credits(first_payment: PaymentInLedger) -> None:
    """In each posting of a simulated payment the debit entries add up to as much as the credit entries."""
    precondition(first_payment.after, shows_posting(first_payment.cents))
    expect(first_payment.after, is_balanced(first_payment.cents))


@requirement("BUS-FIN-26")
def test_a_posting_is_dated_within_the_life_of_its_charge(posted_payment: PaymentInLedger) -> None:
    """The created_at of a payment's posting lies between the creation of the charge and the response that shows it."""
    expect(posted_payment.after, dates_postings_of(posted_payment.charge))


@quick
@requirement("BUS-FIN-19")
def test_a_payment_is_posted(business: Business) -> None:
    """The ledger shows a posting of the paid amount, also of one that loses a cent when it is divided by 100."""
    cents = brittle_amount(business)
    create_paid_charge(business, amount_cents=cents)
    expect(ledger_with_posting(business, cents), shows_posting(cents))


@requirement("BUS-FIN-19")
def test_a_large_payment_is_posted(business: Business, posted_payment: PaymentInLedger) -> None:
    """A payment of millions of reais is posted to the cent, if the service accepts it and posts payments at once."""
    precondition(posted_payment.after)
    cents, before = pay_large_charge(business)
    expect(ledger_at_last(business, cents, before), shows_new_posting(cents, before))


@requirement("BUS-FIN-24")
def test_a_posting_keeps_its_id_and_its_created_at(posted_payment: PaymentInLedger, kept_ledger: Exchange) -> None:
    """The posting of the run's first payment keeps its id and created_at for 3 s, while the ledger still shows it."""
    expect(kept_ledger, keeps_postings(posted_payment.cents, posted_payment.after))


@requirement("BUS-FIN-22")
@deferred(0)
def test_a_full_ledger_shows_the_latest_posting(
    business: Business, posted_payment: PaymentInLedger, overfull_ledger: OverfullLedger
) -> None:
    """A full ledger shows the next payment, and leaves out none while it shows fewer."""
    precondition(posted_payment.after)
    cents, before, finance = overfull_ledger.cents, overfull_ledger.before, overfull_ledger.after
    if not postings_of(finance, cents):
        finance = ledger_at_last(business, cents, before, BATCH_S)
    expect(finance, shows_posting(cents))
    expect(finance, leaves_out_none_while_there_is_room(before))


@requirement("BUS-FIN-08")
@deferred(0)
def test_a_full_ledger_shows_no_more_postings_than_it_may(
    posted_payment: PaymentInLedger, overfull_ledger: OverfullLedger
) -> None:
    """GET /v1/business/finance returns no more postings than it may after one payment more, and after another."""
    precondition(posted_payment.after)
    expect(overfull_ledger.before, shows_no_more_than_it_may())
    expect(overfull_ledger.after, shows_no_more_than_it_may())


@requirement("BUS-FIN-25")
@deferred(0)
def test_a_full_ledger_counts_a_payment_as_before(
    business: Business, credited_payment: PaymentInLedger, overfull_ledger: OverfullLedger
) -> None:
    """A payment raises available_cents by its amount also when the ledger is full, in one of two tries.

    Asked if the first payment of the run did. Other traffic may take money from the account.
    """
    precondition(credited_payment.after)
    cents, first = overfull_ledger.cents, overfull_ledger.balances
    is_risen = balance_delta(*first) >= cents
    second = first if is_risen else pay_between_balances(business, cents, business.pay_charge, AT_LAST_S).balances
    expect(second[1], raises_balance(cents, first, second))


@requirement("BUS-FIN-06")
def test_the_reserve_of_an_account_is_noted(business: Business, observe: Observer) -> None:
    """The reserve_cents of an account that may have no reserve is zero, null or absent."""
    finance = business.get_finance()
    reserve = finance.at("reserve_cents")
    observe("BUS-FIN-06", f"reserve_cents is {reserve!r}", None if reserve is MISSING else reserve, finance)


@requirement("BUS-FIN-20", "BUS-STATE-11")
def test_a_payment_is_not_credited_twice(first_payment: PaymentInLedger, observe: Observer) -> None:
    """A payment does not raise available_cents by twice its amount; by how much it does is noted."""
    payment, cents = first_payment, first_payment.cents
    expect(payment.after, credited_at_most_once(cents, payment.before), of="BUS-STATE-11")
    rise = balance_delta(*payment.balances)
    words = f"a payment of {cents} moved available_cents by {rise}: {describe_balance_delta(rise, cents)}"
    observe("BUS-FIN-20", words, {"paid": cents, "moved": rise}, *payment.balances)


@requirement("BUS-FIN-29")
def test_a_large_balance_is_kept_to_the_cent(business: Business, paid_twice: PaidTwice) -> None:
    """Three payments of one amount raise an available_cents above 16,777,216 by one amount.

    Other traffic may move the balance by a cent or two: a second amount has to show it too. A rise by an even number
    of cents, as one less fees may be, shows nothing: other amounts are tried, each one less than a multiple of four.
    """
    if not has_large_balance(paid_twice.first.before):
        raise NotApplicable("available_cents is not above 16,777,216, and no payment brings it there at once")
    unequal, paid = 0, paid_twice.payments
    for number in range(5):
        paid = pay_in_a_row(business, fresh_amount(business) | 3) if number else paid
        cents = paid[0].cents
        rises = [balance_delta(*payment.balances) or 0 for payment in paid]
        expected = is_raised_by_one_amount(int(paid[0].before.at("available_cents")), rises, [cents])
        unequal += len(set(rises)) > 1
        has_odd = any(rise % 2 for rise in rises)
        if unequal > 1 or not any(rises) or (has_odd and is_met(expected, paid[-1].after)):
            break
    expect(paid[-1].after, expected)


@requirement("BUS-FIN-27")
@deferred(0)
def test_further_pages_of_the_ledger_are_noted(
    business: Business, posted_payment: PaymentInLedger, overfull_ledger: OverfullLedger, observe: Observer
) -> None:
    """What GET of the balance with page=2 returns, on an account with more postings than it shows, is noted."""
    precondition(posted_payment.after)
    precondition(overfull_ledger.after)
    first, second = precondition(business.get_finance()), business.call("GET", "/v1/business/finance?page=2")
    what = describe_page(postings(first), postings(second) if second.ok else [])
    observe("BUS-FIN-27", f"the ledger with page=2: {second.status}, {what}", what, first, second)


@requirement("BUS-FIN-21")
def test_the_order_of_postings_is_noted(paid_twice: PaidTwice, observe: Observer) -> None:
    """The order of the postings by created_at is noted after three payments of one amount."""
    finance = paid_twice.last.after
    observe("BUS-FIN-21", f"the order of postings: {order_of(finance)}", order_of(finance), finance)
