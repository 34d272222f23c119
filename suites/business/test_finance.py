"""Balance and ledger (business.md, lines 45-63 and 122-124)."""

from __future__ import annotations

from functools import cache

import pytest

from fixtures.business.bodies import a_charge, fresh_ref
from fixtures.business.charges import a_minimal, a_paid, id_of, no_balance, shown_as
from fixtures.business.ledger import (
    AT_LAST_S,
    BATCH_S,
    FULL,
    balance_delta,
    brittle_amount,
    describe_balance_delta,
    duplicate_posting,
    fresh_amount,
    full_ledger,
    has_shown_postings,
    imbalance,
    ledger_at_last,
    ledger_once,
    missing_postings,
    order_of,
    plain_payment,
    posting_date_problem,
    postings,
    postings_of_amount,
    raised_by,
)
from fixtures.business.postings import altered, largely_paid, passed_over, posted_within, whole_amount
from pix_conformance.checks.matchers import computed, success
from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare_early
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING
from pix_conformance.model.vocabulary import Role

pytestmark = pytest.mark.usefixtures("business")


@requirement("BUS-FIN-01")
def test_the_finance_route_succeeds(business: Business) -> None:
    """With some member of its table; each of them is judged for itself."""
    finance = business.get_finance()
    expect(finance, success(), computed("is a balance", no_balance(finance)))


@prepare_early("business")
def posted(business: Business) -> tuple[Exchange, Exchange]:
    """Pay a charge while the ledger has room; return the query that shows it paid and the ledger with its postings."""
    charge, _, finance = plain_payment(business)
    return charge, finance


def posted_at_all() -> tuple[Exchange, Exchange]:
    """Return what was `posted`; NotApplicable where a payment is not posted at once and whole: another question."""
    try:
        return posted.value()
    except Inconclusive as why:
        raise not_applicable(str(why)) from None


@requirement("BUS-FIN-17")
def test_debits_equal_credits() -> None:
    """In every posting of a payment that the suite made."""
    charge, finance = posted.value()
    expect(finance, computed("debits equal credits", imbalance(finance, charge.at("amount_cents"))))


@requirement("BUS-FIN-26")
def test_a_posting_is_dated_within_the_life_of_its_charge() -> None:
    """The created_at of a posting, where it names its zone, lies between the charge's creation and the answer."""
    charge, finance = posted_at_all()
    expect(finance, computed("created_at is the time of the payment", posting_date_problem(charge, finance)))


@requirement("BUS-STATE-06")
def test_a_payment_is_captured_once() -> None:
    """Alone as well as under fire: no two postings of it say the same."""
    charge, finance = posted_at_all()
    expect(finance, computed("nothing is posted twice", duplicate_posting(finance, charge.at("amount_cents"))))


@requirement("BUS-FIN-19")
def test_a_payment_is_posted(business: Business) -> None:
    """Some posting has an entry of the amount, one that loses a cent on its way through binary reais."""
    amount = brittle_amount(business)
    a_paid(business, amount_cents=amount)
    finance = precondition(ledger_once(business, lambda one: bool(postings_of_amount(one, amount))))
    expect(
        finance,
        computed("the payment is posted", None if postings_of_amount(finance, amount) else "no posting has its amount"),
    )


@requirement("BUS-PAY-15")
@pytest.mark.parametrize("same", ["external_ref", "amount_cents"])
def test_a_payment_that_is_like_another_is_posted(business: Business, same: str) -> None:
    """A payment with the label or the amount of an earlier one is posted, if one made after it is."""
    posted_at_all()
    alike = {"external_ref": fresh_ref(), "amount_cents": fresh_amount(business)}
    first = a_charge(**{same: alike[same]})
    a_paid(business, **first)
    amount = first["amount_cents"] if same == "amount_cents" else fresh_amount(business)
    before = precondition(ledger_once(business, lambda one: bool(postings_of_amount(one, first["amount_cents"]))))
    a_paid(business, **a_charge(**{"amount_cents": amount, same: alike[same]}))
    finance, problem = passed_over(business, amount, before)
    expect(finance, computed("the payment is posted too", problem))


@requirement("BUS-PAY-15")
def test_a_payment_of_whole_reais_is_posted(business: Business) -> None:
    """A payment of whole reais is posted in cents, if one made after it is posted."""
    posted_at_all()
    amount, before = whole_amount(business), precondition(business.get_finance())
    a_paid(business, amount_cents=amount)
    finance, problem = passed_over(business, amount, before)
    expect(finance, computed("the payment is posted", problem))


@requirement("BUS-PAY-15")
def test_a_payment_of_a_bare_charge_is_posted(business: Business) -> None:
    """A payment of a charge made of an amount alone is posted, if one made after it is."""
    posted_at_all()
    amount, before = fresh_amount(business), precondition(business.get_finance())
    charge = a_minimal(business, amount)
    precondition(business.pay_charge(id_of(charge)))
    shown_as(business, charge, "paid")
    finance, problem = passed_over(business, amount, before)
    expect(finance, computed("the payment is posted", problem))


