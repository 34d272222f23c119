"""The balance, and what payments and transfers do to it.

Other traffic on the account may move the balance at the same time by just as much as a wrong server would. So a test
that sees too much moved looks again with another amount, and fails only if it sees it twice.
"""

from collections.abc import Callable
from functools import partial

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

MOVED_S = 5.0
"""Seconds after which a payment counts as one that does not move the balance."""
TWO_DECIMALS = r"^-?[0-9.,]*[0-9][.,][0-9]{2}$"
"""Currency units with two decimals; which character separates them, and whether others group digits, is PAY-BAL-08."""


@quick
@pytest.mark.generated
@requirement("PAY-BAL-01")
def test_the_balance_is_queried_without_a_body(payments: Payments) -> None:
    """Every generated GET /api/v1/balance, none of which has a body, returns 200 and an object in data."""
    for request in cases(Api.PAYMENTS, "get_balance", "positive"):
        expect(send_generated(payments, request), status(200), has("data", "object"))


@requirement("PAY-BAL-07")
def test_a_balance_of_round_cents_keeps_its_zero(payments: Payments, pay_between_balances: PayBetweenBalances) -> None:
    """GET /api/v1/balance returns two decimals also where the second one is zero."""
    round_balance = pay_until_balance_ends_with(payments, 40, pay_between_balances(1_237))
    balance = precondition(round_balance, has("data.pix.balance", "string"))
    expect(balance, matches("data.pix.balance", TWO_DECIMALS, "an amount with two decimals"))
    precondition(balance, ends_in_cents(40))


@quick
@requirement("PAY-BAL-11")
def test_the_balance_is_in_currency_units(pay_between_balances: PayBetweenBalances) -> None:
    """A payment of 1,237 cents does not raise the free balance by 1,237 currency units, with its fees or without."""
    paid = pay_between_balances(1_237)
    expect(paid.after, is_counted_in_units(paid.before, paid.created, 1_237))


@quick
@requirement("PAY-BAL-07")
def test_the_balance_shows_the_cents_of_a_payment(pay_between_balances: PayBetweenBalances) -> None:
    """Payments with cents do not raise the free balance by whole currency units only."""
    for cents in (1_237, 1_283):  # a reserve that is held back may once be just the cents
        paid = pay_between_balances(cents)
        counted = counts_the_cents(paid.before, paid.created, cents)
        if is_met(counted, paid.after):
            break
    expect(paid.after, counted)


@pytest.mark.parametrize(
    "holds",
    [
        case("PAY-BAL-09", blocks_nothing, id="pixBlocked"),
        case("PAY-BAL-12", adds_no_more_than_was_paid, id="pix-and-reserve"),
    ],
)
def test_a_payment_raises_no_balance_by_more_than_its_amount(
    pay_between_balances: PayBetweenBalances, holds: Callable[..., Relation]
) -> None:
    """A payment raises pix and reserve together by its amount at most, with its fees on top, and pixBlocked not at all.

    It holds of one payment of three: other traffic raises balances too.
    """
    paid: list[PaymentBetweenBalances] = []
    for cents in (1_237, 1_283, 2_473):
        paid.append(pay_between_balances(cents))
        held = holds(
            [payment.before for payment in paid],
            [payment.after for payment in paid],
            [payment.created for payment in paid],
        )
        if is_met(held, paid[-1].after):
            break
    expect(paid[-1].after, held)


@requirement("PAY-BAL-13")
def test_a_payment_credits_the_free_balance_once(pay_between_balances: PayBetweenBalances) -> None:
    """A payment does not raise pix.balance by twice its amount, with its fees or without."""
    for cents in (1_237, 1_297):
        paid = pay_between_balances(cents)
        require_credit(paid.before, paid.after)
        expected = is_credited_once(paid.before, paid.created, cents)
        if is_met(expected, paid.after):
            break
    expect(paid.after, expected)


@requirement("PAY-BAL-18")
def test_a_large_balance_is_kept_to_the_cent(payments: Payments) -> None:
    """Three payments of one amount raise a free balance above 167,772.16 by one amount.

    Other traffic may move the balance by a cent or two: a second amount has to show it too.
    """
    balance = require_large_balance(payments)
    for cents in (1_001, 2_003):
        balance, expected = pay_equal_charges(payments, cents, balance)
        if is_met(expected, balance):
            break
    expect(balance, expected)


