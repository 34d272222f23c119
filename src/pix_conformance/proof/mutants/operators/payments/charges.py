"""Guards: charges that a mutant treats in another way."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import CNPJ_LENGTH
from pix_conformance.reference.call import Access
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

LARGE = 100_000
OTHER_PAYMENT = "E0000000020260101000000000000000"


def of_company(charge: Row) -> bool:
    """Whether the customer of a charge is a company: its number has 14 digits."""
    return len(charge["payer_document"]) == CNPJ_LENGTH


class RemembersCharges(PaymentsRules):
    """Knows the charges that it treats otherwise."""

    def __init__(self, *words: Any) -> None:
        """Know none."""
        super().__init__(*words)
        self._meant: set[str] = set()

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Judge a charge by what was sent."""
        return bool(read["amountInCents"] >= LARGE)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Remember it."""
        charge = super().new_charge(access, read)
        if self.is_meant(read):
            self._meant.add(charge["id"])
        return charge

    def means(self, charge: Row) -> bool:
        """Recognise it."""
        return charge["id"] in self._meant
