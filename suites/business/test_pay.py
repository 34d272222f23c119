"""POST /v1/business/pix-charges/{id}/pay, which simulates a payment."""

from dataclasses import dataclass
from typing import Any

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@pytest.fixture(scope="session")
def paid(charge_in: ChargeIn) -> Exchange:
    """The query of a charge that was paid."""
    return charge_in("paid").query


@quick
@requirement("BUS-PAY-01", "BUS-PAY-26")
def test_a_pending_charge_of_the_least_amount_is_paid(business: Business) -> None:
    """A payment without a body, or with an empty one where none is refused, makes a charge of the least amount paid."""
    charge = create_pending_charge(business, amount_cents=LEAST)
    expect(send_without_body(business.pay_charge, charge), success(), of="BUS-PAY-01")
    expect(poll_until_not_pending(business, charge), success(), field("status", "paid"), of="BUS-PAY-26")


@requirement("BUS-PAY-04")
def test_a_body_sent_with_a_payment_is_noted(business: Business, observe: Observer) -> None:
    """The response to a payment with a JSON object as its body, for which the document has no place, is noted."""
    answer = business.pay_charge(id_of(create_pending_charge(business)), json={"amount_cents": 1})
    observe("BUS-PAY-04", f"a payment with a body: {answer.status}", answer.status, answer)


@quick
@requirement("BUS-PAY-11")
def test_a_paid_charge_shows_its_e2e_id(business: Business, paid: Exchange) -> None:
    """The query that first shows a charge as paid and a later one show an e2e_id that is not empty."""
    expect(paid, has("e2e_id"))
    expect(precondition(business.get_charge(id_of(paid))), has("e2e_id"))


@requirement("BUS-PAY-12")
def test_an_e2e_id_has_the_form_of_the_central_bank(paid: Exchange, clock: Clock) -> None:
    """The e2e_id of a paid charge has the central bank's length, institution, UTC minute and sequence."""
    precondition(paid, has("e2e_id"))
    expect(paid, is_an_end_to_end_id("e2e_id", clock.at(paid.started)))


@requirement("BUS-PAY-13")
def test_two_payments_have_two_e2e_ids(business: Business, paid: Exchange) -> None:
    """Two charges of the same amount, description and customer that were both paid have different e2e_ids."""
    precondition(paid, has("e2e_id"))
    other = precondition(create_charge_in(business, "paid").query, has("e2e_id"))
    expect(other, not_field("e2e_id", paid.at("e2e_id")))


@dataclass(frozen=True)
class PaidInARow:
    """The ledgers before several payments and after a last one, and their amounts in cents by what is unusual."""

    before: Exchange
    paid: dict[str, int]
    later: LaterPayment
    """The last payment, which is a usual one."""


@pytest.fixture(scope="session")
def paid_in_a_row(business: Business, posted_payment: PaymentInLedger) -> PaidInARow:
    """Pay a charge, one of its amount, one of the external_ref of that, a plain one, and one as before."""
    precondition(posted_payment.after)
    same, first = (a_charge(amount_cents=fresh_amount(business)) for _ in range(2))
    for body in (same, first):
        create_paid_charge(business, **body)
    before = ledger_with_posting(business, first["amount_cents"])
    second = a_charge(amount_cents=first["amount_cents"])
    bodies: dict[str, dict[str, Any]] = {
        "same-amount_cents": second,
        "same-external_ref": a_charge(amount_cents=fresh_amount(business), external_ref=second["external_ref"]),
        "whole-reais-only": {"amount_cents": whole_amount(business)},
        "same-body": same,
    }
    paid = {what: body["amount_cents"] for what, body in bodies.items() if can_be_paid(business, body)}
    return PaidInARow(before, paid, pay_later(business))


@requirement("BUS-PAY-15")
@pytest.mark.parametrize("what", ["same-amount_cents", "same-external_ref", "whole-reais-only", "same-body"])
def test_an_unusual_payment_is_posted(business: Business, paid_in_a_row: PaidInARow, what: str) -> None:
    """A payment like an earlier one, or of whole reais for a charge without labels, is posted, if a later one is."""
    if what not in paid_in_a_row.paid:
        raise Inconclusive("the charge could not be created and paid")
    before, cents, later = paid_in_a_row.before, paid_in_a_row.paid[what], paid_in_a_row.later
    finance = ledger_after(later, business, cents, before)
    expect(finance, posted_no_later_than(later.cents, later.before, cents, before))
