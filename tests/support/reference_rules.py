"""Rules that depart, for the tests of the reference's process."""

import asyncio
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules


class AcceptsNinetyNine(PaymentsRules):
    """Departs in one limit."""

    minimum_charge = 99


class PaysTwice(PaymentsRules):
    """Looks, waits, and acts without looking again."""

    async def pause(self, call: Call, place: str) -> None:
        """Give others time."""
        await super().pause(call, place)
        await asyncio.sleep(0.05 if place == "pay" else 0)

    def claim_charge(self, charge: dict[str, Any], changes: dict[str, Any]) -> bool:
        """Set without comparing."""
        return self.store.update("payments_charge", changes, id=charge["id"]) == 1


class RefusesMeanwhile(PaymentsRules):
    """A right server: its bank refuses each transfer a moment after the approval, while a completion is under way."""

    transfer_incompletable = (*PaymentsRules.transfer_incompletable, "refused")

    async def pause(self, call: Call, place: str) -> None:
        """Take longer than the bank."""
        await super().pause(call, place)
        await asyncio.sleep(0.5 if place == "complete" else 0)

    async def approve(self, transfer: dict[str, Any]) -> None:
        """Have the bank refuse it, completed or not."""
        await super().approve(transfer)
        await asyncio.sleep(0.3)
        self.store.update("transfer", {"status": "refused"}, id=transfer["id"], status=self.transfer_approved_status)


class CompletionRefuses(PaymentsRules):
    """A wrong server: its bank refuses what is completed, and nothing else."""

    async def complete_transfer(self, call: Call) -> Answer:
        """Refuse it."""
        transfer = self.completable(call)
        self.store.update("transfer", {"status": "refused"}, id=transfer["id"])
        raise self.not_completable(transfer)


class Marked(WireRules):
    """Departs in both APIs."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Add a header."""
        answer.headers["x-marked"] = call.operation
        return super().respond(call, answer)
