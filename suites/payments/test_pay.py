"""The simulated payment of a charge (payments.md, lines 244-250)."""

from __future__ import annotations

from fixtures.ids import nonexistent_id_like
from fixtures.payments.account import LAST, account
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import id_of, looks_sequential
from fixtures.payments.descriptions import note_answers
from fixtures.payments.routes import a_new_charge
from pix_conformance.checks.matchers import computed, field, has, not_field, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred, prepare, prepare_early
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.polling import poll_status
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles import end_to_end_id


@prepare_early("payments")
def a_charge_left_alone(payments: Payments) -> Exchange:
    """A charge that nobody pays."""
    return precondition(payments.create_charge(a_charge()), field("data.status", "pending"))


@prepare("payments")
def a_charge_to_be_paid_late(payments: Payments) -> Exchange:
    """A charge that is paid when it is a minute old."""
    return precondition(payments.create_charge(a_charge()))


@requirement("PAY-PAYS-01")
def test_a_pending_charge_is_paid(payments: Payments) -> None:
    """The route is called without a body; a charge that is born paid is not pending."""
    precondition(account(payments).charge, not_field("data.status", "paid"))
    expect(account(payments).payment, status(200), has("data", "object"))


@requirement("PAY-PAYS-08")
def test_the_answer_has_the_id_of_the_charge(payments: Payments) -> None:
    """It names what was paid."""
    answer = precondition(account(payments).payment, has("data.id", "string"))
    expect(answer, field("data.id", account(payments).charge.at("data.id")))


@requirement("PAY-PAYS-09")
def test_the_end_to_end_id_has_the_form_of_the_payment_system(payments: Payments) -> None:
    """E, institution, minute, sequence."""
    payment = precondition(account(payments).payment, has("data.endToEndId"))
    wrong = end_to_end_id.mismatches(payment.at("data.endToEndId"))
    expect(payment, computed("data.endToEndId is an end-to-end id", "; ".join(wrong) or None))


@requirement("PAY-PAYS-10")
def test_two_payments_have_different_end_to_end_ids(payments: Payments) -> None:
    """Each payment is one of its own."""
    first = precondition(account(payments).payment, has("data.endToEndId"))
    second = precondition(payments.pay_charge(a_new_charge(payments)), has("data.endToEndId"))
    expect(second, not_field("data.endToEndId", first.at("data.endToEndId")))


@requirement("PAY-PAYS-11")
def test_a_paid_charge_is_paid_when_it_is_queried(payments: Payments) -> None:
    """The transition is recorded, not only answered."""
    precondition(account(payments).payment)
    query = payments.get_charge(id_of(account(payments).charge))
    expect(account(payments).paid if query.ok else query, status(200), field("data.status", "paid"))


@requirement("PAY-PAYS-12")
def test_a_paid_charge_is_not_paid_again(payments: Payments) -> None:
    """It is no longer pending."""
    precondition(account(payments).paid, field("data.status", "paid"))
    expect(account(payments).second_payment, status(400))


@requirement("PAY-PAYS-13")
def test_a_refused_second_payment_leaves_the_charge_paid(payments: Payments) -> None:
    """Whatever the refusal was."""
    precondition(account(payments).paid, field("data.status", "paid"))
    _ = account(payments).second_payment
    expect(precondition(payments.get_charge(id_of(account(payments).charge))), field("data.status", "paid"))


@requirement("PAY-PAYS-15")
def test_a_charge_that_does_not_exist_is_not_paid(payments: Payments) -> None:
    """The id has the form of a real one."""
    precondition(account(payments).payment)
    expect(payments.pay_charge(nonexistent_id_like(id_of(account(payments).charge))), status(404))


@requirement("PAY-CHG-75")
def test_a_transfer_is_not_paid_as_a_charge(payments: Payments) -> None:
    """The payment does not find it either; nothing is paid that may be a charge counted alike."""
    precondition(account(payments).payment)
    number = account(payments).plain_transfer.id
    if looks_sequential(number):
        raise not_applicable("charges and transfers may each have a count of their own")
    expect(payments.pay_charge(number), status(404))


@requirement("PAY-PAYS-14")
def test_a_production_charge_is_not_paid_by_the_simulation(payments: Payments, live_payments: Payments) -> None:
    """With its own token, by which it is still unpaid afterwards; a sandbox charge is paid."""
    precondition(account(payments).payment)
    expect(account(live_payments).minimum_charge_payment, status(403))
    made = id_of(precondition(account(live_payments).minimum_charge))
    expect(precondition(live_payments.get_charge(made)), not_field("data.status", "paid"))


@requirement("PAY-PAYS-16")
def test_the_code_of_a_refused_payment_is_noted(payments: Payments, observe: Observer) -> None:
    """The document shows none for the 400 of this route."""
    note_answers(observe, "PAY-PAYS-16", {"second pay": account(payments).second_payment})


@requirement("PAY-PAYS-16")
def test_the_code_of_a_payment_refused_in_production_is_noted(live_payments: Payments, observe: Observer) -> None:
    """Nor for its 403."""
    note_answers(observe, "PAY-PAYS-16", {"pay in production": account(live_payments).minimum_charge_payment})


@requirement("PAY-PAYS-17")
def test_a_body_sent_to_the_pay_route_is_noted(payments: Payments, observe: Observer) -> None:
    """The route is said to have none."""
    bodies = {"an empty object": {}, "an amount": {"amountInCents": 1}}
    answers = {what: payments.pay_charge(a_new_charge(payments), json=body) for what, body in bodies.items()}
    note_answers(observe, "PAY-PAYS-17", answers)


@deferred(62)
@requirement("PAY-PAYS-01")
def test_a_charge_that_has_waited_is_paid(payments: Payments) -> None:
    """For a minute, where it is still said to be pending."""
    made = id_of(a_charge_to_be_paid_late.after_age(62))
    before = precondition(payments.get_charge(made))
    if before.at("data.status") != "pending":
        raise not_applicable(f"a charge of a minute has come to its end ({before.evidence})")
    answer = payments.pay_charge(made)
    if (
        not answer.ok
        and poll_status(payments, lambda: payments.get_charge(made), "canceled").at("data.status") != "pending"
    ):
        raise not_applicable(f"a charge of a minute has come to its end ({answer.evidence})")
    expect(answer, status(200), has("data", "object"))


@deferred(LAST)
@requirement("PAY-PAYS-11")
def test_a_paid_charge_is_still_paid_at_the_end(payments: Payments) -> None:
    """Last of all: no age of a charge undoes its payment."""
    precondition(account(payments).paid, field("data.status", "paid"))
    expect(payments.get_charge(id_of(account(payments).charge)), status(200), field("data.status", "paid"))


@deferred(LAST)
@requirement("PAY-PAYS-19")
def test_a_charge_is_not_paid_by_itself(payments: Payments) -> None:
    """Last of all, the charge made first is still unpaid, and to ask does not pay it."""
    made = id_of(a_charge_left_alone.value())
    expect(precondition(payments.get_charge(made), has("data.status", "string")), not_field("data.status", "paid"))
    expect(precondition(payments.get_charge(made), has("data.status", "string")), not_field("data.status", "paid"))
