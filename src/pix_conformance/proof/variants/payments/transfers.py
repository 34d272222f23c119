"""Conforming variants where PAY-TRF is silent: transfers."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.proof.variants.payments.completion import CompletesPending
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

NO_MONEY = "the balance does not suffice"
STEPS = ("pending_analysis", "queued", "processing", "banking_processing")
STEP_S = 0.15


class NeedsFunds(PaymentsRules):
    """A transfer beyond the free balance may be refused."""

    refuses_without_funds = True


class NeedsSettledFunds(NeedsFunds):
    """Paid money may be in reserve first, awaiting settlement (payments.md, line 135): for two seconds."""

    def __init__(self, world: ServerState) -> None:
        """Have nothing in reserve."""
        super().__init__(world)
        self._held: list[tuple[float, Access, int]] = []

    def settle(self, charge: Row) -> None:
        """Hold what comes into the wallet."""
        owner = owner_of(charge)
        before = super().balance_of(owner, "pix")
        super().settle(charge)
        self._held.append((time.monotonic() + 2, owner, super().balance_of(owner, "pix") - before))

    def balance_of(self, access: Access, account: str) -> int:
        """Show it in reserve as long."""
        held = sum(cents for ends, owner, cents in self._held if owner == access and ends > time.monotonic())
        return super().balance_of(access, account) + held * {"pix": -1, "reserve": 1}.get(account, 0)


class WantsMoney(PaymentsRules):
    """No rule and no code is shown for a transfer beyond the balance: one of its own, as for no bad body."""

    refuses_without_funds = True

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Answer:
        """Refuse in other words."""
        try:
            return super().open_transfer(call, read)
        except Refusal:
            raise Refusal("invalid", NO_MONEY) from None

    def error_code(self, refusal: Refusal) -> str:
        """Have a code for it."""
        return "INSUFFICIENT_FUNDS" if refusal.message == NO_MONEY else super().error_code(refusal)


class CancelsOverdrawn(PaymentsRules):
    """No rule is shown for a transfer beyond the balance: taken, then canceled (payments.md, lines 191 and 328)."""

    overdrawn_status = "canceled"


class RefusesOverdrawn(PaymentsRules):
    """No rule is shown for a transfer beyond the balance: taken, then refused (payments.md, lines 192 and 328)."""

    overdrawn_status = "refused"


class SmallLetters(PaymentsRules):
    """Whether brl is BRL is not shown."""

    def judge_currency(self, value: str) -> str | None:
        """Read capitals."""
        return super().judge_currency(value.upper())


class ApprovesInSteps(PaymentsRules):
    """Which statuses the approval passes through is not shown: four, each told by an event."""

    async def approve(self, transfer: Row) -> None:
        """Take one step after the other."""
        for status in STEPS:
            await asyncio.sleep(STEP_S)
            with self.store.transaction():
                changes = {"status": status, "updated_at": self.clock.now()}
                if not self.claim_transfer(transfer, changes):
                    return
                transfer = transfer | changes
                self.emit("transfer_updated", "transfer", transfer)


class ManualAnalysis(PaymentsRules):
    """Transfers pass the approval flow; through which statuses is not shown."""

    transfer_first_status = "manual_analysis"
    transfer_approved_status = "banking_processing"
    approval_seconds = 0.6


class StraightThrough(PaymentsRules):
    """A transfer may leave pending at once."""

    transfer_first_status = "queued"
    transfer_approved_status = "processing"
    approval_seconds = 0.0


class SlowApproval(PaymentsRules):
    """How long the approval takes is not shown."""

    approval_seconds = 2.0


class PatientApproval(PaymentsRules):
    """How long the approval takes is not shown."""

    approval_seconds = 6.0


class EndlessApproval(CompletesPending):
    """How long the approval takes is not shown, nor that a completion has to wait for it."""

    approval_seconds = 3_600.0


class AwaitsAnalysis(PaymentsRules):
    """Through which statuses a transfer passes is not shown: the bank, then an analysis that a completion ends."""

    transfer_first_status = "banking_processing"
    transfer_approved_status = "pending_analysis"


class StaysAsItWas(PaymentsRules):
    """Through which statuses a transfer passes is not shown: through none but the first."""

    transfer_first_status = "processing"

    async def approve(self, transfer: Row) -> None:
        """Leave it."""


class BankErrs(PaymentsRules):
    """Through which statuses a transfer passes is not shown: an error of the bank, which a completion overcomes."""

    transfer_approved_status = "banking_error"


class QuarterMinute(PaymentsRules):
    """How long the approval takes is not shown: fifteen seconds each."""

    approval_seconds = 15.0


class ChargesMore(PaymentsRules):
    """How fees are reckoned is not shown."""

    def transfer_fees(self, amount: int) -> int:  # flat
        """Take a flat fee of 80 cents on top."""
        return 80

    def charge_fees(self, amount: int) -> int:  # flat
        """Take nothing."""
        return 0

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Deliver the gross amount: the fee is taken from the wallet besides."""
        return super().new_transfer_view(transfer) | {"netAmount": transfer["amount"]}


