"""POST /v1/business/pix-charges/{id}/pay, which simulates a payment (business.md, lines 79, 116-120)."""

import pytest

from fixtures.business.bodies import a_charge, fresh_key
from fixtures.business.charges import (
    create_minimal_charge,
    create_paid_charge,
    create_pending_charge,
    id_of,
    poll_until_not_pending,
    poll_until_status,
)
from fixtures.business.descriptions import describe_status
from fixtures.business.expiry import EXPIRED_AFTER_S
from fixtures.business.ledger import (
    fresh_amount,
    ledger_at_last,
    ledger_with_posting,
    pay_later,
    whole_amount,
)
from fixtures.ids import nonexistent_id_like
from pix_conformance.checks.business.exchange_history import Records
from pix_conformance.checks.business.ledger import posted_no_later_than
from pix_conformance.checks.business.transition_history import refused_for_state
from pix_conformance.checks.history import first_violation
from pix_conformance.checks.matchers import field, has, not_field, status, success
from pix_conformance.checks.relations import is_an_end_to_end_id
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run
from pix_conformance.model.exchange import Exchange

LARGE = 1_234_567
REFUSED_FOR_BODY = {400, 411, 415, 422}


@pytest.fixture(scope="module")
def paid(business: Business) -> Exchange:
    """The query of a charge that was paid."""
    return create_paid_charge(business)


@requirement("BUS-PAY-01")
def test_a_pending_charge_is_paid(business: Business) -> None:
    """A payment without a body, or with an empty one where none is refused, makes a pending charge paid."""
    charge = create_minimal_charge(business, fresh_amount(business))
    answer = business.pay_charge(id_of(charge))
    if answer.status in REFUSED_FOR_BODY:
        answer = business.pay_charge(id_of(charge), json={})
    expect(answer, success())
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"))


@requirement("BUS-PAY-01")
def test_a_charge_of_one_cent_is_paid(business: Business) -> None:
    """A payment of a charge of one cent, the lowest amount, succeeds and makes it paid."""
    charge = create_pending_charge(business, amount_cents=1)
    expect(business.pay_charge(id_of(charge)), success())
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"))


@requirement("BUS-PAY-01")
def test_a_large_charge_is_paid(business: Business) -> None:
    """A charge of 12,345.67 is paid, if such an amount is accepted: how high amounts may be is not stated."""
    charge = business.create_charge(a_charge(amount_cents=LARGE), key=fresh_key())
    if not charge.ok or not business.pay_charge(id_of(charge)).ok:
        raise not_applicable(f"a payment of {LARGE} cents is not accepted")
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"))


@requirement("BUS-PAY-02", "BUS-PAY-03")
def test_a_payment_needs_no_body(business: Business, observe: Observer) -> None:
    """A payment without a body succeeds; one that is refused also with an empty body is another test's question."""
    answer = business.pay_charge(id_of(create_pending_charge(business)))
    observe("BUS-PAY-03", f"a payment answers {describe_status(answer)}", answer.status, answer)
    if not answer.ok:
        precondition(business.pay_charge(id_of(create_pending_charge(business)), json={}))
    expect(answer, success(), of="BUS-PAY-02")


@requirement("BUS-PAY-04")
def test_a_body_sent_with_a_payment_is_noted(business: Business, observe: Observer) -> None:
    """The response to a payment with a JSON object as its body, for which the document has no place, is noted."""
    answer = business.pay_charge(id_of(create_pending_charge(business)), json={"amount_cents": 1})
    observe("BUS-PAY-04", f"a payment with a body: {answer.status}", answer.status, answer)


@requirement("BUS-PAY-08")
def test_an_unknown_charge_is_not_paid(business: Business, paid: Exchange) -> None:
    """A payment for an id that does not exist, but has the form of an existing one, returns 404."""
    expect(business.pay_charge(nonexistent_id_like(id_of(paid))), status(404))


