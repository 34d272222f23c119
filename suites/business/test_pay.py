"""Simulating a payment (business.md, lines 79, 116-120)."""

import pytest

from fixtures.business.bodies import a_charge
from fixtures.business.charges import a_minimal, a_paid, a_pending, creating, id_of, poll_until_not_pending
from fixtures.business.ledger import fresh_amount
from fixtures.ids import nonexistent_id_like
from pix_conformance.checks.matchers import computed, field, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles import end_to_end_id

LARGE = 1_234_567
REFUSED_FOR_BODY = {400, 411, 415, 422}


@pytest.fixture(scope="module")
def paid(business: Business) -> Exchange:
    """Return the query of a charge that was paid."""
    return a_paid(business)


@requirement("BUS-PAY-01")
def test_a_pending_charge_is_paid(business: Business) -> None:
    """Without a body or, where the service insists on one, with an empty one."""
    charge = a_minimal(business, fresh_amount(business))
    answer = business.pay_charge(id_of(charge))
    if answer.status in REFUSED_FOR_BODY:
        answer = business.pay_charge(id_of(charge), json={})
    expect(answer, success())
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"))


@requirement("BUS-PAY-01")
def test_a_charge_of_one_cent_is_paid(business: Business) -> None:
    """The least there is."""
    charge = a_pending(business, amount_cents=1)
    expect(business.pay_charge(id_of(charge)), success())
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"))


@requirement("BUS-PAY-01")
def test_a_large_charge_is_paid(business: Business) -> None:
    """Where it is accepted at all: how high amounts may be is not stated."""
    charge = creating(business, a_charge(amount_cents=LARGE))
    if not charge.ok or not business.pay_charge(id_of(charge)).ok:
        raise not_applicable(f"a payment of {LARGE} cents is not accepted")
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"))


@requirement("BUS-PAY-02")
def test_a_payment_needs_no_body(business: Business) -> None:
    """Refused without a body, it is refused with one too, and that is another question."""
    answer = business.pay_charge(id_of(a_pending(business)))
    if not answer.ok:
        precondition(business.pay_charge(id_of(a_pending(business)), json={}))
    expect(answer, success())


@requirement("BUS-PAY-08")
def test_an_unknown_charge_is_not_paid(business: Business, paid: Exchange) -> None:
    """The id has the form of those that exist."""
    expect(business.pay_charge(nonexistent_id_like(id_of(paid))), status(404))


@requirement("BUS-PAY-11")
def test_a_paid_charge_carries_its_e2e_id(business: Business, paid: Exchange) -> None:
    """On every query."""
    expect(paid, has("e2e_id"))
    expect(precondition(business.get_charge(id_of(paid))), has("e2e_id"))


@requirement("BUS-PAY-12")
def test_an_e2e_id_has_the_form_of_the_central_bank(paid: Exchange) -> None:
    """Length, institution, minute and sequence."""
    precondition(paid, has("e2e_id"))
    wrong = "; ".join(end_to_end_id.mismatches(paid.at("e2e_id")))
    expect(paid, computed("e2e_id has the form of the central bank", f"e2e_id {wrong}" if wrong else None))


@requirement("BUS-PAY-13")
def test_two_payments_have_two_e2e_ids(business: Business, paid: Exchange) -> None:
    """Of the same amount."""
    precondition(paid, has("e2e_id"))
    other = precondition(a_paid(business), has("e2e_id"))
    same = "two payments have the same e2e_id" if other.at("e2e_id") == paid.at("e2e_id") else None
    expect(other, computed("the e2e_id is its own", same))
