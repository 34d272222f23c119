"""Canceling a charge (business.md, lines 80, 83, 112-114)."""

import pytest

from fixtures.business.charges import a_canceled, a_minimal, a_paid, a_pending, id_of, poll_until_not_pending, shown_as
from fixtures.business.ledger import fresh_amount
from fixtures.ids import nonexistent_id_like
from pix_conformance.checks.matchers import field, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange

REFUSED_FOR_BODY = {400, 411, 415, 422}


@pytest.fixture(scope="module")
def canceled(business: Business) -> Exchange:
    """Return a charge that was canceled: the control of every refused cancel."""
    return a_canceled(business)


@prepare("business")
def expiring(business: Business) -> Exchange:
    """Make a charge that lives as short as can be."""
    return a_pending(business, expires_in_seconds=60)


@requirement("BUS-CAN-01")
def test_a_pending_charge_is_canceled(business: Business) -> None:
    """Without a body or, where the service insists on one, with an empty one."""
    charge = a_minimal(business, fresh_amount(business))
    answer = business.cancel_charge(id_of(charge))
    if answer.status in REFUSED_FOR_BODY:
        answer = business.cancel_charge(id_of(charge), json={})
    expect(answer, success())
    expect(poll_until_not_pending(business, charge), success(), field("status", "canceled"))


@requirement("BUS-CAN-02")
def test_a_cancel_needs_no_body(business: Business) -> None:
    """Refused without a body, it is refused with one too, and that is another question."""
    answer = business.cancel_charge(id_of(a_pending(business)))
    if not answer.ok:
        precondition(business.cancel_charge(id_of(a_pending(business)), json={}))
    expect(answer, success())


@requirement("BUS-CAN-04")
def test_a_paid_charge_is_not_canceled(business: Business, canceled: Exchange) -> None:
    """The charge that was canceled in its stead was pending."""
    precondition(canceled)
    expect(business.cancel_charge(id_of(a_paid(business))), status(409))


@requirement("BUS-CAN-05")
def test_a_canceled_charge_is_not_canceled_again(business: Business, canceled: Exchange) -> None:
    """The second cancel comes after a query."""
    expect(business.cancel_charge(id_of(canceled)), status(409))


@requirement("BUS-CAN-06")
@deferred(62)
def test_an_expired_charge_is_not_canceled(business: Business, canceled: Exchange) -> None:
    """A query has detected the expiry."""
    precondition(canceled)
    charge = shown_as(business, expiring.after_age(62), "expired")
    expect(business.cancel_charge(id_of(charge)), status(409))


@requirement("BUS-CAN-08")
def test_an_unknown_charge_is_not_canceled(business: Business, canceled: Exchange) -> None:
    """The id has the form of those that exist."""
    expect(business.cancel_charge(nonexistent_id_like(id_of(canceled))), status(404))
