"""Wallets of the payments API that are moved twice, or by a part of another sum."""

import asyncio

from pix_conformance.proof.mutants.payments.concurrency import LONG
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class PaidTwice(PaymentsRules):
    """A payment is paid in twice."""

    breaks = ("PAY-BAL-13",)
    group = "state"

    def settle(self, charge: Row) -> None:
        """Book it, and book it again."""
        super().settle(charge)
        super().settle(charge)


class RacingPayCredits(PaymentsRules):
    """Of several payments at once all are paid in, though one is accepted only."""

    breaks = ("PAY-PAYS-20",)
    group = "concurrency"

    async def pause(self, call: Call, place: str) -> None:
        """Wait after the look."""
        del call
        await asyncio.sleep(LONG if place == "pay" else 0)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Remember who came too late."""
        claimed = super().claim_charge(charge, changes)
        if not claimed:
            self.__dict__.setdefault("late_ones", []).append(charge)
        return claimed

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Book it where the refusal cannot undo it."""
        late = self.__dict__.get("late_ones", [])
        if call.operation == "pay_charge" and late:
            self.settle(late.pop())
        return super().refused(call, refusal)


class CompletedAgainDebits(PaymentsRules):
    """A second completion is refused, and its amount taken once more."""

    breaks = ("PAY-CMP-23",)
    group = "state"

    def not_completable(self, transfer: Row) -> Refusal:
        """Book it before the status is looked at."""
        if transfer["status"] == "completed":
            self.book_transfer(transfer)
        return super().not_completable(transfer)


class CompletionDebitsAgain(PaymentsRules):
    """A transfer takes its amount when it is created, and again when it is completed."""

    breaks = ("PAY-BAL-14",)
    group = "state"

    def book_completion(self, transfer: Row) -> None:
        """Take it again."""
        super().book_completion(transfer)
        self.book_transfer(transfer)


class SplitOfGross(PaymentsRules):
    """A split is a part of the gross amount of a payment."""

    breaks = ("PAY-SPL-18",)
    group = "state"

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Forget the fees."""
        del net
        return super().split_shares(charge, charge["amount"])
