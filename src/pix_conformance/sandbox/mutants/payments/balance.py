"""Mutants of PAY-BAL, the balance."""

from collections.abc import Callable
from typing import Any

from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"


def raises_wallet(wallet: str, cents_of: Callable[[int], int]) -> Difference:
    """Raise another wallet with each payment, beside the whole credit; the function gets the amount in cents."""

    def credit(rules: Any, _right: None, charge: Row) -> None:
        cents = cents_of(charge["amount"])
        rules.post(owner_of(charge), "charge.paid", charge["id"], ("acquirer", DEBIT, cents), (wallet, CREDIT, cents))

    sentence = f"A payment of 10.00 raises {wallet} by {cents_of(1_000)} cents, beside the whole credit."
    return changes_result(sentence, credit_payment=credit).of("state")


MUTANTS = {
    "PAY-BAL-01/returns-203": responds_with("get_balance", 203),
    "PAY-BAL-07/cents-lost": setting(
        "Balances lose their cents.", money_text=lambda _, cents: f"{cents // 100}.00").of("limits"),
    "PAY-BAL-08/thousands-separated": in_response("get_balance", "data.reserve.balance", "1,234.50"),
    "PAY-BAL-09/wallets-exchanged": in_response(
        "get_balance", "data", lambda data: data | {"pix": data["pixBlocked"], "pixBlocked": data["pix"]})
        .says("The free balance is shown as the blocked one, and the other way round."),
    "PAY-BAL-09/half-blocked": raises_wallet("pix_blocked", lambda cents: cents // 2),
    "PAY-BAL-09/five-cents-blocked": raises_wallet("pix_blocked", lambda _: 5),
    "PAY-BAL-11/cents-with-decimals": setting(
        "Balances count cents, with two decimals behind them.", money_text=lambda _, cents: f"{cents}.00"),
    "PAY-BAL-12/free-is-reserved": in_response("get_balance", "data", lambda data: data | {"reserve": data["pix"]})
        .says("What is free is shown in reserve as well.").of("state"),
    "PAY-BAL-12/half-reserved-besides": raises_wallet("reserve", lambda cents: cents // 2),
    "PAY-BAL-13/paid-in-twice": overrides(
        "A payment is paid in twice.", credit_payment=lambda _, right, charge: (right(charge), right(charge)))
        .also("PAY-PAYS-20").of("state"),
    "PAY-BAL-14/completion-debits-again": changes_result(
        "A transfer takes its amount when it is created, and again when it is completed.",
        book_completion=lambda rules, _, transfer: rules.book_transfer(transfer)).also("PAY-CMP-21").of("state"),
}  # fmt: skip
