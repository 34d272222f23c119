"""Operators of balances, for both APIs: money of the wrong wallet."""

from typing import Any

from pix_conformance.proof.difference import Difference, changes_result, overrides
from pix_conformance.reference.call import Access
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

GROUP = "isolation"


def pays_into(second: Access) -> Difference:
    """Pay each payment of the payments API into another wallet as well, which held 5.00 before."""

    def credit(rules: Any, _right: None, charge: Row) -> None:
        if owner_of(charge) != second:
            net = charge["amount"] - charge["fees"]
            rules.post(second, "charge.paid", charge["id"], ("acquirer", DEBIT, net), ("pix", CREDIT, net))

    return changes_result(
        f"A payment is paid into the wallet of {second.book} as well.",
        credit_payment=credit,
        balance_of=lambda _, cents, access, _account: cents + (500 if access == second else 0),
    ).of(GROUP)


def raises_balance(payee: Access, second: Access) -> Difference:
    """Raise the balance of another account or environment with each payment of one, without a posting there."""

    def capture(rules: Any, _right: None, charge: Row) -> None:
        if owner_of(charge) == payee:
            held = rules.balance_of(second, "merchant_available") + charge["amount"]
            row = {"book": rules.book(second), "account_code": "merchant_available", "amount": held}
            rules.store.put("balance", row)

    sentence = f"A payment to {payee.book} raises the balance of {second.book} as well."
    return changes_result(sentence, capture=capture).of(GROUP)


def transfers_from(payer: Access) -> Difference:
    """Take the money of each transfer from another wallet, which held 10,000.00 before."""

    def book(rules: Any, _right: Any, transfer: Row) -> None:
        entries = ("pix", DEBIT, transfer["amount"]), ("in_flight", CREDIT, transfer["amount"])
        rules.post(payer, "transfer.created", transfer["id"], *entries)

    return overrides(
        f"A transfer is paid from the wallet of {payer.book}.",
        book_transfer=book,
        balance_of=lambda _, right, access, account: right(access, account) + (1_000_000 if access == payer else 0),
    ).of(GROUP)
