"""Mutants of PAY-BAL, the balance."""

import re
from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.proof.mutants.operators.fields import requires_body
from pix_conformance.proof.mutants.operators.responses import in_response, responds_with
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "schema"


def pay_in_twice(rules: Any, charge: Row) -> None:
    PaymentsRules.credit_payment(rules, charge)
    PaymentsRules.credit_payment(rules, charge)


MUTANTS = {
    "PAY-BAL-01": {
        "returns-203": responds_with("get_balance", 203),
        "requires-a-body": requires_body("get_balance").of("schema"),
    },
    "PAY-BAL-07": {
        "cents-lost": setting(
            "Balances lose their cents.", money_text=lambda _, cents: f"{cents // 100}.00").of("limits"),
        "six-digits": setting(
            "Balances are rounded to six digits.", money_text=lambda _, cents: f"{float(f'{cents / 100:.6g}'):.2f}"),
        "in-cents": in_response("get_balance", "data.pix.balance", lambda text: str(int(float(text) * 100)))
            .says("The free balance is a string of cents."),
        "no-decimals-if-whole": in_response(
            "get_balance", "data.pix.balance", lambda text: text if text == "0.00" else text.removesuffix(".00"))
            .says("The free balance of whole reais has no decimals, unless it is zero."),
        "last-zero-lost": in_response(
            "get_balance", "data.pix.balance", lambda text: re.sub(r"(?<=[1-9])0$", "", text))
            .says("The free balance loses the last zero of whole tens of cents: 10.4."),
        "with-currency": in_response("get_balance", "data.pix.balance", lambda text: f"R$ {text}").also("PAY-BAL-08")
            .says("The free balance is written with the sign of the currency."),
        "one-decimal": in_response("get_balance", "data.reserve.balance", lambda text: str(float(text)))
            .says("The reserve is written as JSON would write the number: 0.0."),
        "four-decimals": in_response("get_balance", "data.pixBlocked.balance", lambda text: f"{float(text):.4f}")
            .says("The blocked balance has four decimals."),
    },
    "PAY-BAL-08": {
        "comma": in_response("get_balance", "data.pix.balance", lambda text: text.replace(".", ","))
            .says("The free balance is written with a comma."),
        "thousands-separated": in_response("get_balance", "data.reserve.balance", "1,234.50"),
    },
    "PAY-BAL-09": {
        "wallets-exchanged": in_response(
            "get_balance", "data", lambda data: data | {"pix": data["pixBlocked"], "pixBlocked": data["pix"]})
            .says("The free balance is shown as the blocked one, and the other way round."),
    },
    "PAY-BAL-11": {
        "cents-with-decimals": setting(
            "Balances count cents, with two decimals behind them.", money_text=lambda _, cents: f"{cents}.00"),
    },
    "PAY-BAL-12": {
        "free-is-reserved": in_response("get_balance", "data", lambda data: data | {"reserve": data["pix"]})
            .says("What is free is shown in reserve as well.").of("state"),
    },
    "PAY-BAL-13": {
        "paid-in-twice": setting("A payment is paid in twice.", credit_payment=pay_in_twice).of("state"),
    },
    "PAY-BAL-14": {
        "completion-debits-again": changes_result(
            "A transfer takes its amount when it is created, and again when it is completed.",
            book_completion=lambda rules, _, transfer: rules.book_transfer(transfer)).of("state"),
    },
}  # fmt: skip
