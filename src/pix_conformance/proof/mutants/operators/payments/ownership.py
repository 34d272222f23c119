"""Whose data a mutant shows, and which transfer an idempotency key stands for."""

import json

from pix_conformance.reference.call import Access
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row

MERCHANT = ROLES["merchant"]
OWNER = Access("merchant-a", "sandbox")


class KeysOfTime(PaymentsRules):
    """Knows which transfer a key stands for."""

    def meant(self, earlier: Row) -> Row | None:
        """Give the transfer of a key as it is now."""
        return self.store.find("transfer", id=json.loads(earlier["body"])["data"]["id"])
