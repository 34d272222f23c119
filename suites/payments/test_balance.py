"""The balance (payments.md, lines 127-135 and 273-275)."""

from __future__ import annotations

import pytest

from fixtures.payments.account import SHOTS, Sent, account
from fixtures.payments.bodies import a_charge, fresh_key
from fixtures.payments.charges import id_of
from fixtures.payments.descriptions import wallet_changes
from fixtures.payments.wallet import (
    TWO_DECIMALS,
    cents_lost,
    complete_between_two_balances,
    confirm_with_each,
    multiples,
    parts_of,
    pay_between_two_balances,
    pay_until_balance_ends_with,
    wallet_delta,
)
from pix_conformance.checks.events import require_refusal
from pix_conformance.checks.matchers import computed, has, matches, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.concurrency import repeat_concurrently
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange


@requirement("PAY-BAL-01")
def test_the_balance_is_queried(payments: Payments) -> None:
    """The route is called without a body."""
    expect(payments.get_balance(), status(200), has("data", "object"))


@requirement("PAY-BAL-07")
@pytest.mark.parametrize("cents", [40, 0], ids=["tens", "units"])
def test_a_balance_of_round_cents_keeps_its_zeros(payments: Payments, cents: int) -> None:
    """Payments bring the free balance there; a number that is printed loses them."""
    balance = precondition(pay_until_balance_ends_with(payments, cents), has("data.pix.balance", "string"))
    expect(balance, matches("data.pix.balance", TWO_DECIMALS))


@requirement("PAY-BAL-11")
def test_a_payment_is_counted_in_units(payments: Payments) -> None:
    """Where it moves the free balance: by a hundred times its amount it would be one of cents."""
    paid = pay_between_two_balances(payments, 1_237)
    tall = wallet_delta(paid.before, paid.after) in {100 * part for part in paid.parts}
    expect(
        paid.after, computed("the balance counts units", "12.37 moved the balance by as many cents" if tall else None)
    )


@requirement("PAY-BAL-07")
def test_the_cents_of_a_payment_are_counted(payments: Payments) -> None:
    """Where it moves the free balance: decimals that are always zeros say nothing."""
    looks = [pay_between_two_balances(payments, 1_237)]
    if cents_lost(looks[0]):
        looks.append(pay_between_two_balances(payments, 1_283))  # what a reserve keeps may once be just the cents
    expect(looks[-1].after, computed("the balance counts cents", cents_lost(looks[-1])))


@requirement("PAY-BAL-09")
def test_a_payment_is_not_blocked(payments: Payments) -> None:
    """Nobody complained of it; whether it is free or in reserve is open."""
    paid = pay_between_two_balances(payments, 1_237)
    blocked = wallet_delta(paid.before, paid.after, "pixBlocked") in paid.parts
    expect(paid.after, computed("no payment is blocked", "a payment of 12.37 went to pixBlocked" if blocked else None))


@requirement("PAY-BAL-12")
def test_a_payment_is_not_in_two_wallets(payments: Payments) -> None:
    """What is free for use does not await its settlement as well."""

    def doubled(amount: int) -> tuple[Exchange, bool]:
        paid = pay_between_two_balances(payments, amount)
        return paid.after, all(wallet_delta(paid.before, paid.after, one) in paid.parts for one in ("pix", "reserve"))

    after, words = confirm_with_each(doubled, 1_237, 1_297)
    expect(after, computed("a payment is in one wallet", words and f"{words} both to pix and to reserve"))


@requirement("PAY-BAL-13")
def test_a_payment_is_paid_in_once(payments: Payments) -> None:
    """What is free for use is no more than was paid."""

    def doubled(amount: int) -> tuple[Exchange, bool]:
        paid = pay_between_two_balances(payments, amount)
        if not (found := wallet_delta(paid.before, paid.after)):
            raise not_applicable("a payment does not move the free balance at once")
        return paid.after, found in multiples(paid.parts, 2)

    after, words = confirm_with_each(doubled, 1_237, 1_297)
    expect(after, computed("a payment is paid in once", words and f"{words} twice"))


@requirement("PAY-PAYS-20")
def test_several_payments_at_once_pay_in_one(payments: Payments) -> None:
    """Several pays of one charge at the same time raise the free balance once, where a payment raises it."""

    def several(amount: int) -> tuple[Exchange, bool]:
        made = precondition(payments.create_charge(a_charge(amountInCents=amount)))
        before = precondition(payments.get_balance())
        repeat_concurrently(SHOTS, lambda: payments.pay_charge(id_of(made), group=f"pay-{amount}"))
        after = precondition(payments.get_balance())
        if not (found := wallet_delta(before, after)):
            raise not_applicable("a payment does not move the free balance at once")
        return after, found in multiples(parts_of(made, amount), SHOTS)

    after, words = confirm_with_each(several, 1_301, 1_319)
    expect(after, computed("one of them is paid in", words and f"{words} several times"))


@requirement("PAY-CMP-21")
def test_several_completions_at_once_take_the_money_once(payments: Payments) -> None:
    """Several completions of one transfer at the same time lower the free balance once, with the fees or without."""

    def several(amount: int) -> tuple[Exchange, bool]:
        sent, before, after = complete_between_two_balances(payments, amount, SHOTS)
        taken, parts = -wallet_delta(before, after), parts_of(sent.created, amount)
        return after, taken in multiples(parts, 1 + SHOTS)

    after, words = confirm_with_each(several, 229, 239)
    expect(after, computed("the transfer takes its money once", words and f"{words} several times"))


