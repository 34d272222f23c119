"""Mutants of PAY-BAL, the balance."""

from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.proof.mutants.operators.responses import in_response, responds_with
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "schema"


def pay_in_twice(rules: Any, charge: Row) -> None:
    PaymentsRules.credit_payment(rules, charge)
    PaymentsRules.credit_payment(rules, charge)


MUTANTS = {
    "PAY-BAL-01": {"returns-203": responds_with("get_balance", 203)},
    "PAY-BAL-07": {"cents-lost": setting(
            "Balances lose their cents.", money_text=lambda _, cents: f"{cents // 100}.00").of("limits")},
    "PAY-BAL-08": {"thousands-separated": in_response("get_balance", "data.reserve.balance", "1,234.50")},
    "PAY-BAL-09": {"wallets-exchanged": in_response(
            "get_balance", "data", lambda data: data | {"pix": data["pixBlocked"], "pixBlocked": data["pix"]})
            .says("The free balance is shown as the blocked one, and the other way round.")},
    "PAY-BAL-11": {"cents-with-decimals": setting(
            "Balances count cents, with two decimals behind them.", money_text=lambda _, cents: f"{cents}.00")},
    "PAY-BAL-12": {"free-is-reserved": in_response("get_balance", "data", lambda data: data | {"reserve": data["pix"]})
            .says("What is free is shown in reserve as well.").of("state")},
    "PAY-BAL-13": {"paid-in-twice": setting("A payment is paid in twice.", credit_payment=pay_in_twice).of("state")},
    "PAY-BAL-14": {"completion-debits-again": changes_result(
            "A transfer takes its amount when it is created, and again when it is completed.",
            book_completion=lambda rules, _, transfer: rules.book_transfer(transfer)).of("state")},
}  # fmt: skip