class FeesOnPayment(PaymentsRules):
    """When the fees of a charge are known is not shown: on payment."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show none before."""
        view = super().charge_view(call, charge)
        return view if charge["status"] == "paid" else view | {"fees": 0}


class FeesOnCompletion(PaymentsRules):
    """When the fees of a transfer are known is not shown: on completion."""

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show none before."""
        view = super().new_transfer_view(transfer)
        return view if transfer["status"] == "completed" else view | {"fees": 0, "netAmount": transfer["amount"]}


class NetOfTax(PaymentsRules):
    """No sentence relates amount, fees and netAmount: a tax of one cent is taken too."""

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take it off."""
        view = super().new_transfer_view(transfer)
        return view | {"netAmount": max(0, view["netAmount"] - 1)}


class NetWithRebate(PaymentsRules):
    """No sentence relates amount, fees and netAmount: a rebate of two cents is added."""

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Add it."""
        view = super().new_transfer_view(transfer)
        return view | {"netAmount": view["netAmount"] + 2}


class NeverProcessed(PaymentsRules):
    """The processedAt of a transfer may be null: no sentence says that a simulated completion sets it."""

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show none."""
        return super().transfer_view(transfer) | {"processedAt": None}


class ProcessedOnApproval(PaymentsRules):
    """Processing is a status of its own, which ends before the completion: its end is the final moment."""

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Stamp the first change, and keep that."""
        first = transfer["processed_at"] or self.clock.now()
        return super().claim_transfer(transfer, changes | {"processed_at": first})


class ProcessedAtOnce(PaymentsRules):
    """From when on a transfer has a processedAt is not stated: from its creation."""

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Stamp it."""
        return super().new_transfer(access, read) | {"processed_at": self.clock.now()}

    def completed_changes(self, transfer: Row) -> Row:
        """Keep the stamp."""
        return super().completed_changes(transfer) | {"processed_at": transfer["processed_at"]}


class UpdatedByEditsOnly(PaymentsRules):
    """What counts as an update is not stated: a change of status does not."""

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show the moment of the creation."""
        return super().transfer_view(transfer | {"updated_at": transfer["created_at"]})


VARIANTS = [
    Variant("payments-funds", ("PAY-TRF-10",), {"needed": NeedsFunds, "settled": NeedsSettledFunds}),
    Variant("payments-money", ("PAY-TRF-10",), {"own-code": WantsMoney}),
    Variant("payments-overdrawn", ("PAY-TRF-10",), {"canceled": CancelsOverdrawn, "refused": RefusesOverdrawn}),
    Variant("payments-currency", ("PAY-TRF-15",), {"small": SmallLetters}),
    Variant("payments-steps", ("PAY-TRF-40",), {"four": ApprovesInSteps}),
    Variant(
        "payments-approval",
        ("PAY-TRF-40", "PAY-TRF-74"),
        {
            "manual": ManualAnalysis,
            "straight": StraightThrough,
            "slow": SlowApproval,
            "patient": PatientApproval,
            "endless": EndlessApproval,
            "quarter-minute": QuarterMinute,
        },
    ),
    Variant("payments-passage", ("PAY-TRF-40",), {"analysis": AwaitsAnalysis, "none": StaysAsItWas, "error": BankErrs}),
    Variant("payments-fees", ("PAY-TRF-43",), {"flat": ChargesMore}),
    Variant("payments-fees-later", ("PAY-TRF-43",), {"payment": FeesOnPayment, "completion": FeesOnCompletion}),
    Variant("payments-net", ("PAY-TRF-43", "PAY-TRF-76"), {"tax": NetOfTax, "rebate": NetWithRebate}),
    Variant(
        "payments-processed",
        ("PAY-TRF-68", "PAY-TRF-75", "PAY-TRF-79"),
        {"never": NeverProcessed, "approval": ProcessedOnApproval, "creation": ProcessedAtOnce},
    ),
    Variant("payments-edits", ("PAY-TRF-81",), {"only": UpdatedByEditsOnly}),
]