@requirement("PAY-CMP-23")
def test_a_refused_second_completion_takes_no_money(payments: Payments) -> None:
    """Where the transfer moved the free balance."""

    def again(amount: int) -> tuple[Exchange, bool]:
        sent, _, _ = complete_between_two_balances(payments, amount)
        once = precondition(payments.get_balance())
        require_refusal(payments.complete_transfer(sent.id), 400)
        return _taken_since(once, payments, sent, amount)

    after, words = confirm_with_each(again, 223, 227)
    expect(after, computed("a refused completion takes no money", words))


@requirement("PAY-BAL-14")
def test_a_transfer_takes_its_money_once(payments: Payments) -> None:
    """At its creation or at its completion, with its fees or without."""

    def twice(amount: int) -> tuple[Exchange, bool]:
        sent, before, after = complete_between_two_balances(payments, amount)
        parts = parts_of(sent.created, amount)
        return after, -wallet_delta(before, after) in {one + other for one in parts for other in parts} - parts

    after, words = confirm_with_each(twice, 223, 227)
    expect(after, computed("a transfer takes its money once", words and f"{words} twice"))


@requirement("PAY-TRF-82")
def test_a_transfer_of_a_refused_currency_takes_no_money(payments: Payments) -> None:
    """It is not made, so nothing is due for it."""

    def taken(amount: int) -> tuple[Exchange, bool]:
        _, before = _debited(payments, 197)
        require_refusal(
            payments.create_transfer(account(payments).body(amount=amount, currency="USD"), key=fresh_key()), 400
        )
        after = precondition(payments.get_balance())
        return after, -wallet_delta(before, after) == amount

    after, words = confirm_with_each(taken, 199, 211)
    expect(after, computed("a refused transfer takes no money", words))


@requirement("PAY-PAYS-22")
def test_a_refused_second_payment_pays_in_nothing(payments: Payments) -> None:
    """Where the first one moved the free balance."""

    def again(amount: int) -> tuple[Exchange, bool]:
        paid = pay_between_two_balances(payments, amount)
        first = wallet_delta(paid.before, paid.after)
        if first not in paid.parts:
            raise not_applicable("a payment does not move the free balance at once")
        require_refusal(payments.pay_charge(paid.id), 400)
        after = precondition(payments.get_balance())
        return after, wallet_delta(paid.after, after) == first

    after, words = confirm_with_each(again, 1_283, 1_289)
    expect(after, computed("a refused payment moves no money", words))


def _debited(payments: Payments, amount: int) -> tuple[Sent, Exchange]:
    """Return a transfer and the balance after it; NotApplicable where its amount is not taken at once."""
    _, before = account(payments).plain_transfer, precondition(payments.get_balance())
    sent = account(payments).sent(amount=amount)
    after = precondition(payments.get_balance())
    if -wallet_delta(before, after) not in parts_of(sent.created, amount):
        raise not_applicable("a transfer does not move the free balance at once")
    return sent, after


def _taken_since(before: Exchange, payments: Payments, sent: Sent, amount: int) -> tuple[Exchange, bool]:
    """Return the balance, and whether it fell by an amount, with the fees of a transfer or without."""
    after = precondition(payments.get_balance())
    return after, -wallet_delta(before, after) in parts_of(sent.created, amount)


@requirement("PAY-IDEM-16")
def test_a_replay_takes_no_money(payments: Payments) -> None:
    """What the first request took is taken once."""

    def again(amount: int) -> tuple[Exchange, bool]:
        sent, once = _debited(payments, amount)
        payments.create_transfer(sent.body, key=sent.key)
        return _taken_since(once, payments, sent, amount)

    after, words = confirm_with_each(again, 167, 191)
    expect(after, computed("one key takes money once", words))


@requirement("PAY-IDEM-17")
def test_a_conflict_takes_no_money(payments: Payments) -> None:
    """The other transfer is not made, so nothing is due for it."""

    def taken(other: int) -> tuple[Exchange, bool]:
        sent, once = _debited(payments, 173)
        require_refusal(payments.create_transfer({**sent.body, "amount": other}, key=sent.key), 409)
        return _taken_since(once, payments, sent, other)

    after, words = confirm_with_each(taken, 179, 193)
    expect(after, computed("a conflict takes no money", words))


@requirement("PAY-BAL-10")
def test_what_a_payment_does_to_the_balance_is_noted(payments: Payments, observe: Observer) -> None:
    """Before the charge, after its creation, after its payment."""
    seen = [precondition(payments.get_balance())]
    made = id_of(precondition(payments.create_charge(a_charge())))
    seen.append(precondition(payments.get_balance()))
    precondition(payments.pay_charge(made))
    seen.append(precondition(payments.get_balance()))
    created, paid = wallet_changes(*seen[:2]), wallet_changes(*seen[1:])
    words = f"the creation of a charge of 10.50 moves {created}; its payment moves {paid}"
    observe("PAY-BAL-10", words, [one.at("data") for one in seen], *seen)


@requirement("PAY-BAL-10")
def test_what_a_transfer_does_to_the_balance_is_noted(payments: Payments, observe: Observer) -> None:
    """Before the transfer, after its creation, after its completion; the wallet has been filled before."""
    ours = account(payments)
    _ = ours.plain_transfer
    seen = [precondition(payments.get_balance())]
    sent = ours.sent(amount=100)
    seen.append(precondition(payments.get_balance()))
    precondition(ours.complete(ours.wait_for_approval(sent)))
    seen.append(precondition(payments.get_balance()))
    created, completed = wallet_changes(*seen[:2]), wallet_changes(*seen[1:])
    words = f"the creation of a transfer of 1.00 moves {created}; its completion moves {completed}"
    observe("PAY-BAL-10", words, [one.at("data") for one in seen], *seen)
