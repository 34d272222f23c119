"""Mutants of PAY-PAYS: a charge that is paid again, later or at the same time."""

import asyncio
from collections import Counter
from functools import cached_property

from pix_conformance.proof.mutants.operators.payments.charges import RemembersCharges
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, answering, refusing
from pix_conformance.proof.mutants.operators.payments.time import LONG
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class LargeChargePaidAgain(RemembersCharges):
    """A charge of 1,000.00 or more can be paid again."""

    breaks = ("PAY-PAYS-12",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the amount."""
        return super().may_pay(charge) or self.means(charge)


class DescribedPaidAgain(PaymentsRules):
    """A charge with a description can be paid again."""

    breaks = ("PAY-PAYS-12",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the description."""
        return bool(charge["description"]) or super().may_pay(charge)


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "SecondPayConflict": ("A second pay is refused with 409.", "PAY-PAYS-12",
            refusing("state", "pay_charge", answering(409, "CONFLICT"))),
        "SecondPayUnprocessable": ("A second pay is refused with 422.", "PAY-PAYS-12",
            refusing("state", "pay_charge", answering(422))),
        "SecondPayForbidden": ("A second pay is refused with 403.", "PAY-PAYS-12",
            refusing("state", "pay_charge", answering(403, "FORBIDDEN"))),
        "SecondPayNotFound": ("A charge that was paid is no longer found by pay.", "PAY-PAYS-12",
            refusing("state", "pay_charge", answering(404, "NOT_FOUND"))),
    })
)  # fmt: skip


class PaysAgain(PaymentsRules):
    """A paid charge can be paid again."""

    breaks = ("PAY-PAYS-12",)
    group = "state"
    charge_payable = ("pending", "paid")


class PaysAgainAsReplay(PaymentsRules):
    """A second pay is answered like the first, and has no effect."""

    breaks = ("PAY-PAYS-12",)
    group = "state"

    async def pay_charge(self, call: Call) -> Answer:
        """Answer what is recorded."""
        charge = self.owned(call, "payments_charge", call.params["id"])
        paid = charge["status"] == "paid"
        return Answer(200, self.pay_answer(call, charge)) if paid else await super().pay_charge(call)


class SecondPayReopens(PaymentsRules):
    """A second pay is refused, and leaves the charge pending."""

    breaks = ("PAY-PAYS-13", "PAY-PAYS-11", "PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21")
    group = "state"

    def not_payable(self, charge: Row) -> Refusal:
        """Undo what was."""
        self.store.update("payments_charge", {"status": "pending"}, id=charge["id"])
        return super().not_payable(charge)


class SecondPayCancels(PaymentsRules):
    """A second pay is refused, and the charge returned to its payer."""

    breaks = ("PAY-PAYS-13",)
    group = "state"

    def not_payable(self, charge: Row) -> Refusal:
        """Refund it."""
        self.store.update("payments_charge", {"status": "refunded"}, id=charge["id"])
        return super().not_payable(charge)


class PaysTwiceAtOnce(PaymentsRules):
    """Several pays of one charge at the same time are all accepted: look, wait, act."""

    breaks: tuple[str, ...] = ("PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21")
    group = "concurrency"

    async def pause(self, call: Call, place: str) -> None:
        """Wait after the look."""
        del call
        await asyncio.sleep(LONG if place == "pay" else 0)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Act without looking again."""
        return self.store.update("payments_charge", changes, id=charge["id"]) == 1


class PaymentsAtOnceOfOwnIds(PaysTwiceAtOnce):
    """Several pays of one charge at the same time are all accepted, each with its own endToEndId, and pay in once."""

    breaks = ("PAY-PAYS-18", "PAY-PAYS-21")
    group = "concurrency"

    def settle(self, charge: Row) -> None:
        """Book the first alone."""
        settled: set[str] = self.__dict__.setdefault("settled", set())
        if charge["id"] not in settled:
            super().settle(charge)
        settled.add(charge["id"])


class PaysNoneAtOnce(PaymentsRules):
    """Of several pays of one charge at the same time every one is refused: each sees the other."""

    breaks = ("PAY-PAYS-18",)
    group = "concurrency"

    async def pay_charge(self, call: Call) -> Answer:
        """Wait, and refuse if another one waits."""
        charge = self.owned(call, "payments_charge", call.params["id"])
        self._waiting[charge["id"]] += 1
        await asyncio.sleep(LONG)
        crowded = self._waiting[charge["id"]] > 1
        await asyncio.sleep(LONG)
        self._waiting[charge["id"]] -= 1
        if crowded:
            raise self.not_payable(charge)
        return await super().pay_charge(call)

    @cached_property
    def _waiting(self) -> Counter[str]:
        return Counter()


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


class RefusedPayCredits(PaymentsRules):
    """A second pay is refused, and its amount paid in once more."""

    breaks = ("PAY-PAYS-22",)
    group = "state"

    def not_payable(self, charge: Row) -> Refusal:
        """Book it before the status is looked at."""
        self.settle(charge)
        return super().not_payable(charge)