@requirement("BUS-FIN-19")
def test_a_large_payment_is_posted(business: Business) -> None:
    """A payment of millions of reais is posted to the cent, if the service accepts it and posts payments at once."""
    posted_at_all()
    amount, before = largely_paid(business)
    finance, problem = posted_within(business, amount, before)
    expect(finance, computed("the payment is posted", problem))


@requirement("BUS-FIN-24")
def test_a_posting_keeps_its_id_and_its_time(business: Business) -> None:
    """From the query that showed it first to one that comes after other payments."""
    charge, before = posted_at_all()
    now = precondition(business.get_finance())
    expect(now, computed("id and created_at stay", altered(before, now, int(charge.at("amount_cents")))))


@cache
def overfull(business: Business) -> tuple[Exchange, int, Exchange]:
    """Fill the ledger and pay one charge more, once in a run; return the full ledger, the amount, and the next one."""
    full, amount = full_ledger(business), fresh_amount(business)
    a_paid(business, amount_cents=amount)
    return full, amount, precondition(ledger_once(business, lambda one: bool(postings_of_amount(one, amount))))


@requirement("BUS-FIN-22")
@deferred(0)
def test_a_full_ledger_shows_the_latest_posting(business: Business) -> None:
    """Once it shows as many as it may, the next payment is among them, and drives none out before there are 50.

    Asked where a payment is posted at once and whole, as the first one of the run was; it may wait for a batch.
    """
    posted_at_all()
    before, amount, finance = overfull(business)
    if not postings_of_amount(finance, amount):
        finance = precondition(ledger_at_last(business, lambda one: bool(postings_of_amount(one, amount)), BATCH_S))
    latest = None if postings_of_amount(finance, amount) else "the latest payment is not"
    expect(
        finance,
        computed("the latest is there", latest),
        computed("all 50 are there", missing_postings(before, finance)),
    )


@requirement("BUS-FIN-08")
@deferred(0)
def test_a_full_ledger_shows_no_more_than_fifty_postings(business: Business) -> None:
    """Nor after one more payment."""
    full, _, finance = overfull(business)
    most = max(len(postings(one)) for one in (full, finance))
    if most < FULL:
        raise not_applicable(f"51 payments leave {most} postings: it cannot be seen what becomes of more")
    expect(finance, computed("no more than 50 are shown", f"{most} are shown" if most > FULL else None))


@prepare_early("business")
def raising(business: Business) -> int | None:
    """Pay a charge while the ledger has room; return by how much more or less than its amount the balance rose."""
    return raised_by(business)


@requirement("BUS-FIN-25")
@deferred(0)
def test_a_full_ledger_counts_a_payment_as_before(business: Business) -> None:
    """The balance is no sum of the postings that are shown; tried twice, since others may take money."""
    if raising.value() != 0:
        raise not_applicable("a payment does not raise available_cents by its amount at once")
    overfull(business)
    twice = (raised_by(business, AT_LAST_S), raised_by(business, AT_LAST_S))
    short = [off for off in twice if off is None or off < 0]
    words = f"payments raised it by {-int(short[0] or 0)} cents too little" if len(short) > 1 else None
    expect(business.get_finance(), computed("a payment raises the balance", words))


@requirement("BUS-ISO-07")
@deferred(0)
def test_a_full_ledger_drives_nothing_out_of_another(business: Business, other_business: Business) -> None:
    """The other account has few postings of its own, and they still show after many of the first account."""
    posted_at_all()
    if not has_shown_postings(other_business.run.ledger.exchanges, Role.OTHER_MERCHANT):
        raise not_applicable("no posting of the other account was shown in this run")
    overfull(business)
    finance = precondition(other_business.get_finance())
    expect(finance, computed("its postings are there", None if postings(finance) else "the other ledger is empty"))


@requirement("BUS-FIN-06")
def test_an_account_without_reserve(business: Business, observe: Observer) -> None:
    """Zero, null or absent."""
    finance = business.get_finance()
    words = f"reserve_cents is {finance.at('reserve_cents')!r}"
    observe(
        "BUS-FIN-06", words, None if finance.at("reserve_cents") is MISSING else finance.at("reserve_cents"), finance
    )


@requirement("BUS-FIN-20", "BUS-STATE-06")
def test_what_a_payment_does_to_the_balance(business: Business, observe: Observer) -> None:
    """Other payments on the account may show in it too."""
    amount, before = fresh_amount(business), business.get_finance()
    a_paid(business, amount_cents=amount)
    after = business.get_finance()
    difference = balance_delta(before, after)
    twice = f"available_cents rose by {difference} for a payment of {amount}" if difference == 2 * amount else None
    expect(after, computed("the amount was not credited twice", twice), of="BUS-STATE-06")
    words = f"a payment of {amount} moved available_cents by {difference}: {describe_balance_delta(difference, amount)}"
    observe("BUS-FIN-20", words, {"paid": amount, "moved": difference}, before, after)


@requirement("BUS-FIN-21")
def test_the_order_of_postings(business: Business, observe: Observer) -> None:
    """By created_at, as the answer has them; two payments of one label are two all the same."""
    label = fresh_ref()
    for _ in range(2):
        a_paid(business, external_ref=label)
    finance = business.get_finance()
    observe("BUS-FIN-21", f"the order of postings: {order_of(finance)}", order_of(finance), finance)
