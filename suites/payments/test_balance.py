"""The balance (payments.md, lines 127-135 and 273-275)."""

from __future__ import annotations

from fixtures.builders.payments import a_charge
from fixtures.clients.payments import Payments
from fixtures.expect import expect, given, observe
from fixtures.requirement import requirement
from fixtures.stories.payments import account
from fixtures.stories.payments_balance import TWO_DECIMALS, ending_in_zero
from fixtures.stories.payments_charges import id_of
from fixtures.stories.payments_observing import wallets
from specs.judge.matchers import has, matches, status


@requirement("PAY-BAL-01")
def test_the_balance_is_queried(payments: Payments) -> None:
    """The route is called without a body."""
    expect(payments.get_balance(), status(200), has("data", "object"))


@requirement("PAY-BAL-07")
def test_a_balance_of_whole_tens_keeps_its_last_zero(payments: Payments) -> None:
    """Payments bring the free balance there; a number that is printed loses the zero."""
    expect(
        given(ending_in_zero(payments), has("data.pix.balance", "string")), matches("data.pix.balance", TWO_DECIMALS)
    )


@requirement("PAY-BAL-10")
def test_what_a_payment_does_to_the_balance_is_noted(payments: Payments) -> None:
    """Before the charge, after its creation, after its payment."""
    seen = [given(payments.get_balance())]
    made = id_of(given(payments.create_charge(a_charge())))
    seen.append(given(payments.get_balance()))
    given(payments.pay_charge(made))
    seen.append(given(payments.get_balance()))
    words = " -> ".join(map(wallets, seen))
    observe("PAY-BAL-10", f"a charge of 10.50, then its payment: {words}", [one.at("data") for one in seen], *seen)


@requirement("PAY-BAL-10")
def test_what_a_transfer_does_to_the_balance_is_noted(payments: Payments) -> None:
    """Before the transfer, after its creation, after its completion."""
    ours = account(payments)
    seen = [given(payments.get_balance())]
    sent = ours.sent(amount=100)
    seen.append(given(payments.get_balance()))
    given(ours.completing(ours.awaited(sent)))
    seen.append(given(payments.get_balance()))
    words = " -> ".join(map(wallets, seen))
    observe("PAY-BAL-10", f"a transfer of 1.00, then its completion: {words}", [one.at("data") for one in seen], *seen)
