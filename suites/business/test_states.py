"""States that a charge does not leave (business.md, lines 65-83)."""

from __future__ import annotations

import pytest

from fixtures.business.bodies import a_charge, fresh_key
from fixtures.business.charges import ROUTES, a_canceled, a_paid, a_pending, id_of, shown_as
from fixtures.business.concurrency import decided
from fixtures.business.expiry import EXPIRED_AFTER_S
from fixtures.business.ledger import balance_taken_back, capture_of_unpaid, captured_once, credited_once, fresh_amount
from pix_conformance.checks.matchers import computed, field, has
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING

ASKED = ["pay_charge", "cancel_charge"]
LOOKING = [*ASKED, "get_charge", "list_charges"]


@prepare("business")
def paid(business: Business) -> Exchange:
    """Pay a charge that would not have lived long."""
    return a_paid(business, expires_in_seconds=60)


@prepare("business")
def canceled(business: Business) -> Exchange:
    """Cancel a charge that would not have lived long."""
    return a_canceled(business, expires_in_seconds=60)


@requirement("BUS-STATE-01")
def test_a_new_charge_is_pending(business: Business) -> None:
    """In the answer to its creation and in the first query."""
    charge = a_pending(business)
    expect(charge, field("status", "pending"))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "pending"))


@requirement("BUS-STATE-03")
@pytest.mark.parametrize("operation", ASKED)
def test_a_paid_charge_stays_paid(business: Business, operation: str) -> None:
    """Whether it is paid again or canceled, each time that it is looked at."""
    charge = a_paid(business)
    decided(getattr(business, operation)(id_of(charge)))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "paid"))


@requirement("BUS-STATE-03", "BUS-PAY-11")
def test_a_refused_cancel_takes_nothing_back(business: Business) -> None:
    """The balance does not fall by what was paid, and the payment keeps its identifier."""
    charge, before = a_paid(business, amount_cents=fresh_amount(business)), precondition(business.get_finance())
    decided(business.cancel_charge(id_of(charge)))
    after, amount = precondition(business.get_finance()), int(charge.at("amount_cents"))
    expect(
        after,
        computed("nothing was taken back", balance_taken_back(business, amount, before, after)),
        of="BUS-STATE-03",
    )
    expect(precondition(business.get_charge(id_of(charge))), has("e2e_id"), of="BUS-PAY-11")


@requirement("BUS-STATE-03")
def test_a_paid_charge_stays_paid_when_its_creation_is_repeated(business: Business) -> None:
    """The repetition may show what was; the charge is what it is."""
    key, body = fresh_key(), a_charge()
    charge = precondition(business.create_charge(body, key=key))
    precondition(business.pay_charge(id_of(charge)))
    shown_as(business, charge, "paid")
    decided(business.create_charge(body, key=key))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "paid"))


@requirement("BUS-STATE-03")
@deferred(EXPIRED_AFTER_S)
def test_a_paid_charge_does_not_expire(business: Business) -> None:
    """Its expires_at has passed, and everything is asked that may detect an expiry."""
    charge_id = id_of(paid.after_age(EXPIRED_AFTER_S))
    for operation in LOOKING:
        decided(ROUTES[operation](business, charge_id))
    expect(precondition(business.get_charge(charge_id)), field("status", "paid"))


@requirement("BUS-STATE-04")
@deferred(EXPIRED_AFTER_S)
def test_a_canceled_charge_does_not_expire(business: Business) -> None:
    """Its expires_at has passed, and everything is asked that may detect an expiry."""
    charge_id = id_of(canceled.after_age(EXPIRED_AFTER_S))
    for operation in LOOKING:
        decided(ROUTES[operation](business, charge_id))
    expect(precondition(business.get_charge(charge_id)), field("status", "canceled"))


@requirement("BUS-STATE-04")
@pytest.mark.parametrize("operation", ASKED)
def test_a_canceled_charge_stays_canceled(business: Business, operation: str) -> None:
    """Whether it is paid or canceled again, each time that it is looked at."""
    charge = a_canceled(business)
    decided(getattr(business, operation)(id_of(charge)))
    expect(precondition(business.get_charge(id_of(charge)), has("status", "string")), field("status", "canceled"))


@requirement("BUS-STATE-04")
def test_paying_a_canceled_charge_captures_nothing(business: Business) -> None:
    """From its creation on no posting of its amount appears of a kind that a payment leaves."""
    amount = fresh_amount(business)
    before = precondition(business.get_finance())
    charge = a_canceled(business, amount_cents=amount)
    decided(business.pay_charge(id_of(charge)))
    finance, problem = capture_of_unpaid(business, amount, before)
    expect(finance, computed("nothing was captured", problem))


@requirement("BUS-STATE-08")
def test_paying_again_captures_nothing_more(business: Business) -> None:
    """A charge that was paid twice leaves as many postings of a kind as one that was paid once."""
    amount = fresh_amount(business)
    decided(business.pay_charge(id_of(a_paid(business, amount_cents=amount))))
    finance, problem = captured_once(business, amount)
    expect(finance, computed("the amount was captured once", problem))


@requirement("BUS-STATE-08")
def test_paying_again_is_credited_once(business: Business) -> None:
    """Where a payment raises the balance at once, a second one raises it no more."""

    def twice(charge: Exchange) -> None:
        for _ in range(2):
            decided(business.pay_charge(id_of(charge)))

    finance, problem = credited_once(business, twice)
    expect(finance, computed("the balance rose once", problem))


@requirement("BUS-STATE-08")
def test_paying_again_gives_no_new_e2e_id(business: Business) -> None:
    """One payment has one end-to-end identifier, to the second payer too."""
    charge = a_paid(business)
    again = decided(business.pay_charge(id_of(charge)))
    told = again.at("e2e_id") if again.ok else MISSING
    other = isinstance(told, str) and told != charge.at("e2e_id")
    expect(again, computed("it names no other payment", f"it answers the e2e_id {told}" if other else None))
    expect(precondition(business.get_charge(id_of(charge))), field("e2e_id", charge.at("e2e_id")))