@requirement("BUS-PAY-11")
def test_a_paid_charge_shows_its_e2e_id(business: Business, paid: Exchange) -> None:
    """The query that first shows a charge as paid and a later one show an e2e_id that is not empty."""
    expect(paid, has("e2e_id"))
    expect(precondition(business.get_charge(id_of(paid))), has("e2e_id"))


@requirement("BUS-PAY-12")
def test_an_e2e_id_has_the_form_of_the_central_bank(paid: Exchange) -> None:
    """The e2e_id of a paid charge has the central bank's length, institution, minute and sequence."""
    precondition(paid, has("e2e_id"))
    expect(paid, is_an_end_to_end_id("e2e_id"))


@requirement("BUS-PAY-13")
def test_two_payments_have_two_e2e_ids(business: Business, paid: Exchange) -> None:
    """Two charges of the same amount that were both paid have different e2e_ids."""
    precondition(paid, has("e2e_id"))
    other = precondition(create_paid_charge(business), has("e2e_id"))
    expect(other, not_field("e2e_id", paid.at("e2e_id")))


@pytest.mark.whole_run
@deferred(EXPIRED_AFTER_S + 1)
@requirement("BUS-PAY-01")
def test_no_pending_charge_of_the_run_refused_its_first_payment_for_its_state(business: Business, run: Run) -> None:
    """The first payment of each pending charge of the run, whatever its fields, is not answered 403 or 409."""
    del business  # without an API key there are none
    expect(
        *first_violation(
            "a pending charge is not refused for its state", refused_for_state(run.ledger.exchanges, "pay_charge")
        )
    )


@pytest.mark.whole_run
@deferred(EXPIRED_AFTER_S + 1)
@requirement("BUS-PAY-13")
def test_no_two_payments_of_the_run_share_an_e2e_id(business: Business, run: Run) -> None:
    """No two paid charges of the run have the same e2e_id, whatever their external_ref, amount or e-mail."""
    del business  # without an API key there are none
    expect(*first_violation("its e2e_id is its own", Records(run.ledger.exchanges).e2e_ids()))


@requirement("BUS-PAY-15")
@pytest.mark.usefixtures("posted_payment")
@pytest.mark.parametrize("same", ["external_ref", "amount_cents"])
def test_a_payment_that_is_like_another_is_posted(business: Business, same: str) -> None:
    """A payment with the external_ref or the amount of an earlier one is posted, if one made after it is."""
    first = a_charge(amount_cents=fresh_amount(business))
    create_paid_charge(business, **first)
    before = ledger_with_posting(business, first["amount_cents"])
    second = a_charge(**{"amount_cents": fresh_amount(business), same: first[same]})
    create_paid_charge(business, **second)
    later = pay_later(business)
    finance = ledger_at_last(business, second["amount_cents"], before)
    expect(finance, posted_no_later_than(later, second["amount_cents"], before))


@requirement("BUS-PAY-15")
@pytest.mark.usefixtures("posted_payment")
def test_a_payment_of_whole_reais_is_posted(business: Business) -> None:
    """A payment of whole reais is posted in cents, if one made after it is posted."""
    cents, before = whole_amount(business), precondition(business.get_finance())
    create_paid_charge(business, amount_cents=cents)
    later = pay_later(business)
    expect(ledger_at_last(business, cents, before), posted_no_later_than(later, cents, before))


@requirement("BUS-PAY-15")
@pytest.mark.usefixtures("posted_payment")
def test_a_payment_of_a_charge_with_an_amount_only_is_posted(business: Business) -> None:
    """A payment of a charge that was created with amount_cents only is posted, if one made after it is."""
    cents, before = fresh_amount(business), precondition(business.get_finance())
    charge = create_minimal_charge(business, cents)
    precondition(business.pay_charge(id_of(charge)))
    poll_until_status(business, charge, "paid")
    later = pay_later(business)
    expect(ledger_at_last(business, cents, before), posted_no_later_than(later, cents, before))
