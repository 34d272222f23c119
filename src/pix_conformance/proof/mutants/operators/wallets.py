"""Operators of balances, for both APIs: money of the wrong wallet."""

from typing import ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class PaysIntoAnother(PaymentsRules):
    """Pays each payment into the wallet of another account or environment as well."""

    second: ClassVar[Access]

    def credit_payment(self, charge: Row) -> None:
        super().credit_payment(charge)
        if owner_of(charge) != self.second:
            net = charge["amount"] - charge["fees"]
            self.post(self.second, "charge.paid", charge["id"], ("acquirer", DEBIT, net), ("pix", CREDIT, net))

    def balance_of(self, access: Access, account: str) -> int:
        return super().balance_of(access, account) + (500 if access == self.second else 0)


def pays_into(second: Access) -> Difference:
    """Pay each payment into another wallet as well, which held 5.00 before."""
    sentence = f"A payment is paid into the wallet of {second.book} as well."
    return Difference(sentence, PaysIntoAnother, {"second": second}, "isolation")


class RaisesAnother(BusinessRules):
    """Raises the balance of another account or environment with each payment of one, without a posting."""

    payee: ClassVar[Access]
    second: ClassVar[Access]

    def capture(self, charge: Row) -> None:
        super().capture(charge)
        if owner_of(charge) == self.payee:
            held = self.balance_of(self.second, "merchant_available") + charge["amount"]
            row = {"book": self.book(self.second), "account_code": "merchant_available", "amount": held}
            self.store.put("balance", row)


def raises_balance(payee: Access, second: Access) -> Difference:
    """Raise the balance of another account or environment with each payment of one, without a posting there."""
    sentence = f"A payment to {payee.book} raises the balance of {second.book} as well."
    return Difference(sentence, RaisesAnother, {"payee": payee, "second": second}, "isolation")


class TransfersFromAnother(PaymentsRules):
    """Takes the money of each transfer from the wallet of another account or environment."""

    payer: ClassVar[Access]

    def book_transfer(self, transfer: Row) -> None:
        entries = ("pix", DEBIT, transfer["amount"]), ("in_flight", CREDIT, transfer["amount"])
        self.post(self.payer, "transfer.created", transfer["id"], *entries)

    def balance_of(self, access: Access, account: str) -> int:
        return super().balance_of(access, account) + (1_000_000 if access == self.payer else 0)


def transfers_from(payer: Access) -> Difference:
    """Take the money of each transfer from another wallet, which held 10,000.00 before."""
    sentence = f"A transfer is paid from the wallet of {payer.book}."
    return Difference(sentence, TransfersFromAnother, {"payer": payer}, "isolation")