@quick
@requirement("PAY-BAL-14")
def test_a_transfer_debits_the_free_balance_once(completed_between_balances: CompleteBetweenBalances) -> None:
    """A transfer lowers pix.balance once, by its creation or by its completion, with its fees or without."""
    for cents in (223, 227):
        done = completed_between_balances(cents)
        require_debit(done.before, done.after)
        expected = is_debited_once(done.before, done.transfer.created, cents)
        if is_met(expected, done.after):
            break
    expect(done.after, expected)


@requirement("PAY-BAL-17")
@pytest.mark.concurrent
def test_simultaneous_payments_and_transfers_all_move_the_free_balance(
    payments: Payments,
    pay_between_balances: PayBetweenBalances,
    optional_transfer: TransferBody,
    plain_debit: TransferBetweenBalances,
) -> None:
    """A payment and a transfer at once, and again 5 ms later, move the free balance by what each alone moves it."""
    paid_cents, sent_cents = 1_237, plain_debit.transfer.body["amount"]
    credit = require_exact_credit(pay_between_balances(paid_cents), paid_cents)
    moves = [credit, wallet_delta(plain_debit.before, plain_debit.after)] * 2
    charges = [id_of(precondition(payments.create_charge(a_charge(amountInCents=paid_cents)))) for _ in range(2)]
    bodies = [optional_transfer(amount=sent_cents) for _ in charges]
    before = precondition(payments.get_balance())
    pays = [partial(payments.pay_charge, charge, group="moves") for charge in charges]
    sends = [partial(payments.create_transfer, body, key=fresh_key(), group="moves") for body in bodies]
    answers = send_concurrently(pays[0], sends[0], pays[1], sends[1], after_ms=(0, 0, 5, 5))
    transfers = [precondition(answer, has("data.id")) for answer in answers][1::2]
    expected = is_moved_by_each(before, moves)
    after = poll_until(
        payments.sender.waits, SETTLING_S, payments.get_balance, lambda balance: is_met(expected, balance)
    )
    if not is_met(expected, after):
        for transfer in transfers:
            not_failed = (not_field("data.status", status) for status in sorted(FAILED))
            precondition(payments.get_transfer(id_of(transfer)), *not_failed)
    expect(after, expected)


@requirement("PAY-BAL-10")
def test_what_a_payment_does_to_the_balance_is_noted(payments: Payments, observe: Observer) -> None:
    """The balance is queried before a charge of 10.50 is created, after that, and after its payment for 5 s at most."""
    seen: list[Exchange] = []

    def query() -> Exchange:
        seen.append(precondition(payments.get_balance()))
        return seen[-1]

    before = query()
    charge = id_of(precondition(payments.create_charge(a_charge())))
    between = query()
    precondition(payments.pay_charge(charge))
    at_once = query()
    if not has_moved(between, at_once):
        poll_until(payments.sender.waits, MOVED_S, query, partial(has_moved, between))
    created, paid, later = wallet_changes(before, between), wallet_changes(between, at_once), seen[-1]
    words = f"the creation of a charge of 10.50 moves {created}; its payment moves {paid}"
    if later is not at_once:
        words += f" at once, and {wallet_changes(between, later)} in {MOVED_S:g} s"
    observe("PAY-BAL-10", words, [balance.at("data") for balance in seen], *seen)


@requirement("PAY-BAL-10")
def test_what_a_transfer_does_to_the_balance_is_noted(
    completed_between_balances: CompleteBetweenBalances, observe: Observer
) -> None:
    """The balances before a transfer of 2.23 is created, after that, and after its completion are noted."""
    done = completed_between_balances(223)
    created, completed = wallet_changes(done.before, done.between), wallet_changes(done.between, done.after)
    words = f"the creation of a transfer of 2.23 moves {created}; its completion moves {completed}"
    seen = (done.before, done.between, done.after)
    observe("PAY-BAL-10", words, [balance.at("data") for balance in seen], *seen)
