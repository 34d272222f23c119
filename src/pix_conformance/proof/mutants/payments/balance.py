"""Mutants of PAY-BAL, the balance."""

from pix_conformance.proof.difference import changes_result, overrides, setting
from pix_conformance.proof.mutants.operators.responses import in_response, responds_with

GROUP = "schema"


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
    "PAY-BAL-13": {"paid-in-twice": overrides(
            "A payment is paid in twice.", credit_payment=lambda _, right, charge: (right(charge), right(charge)))
            .also("PAY-PAYS-20").of("state")},
    "PAY-BAL-14": {"completion-debits-again": changes_result(
            "A transfer takes its amount when it is created, and again when it is completed.",
            book_completion=lambda rules, _, transfer: rules.book_transfer(transfer))
            .also("PAY-CMP-21").of("state")},
}  # fmt: skip
