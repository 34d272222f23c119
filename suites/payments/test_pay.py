"""POST /api/v1/pix/in/qrcode/{transactionId}/pay simulates the payment of a charge."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@quick
@requirement("PAY-PAYS-01")
def test_a_pending_charge_is_paid(payment_attempt: PaidCharge) -> None:
    """The payment of a pending charge, sent without a body, returns 200 and an object as data."""
    precondition(payment_attempt.created, not_field("data.status", "paid"))
    expect(payment_attempt.payment, status(200), has("data", "object"))


@requirement("PAY-PAYS-01", "PAY-PAYS-08", "PAY-PAYS-10", "PAY-PAYS-11", "PAY-PAYS-12")
def test_a_charge_with_every_optional_field_is_paid_once(
    payments: Payments, payment_attempt: PaidCharge, full_charge_body: dict[str, Any]
) -> None:
    """A charge with items and splits, queried while pending, is paid, returned as paid, and not paid again (400).

    Its payment has another endToEndId than that of another charge.
    """
    charge = id_of(precondition(payments.create_charge(full_charge_body)))
    precondition(payments.get_charge(charge))
    payment = pay_pending(payments, charge)
    expect(payment, status(200), has("data", "object"), of="PAY-PAYS-01")
    query = poll_status(payments, lambda: payments.get_charge(charge), "paid")
    expect(query, field("data.status", "paid"), of="PAY-PAYS-11")
    expect(payments.pay_charge(charge), status(400), of="PAY-PAYS-12")
    expect(precondition(payment, has("data.id", "string")), field("data.id", charge), of="PAY-PAYS-08")
    first = precondition(payment_attempt.payment, has("data.endToEndId")).at("data.endToEndId")
    expect(precondition(payment, has("data.endToEndId")), not_field("data.endToEndId", first), of="PAY-PAYS-10")


@requirement("PAY-PAYS-01")
@deferred(62)
def test_a_charge_that_is_a_minute_old_is_paid(payments: Payments) -> Iterator[None]:
    """The payment of a charge that has been pending for a minute returns 200 and an object as data."""
    charge = id_of(precondition(payments.create_charge(a_charge())))
    yield
    before = precondition(payments.get_charge(charge))
    if before.at("data.status") != "pending":
        raise NotApplicable(f"the charge had ended before it was a minute old ({before.evidence})")
    expect(pay_pending(payments, charge), status(200), has("data", "object"))


@quick
@requirement("PAY-PAYS-08")
def test_the_payment_returns_the_id_of_the_charge(paid_charge: PaidCharge) -> None:
    """The data.id that the payment returns is the data.id of the creation of the charge."""
    payment = precondition(paid_charge.payment, has("data.id", "string"))
    expect(payment, field("data.id", paid_charge.created.at("data.id")))


@requirement("PAY-PAYS-09")
def test_the_payment_returns_an_end_to_end_id(paid_charge: PaidCharge, clock: Clock) -> None:
    """The data.endToEndId of the payment has the format of the instant payment system, with its UTC minute."""
    payment = precondition(paid_charge.payment, has("data.endToEndId"))
    expect(payment, is_an_end_to_end_id("data.endToEndId", clock.at(payment.started)))


@quick
@requirement("PAY-PAYS-11")
def test_a_paid_charge_is_returned_as_paid(answer_to_query_of_paid_charge: Exchange) -> None:
    """GET of a charge returns 200 and the status paid at most 1.5 s after its payment."""
    query = answer_to_query_of_paid_charge
    if query.at("data.status") == "refunded":
        raise NotApplicable("the charge was refunded before its first query (PAY-CHG-76)")
    expect(query, status(200), field("data.status", "paid"))


@requirement("PAY-PAYS-11")
@deferred(AT_THE_END)
def test_a_paid_charge_is_still_paid_at_the_end_of_the_run(
    payments: Payments, paid_charge: PaidCharge, query_of_paid_charge: Exchange
) -> None:
    """A charge that was paid early in the run is still paid when all other tests are done, or refunded (PAY-CHG-76)."""
    precondition(query_of_paid_charge, field("data.status", "paid"))
    expect(payments.get_charge(paid_charge.id), status(200), field_in("data.status", "paid", "refunded"))


@pytest.fixture(scope="session")
def second_payment(payments: Payments, paid_charge: PaidCharge, query_of_paid_charge: Exchange) -> Exchange:
    """Pay the paid charge once more, after its query, and return the answer."""
    del query_of_paid_charge
    return payments.pay_charge(paid_charge.id)


@quick
@requirement("PAY-PAYS-12")
def test_a_paid_charge_is_not_paid_again(query_of_paid_charge: Exchange, second_payment: Exchange) -> None:
    """A second payment of a paid charge is refused with 400."""
    precondition(query_of_paid_charge, field("data.status", "paid"))
    expect(second_payment, status(400))


@requirement("PAY-PAYS-13")
@pytest.mark.usefixtures("second_payment")
def test_a_paid_charge_is_still_paid_after_a_refused_second_payment(
    payments: Payments, paid_charge: PaidCharge, query_of_paid_charge: Exchange
) -> None:
    """GET returns the status paid after a second payment of a paid charge, accepted or refused."""
    precondition(query_of_paid_charge, field("data.status", "paid"))
    query = precondition(payments.get_charge(paid_charge.id))
    expect(query, field("data.status", "paid"))


@requirement("PAY-PAYS-19", "PAY-CHG-70")
@deferred(AT_THE_END)
def test_a_charge_is_found_and_not_paid_without_a_payment(charge_left_alone: ChargeLeftAlone) -> Iterator[None]:
    """A charge for which no payment was sent is found at the end of the run, and unpaid."""
    precondition(charge_left_alone.created, field("data.status", "pending"))
    yield
    query = charge_left_alone.at_the_end()
    expect(query, status(200), has("data", "object"), of="PAY-CHG-70")
    expect(precondition(query, has("data.status", "string")), not_field("data.status", "paid"), of="PAY-PAYS-19")


@deferred(AT_THE_END)
@pytest.mark.parametrize(("ended", "code"), refused_once_ended(Api.PAYMENTS, "pay_charge"))
def test_a_charge_that_has_ended_is_not_paid(
    payments: Payments, charge_left_alone: ChargeLeftAlone, ended: str, code: int
) -> Iterator[None]:
    """The payment of a charge that was not paid, and that has ended by the end of the run, returns 400."""
    yield
    query = precondition(charge_left_alone.at_the_end())
    if query.at("data.status") != ended:
        raise NotApplicable(f"no charge of this run became {ended}")
    expect(payments.pay_charge(id_of(charge_left_alone.created)), status(code))


@quick
@requirement("PAY-PAYS-15")
def test_a_charge_that_does_not_exist_is_not_paid(payments: Payments, paid_charge: PaidCharge) -> None:
    """The payment of an id that has the form of real ids, and that no charge has, returns 404."""
    expect(payments.pay_charge(nonexistent_id_like(paid_charge.id)), status(404))


@pytest.fixture(scope="session")
def payment_in_production(live_payments: Payments, query_of_production_charge: Exchange) -> Exchange:
    """Send the payment of the production charge, which is not paid, in production, and return the answer."""
    return live_payments.pay_charge(id_of(precondition(query_of_production_charge, not_field("data.status", "paid"))))


@requirement("PAY-PAYS-14")
def test_a_production_charge_is_not_paid_by_a_simulation(
    live_payments: Payments, paid_charge: PaidCharge, production_charge: Exchange, payment_in_production: Exchange
) -> None:
    """The simulated payment of a production charge returns 403, and the charge is not paid afterwards."""
    precondition(paid_charge.payment)
    expect(payment_in_production, status(403))
    expect(precondition(live_payments.get_charge(id_of(production_charge))), not_field("data.status", "paid"))


@requirement("PAY-PAYS-16")
def test_the_error_code_of_a_second_payment_is_noted(second_payment: Exchange, observe: Observer) -> None:
    """The status and error code of a second payment are noted: the document shows no code for the 400."""
    note_answers(observe, "PAY-PAYS-16", {"second pay": second_payment})


@requirement("PAY-PAYS-16")
def test_the_error_code_of_a_payment_in_production_is_noted(payment_in_production: Exchange, observe: Observer) -> None:
    """The status and error code of a payment in production are noted: the document shows no code for the 403."""
    note_answers(observe, "PAY-PAYS-16", {"pay in production": payment_in_production})


@requirement("PAY-PAYS-17")
def test_the_answer_to_a_payment_with_a_body_is_noted(payments: Payments, observe: Observer) -> None:
    """The status of a payment with a body is noted: the document says that the route has none."""
    first, second = (id_of(precondition(payments.create_charge(a_charge()))) for _ in range(2))
    answers = {
        "an empty object": payments.pay_charge(first, json={}),
        "an amount": payments.pay_charge(second, json={"amountInCents": 1}),
    }
    note_answers(observe, "PAY-PAYS-17", answers)


@dataclass(frozen=True)
class PaymentsAtOnce:
    """The creation of a charge, the answers to its simultaneous payments, and the balances around them."""

    created: Exchange
    before: Exchange
    answers: list[Exchange]
    after: Exchange


AT_ONCE_MS = (0, 0, 0, 10, 20)
"""The ms after which each of several payments of one charge is sent."""
PayAtOnce = Callable[[int], PaymentsAtOnce]


@pytest.fixture(scope="session")
def pay_at_once(payments: Payments) -> PayAtOnce:
    """Return a function that pays a charge of so many cents five times, once in a run for each amount.

    Three payments are sent at once, one 10 ms later, and one 20 ms later, in turn with two tokens.
    """

    @cache
    def pay(cents: int) -> PaymentsAtOnce:
        created = precondition(payments.create_charge(a_charge(amountInCents=cents)))
        send = partial(payments.pay_charge, id_of(created), group=f"pay-{cents}")
        requests, before = by_two_tokens(payments, send, len(AT_ONCE_MS)), payments.get_balance()
        answers = send_concurrently(*requests, after_ms=AT_ONCE_MS)
        return PaymentsAtOnce(created, before, answers, payments.get_balance())

    return pay


@pytest.fixture(scope="session")
def simultaneous_payments(
    payments: Payments, paid_charge: PaidCharge, pay_at_once: PayAtOnce
) -> tuple[list[Exchange], Exchange]:
    """Pay a charge several times at once, where one payment is accepted; return the answers, and its query after."""
    precondition(paid_charge.payment)
    paid = pay_at_once(1_301)
    return paid.answers, poll_status(payments, lambda: payments.get_charge(id_of(paid.created)), "paid")


@pytest.mark.concurrent
@pytest.mark.parametrize(
    "relation",
    [
        case("PAY-PAYS-18", shows_one_was_accepted, id="accepted"),
        case("PAY-PAYS-21", shows_one_end_to_end_id, id="endToEndId"),
    ],
)
def test_of_simultaneous_payments_one_is_accepted(
    simultaneous_payments: tuple[list[Exchange], Exchange], relation: Callable[[list[Exchange]], Relation]
) -> None:
    """Of several payments of one charge at once exactly one returns 2xx, and all that do the same endToEndId."""
    answers, query = simultaneous_payments
    expect(query, relation(answers))


@requirement("PAY-PAYS-20")
@pytest.mark.concurrent
def test_simultaneous_payments_credit_the_balance_once(pay_at_once: PayAtOnce) -> None:
    """Five payments of one charge at the same time raise the free balance once, where a payment raises it.

    Other traffic may raise the balance by as much: a second amount has to show it too.
    """
    for cents in (1_301, 1_319):
        paid = pay_at_once(cents)
        before, after = precondition(paid.before), precondition(paid.after)
        require_credit(before, after)
        expected = is_credited_once(before, paid.created, cents, requests=5)
        if is_met(expected, after):
            break
    expect(after, expected)


@requirement("PAY-BAL-16")
@pytest.mark.concurrent
def test_simultaneous_payments_of_several_charges_are_all_credited(
    payments: Payments, pay_between_balances: PayBetweenBalances
) -> None:
    """If a payment raises the free balance, two of other charges at once and one 5 ms later raise it by all amounts."""
    cents = 1_237
    is_gross = require_exact_credit(pay_between_balances(cents), cents) == cents
    amounts = (cents, cents + 10, cents + 30)
    charges = [precondition(payments.create_charge(a_charge(amountInCents=amount))) for amount in amounts]
    before = precondition(payments.get_balance())
    pays = [partial(payments.pay_charge, id_of(charge), group="several") for charge in charges]
    for payment in send_concurrently(*pays, after_ms=(0, 0, 5)):
        precondition(payment)
    pairs = zip(charges, amounts, strict=True)
    expected = is_moved_by_each(before, [amount if is_gross else net_of(charge, amount) for charge, amount in pairs])
    after = poll_until(
        payments.sender.waits, SETTLING_S, payments.get_balance, lambda balance: is_met(expected, balance)
    )
    expect(after, expected)


@requirement("PAY-PAYS-22")
def test_a_refused_second_payment_credits_nothing(payments: Payments, pay_between_balances: PayBetweenBalances) -> None:
    """A second payment that returns 400 does not raise the free balance by as much as the first one did."""

    def pay_again(cents: int) -> Relation:
        paid = pay_between_balances(cents)
        credited = require_exact_credit(paid, cents)
        before = precondition(payments.get_balance())
        require_refusal(payments.pay_charge(paid.id), 400)
        return is_not_credited_again(before, credited)

    expect_balance_after(payments, (1_237, 1_283), pay_again)
