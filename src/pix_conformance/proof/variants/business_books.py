"""Freedoms of the business charge API in what it keeps: keys that are alike, postings beside those of payments."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row


class NeighbouringKeys(BusinessRules):
    """What follows the prefix of a key is not said: those of two accounts differ in their last sign."""

    def __init__(self, world: World) -> None:
        """Number the keys."""
        super().__init__(world)
        stem = world.accounts.keys["merchant"]
        world.accounts.keys.update(merchant=f"{stem}1", other_merchant=f"{stem}0")


class BooksWhatIsDue(BusinessRules):
    """What is posted beside a payment is not said: a new charge is due, and no longer so when it ends unpaid."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Post what is due."""
        answer = super().open_charge(call, read)
        self.due(call.access, "charge.created", ("receivable", "deferred"), read["amount_cents"])
        return answer

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Take it back."""
        claimed = super().claim_charge(charge, changes)
        if claimed and changes.get("status") in {"canceled", "expired"}:
            owner = Access(charge["account"], charge["environment"])
            self.due(owner, "charge.reversed", ("deferred", "receivable"), charge["amount"])
        return claimed

    def due(self, owner: Access, event_type: str, accounts: tuple[str, str], amount: int) -> None:
        """Post between two accounts."""
        debited, credited = accounts
        self.post(owner, event_type, "not yet paid", (debited, DEBIT, amount), (credited, CREDIT, amount))


class SettlesSoon(BusinessRules):
    """When an account is settled is not said: a moment after each payment all of it goes to the bank."""

    def capture(self, charge: Row) -> None:
        """Credit it, then settle."""
        super().capture(charge)
        asyncio.get_running_loop().call_later(random.random() * 0.3, self.settle, charge)  # noqa: S311  # jitter

    def settle(self, charge: Row) -> None:
        """Move it on."""
        amount, owner = charge["amount"], Access(charge["account"], charge["environment"])
        self.post(owner, "settlement", "to the bank", ("merchant_available", DEBIT, amount), ("bank", CREDIT, amount))


FREEDOMS = [
    Freedom("business-neighbours", ("BUS-AUTH-07",), {"last-sign": NeighbouringKeys}),
    Freedom("business-settlement", ("BUS-FIN-20",), {"soon": SettlesSoon}),
    Freedom("business-accruals", ("BUS-FIN-19", "BUS-FIN-20"), {"due": BooksWhatIsDue}),
]
