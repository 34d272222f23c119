"""Mutants of PAY-TRF: the statuses of a transfer."""

from pix_conformance.proof.mutants.operators.payments.refusals import CREATE_TRANSFER, GET_TRANSFER
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, once_completed
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

AGAIN_S = 2.5
SOON_S = 2.0


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "TransferStatusPaid": ("The query shows a completed transfer as paid, as its callback does.",
            "PAY-TRF-39 PAY-CMP-10 PAY-TRF-73", in_answers(GET_TRANSFER, "data", once_completed({"status": "paid"}))),
        "TransferStatusApproved": ("A transfer is called approved between its approval and its completion.",
            "PAY-TRF-39", in_answers(GET_TRANSFER, "data.status", lambda s: "approved" if s == "processing" else s)),
        "TransferStatusNew": ("A new transfer is called created.", "PAY-TRF-39",
            in_answers(CREATE_TRANSFER, "data.status", "created")),
        "TransferStatusInCapitals": ("The status of a transfer is written in capitals.", "PAY-TRF-39",
            in_answers(CREATE_TRANSFER, "data.status", str.upper)),
        "TransferStatusCancelled": ("The query spells a status with two l: cancelled.", "PAY-TRF-39",
            in_answers(GET_TRANSFER, "data.status", lambda s: "cancelled" if s == "processing" else s)),
    })
)  # fmt: skip


class CompletedGoesOn(PaymentsRules):
    """A completed transfer is in bank processing again, a few seconds after its completion."""

    breaks = ("PAY-TRF-73",)
    group = "state"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        old = transfer["processed_at"] and self.clock.now() - transfer["processed_at"] > AGAIN_S
        return super().transfer_view(transfer | ({"status": "banking_processing"} if old else {}))


class JobTakesCompletionBack(PaymentsRules):
    """A transfer completed within two seconds of its creation is in bank processing again, a few seconds later."""

    breaks = ("PAY-TRF-73",)
    seen_in = ("PAY-CMP-01",)
    group = "state"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        done = transfer["processed_at"]
        hasty = done and done - transfer["created_at"] < SOON_S and self.clock.now() - done > AGAIN_S
        return super().transfer_view(transfer | ({"status": "banking_processing"} if hasty else {}))


class ReplayReopens(PaymentsRules):
    """A replay runs its transfer through the states again."""

    breaks = ("PAY-TRF-73",)
    group = "state"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Set it back."""
        answer = super().replay(call, earlier)
        if isinstance(answer.body, dict) and call.operation == "create_transfer":
            self.store.update("transfer", {"status": self.transfer_approved_status}, id=answer.body["data"]["id"])
        return answer


class CompletionUndone(PaymentsRules):
    """A completed transfer is canceled once it was queried."""

    breaks = ("PAY-TRF-73", "PAY-CMP-10")
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Answer, then cancel."""
        answer = await super().get_transfer(call)
        self.store.update("transfer", {"status": "canceled"}, id=call.params["id"], status="completed")
        return answer


class SecondCompletionReopens(PaymentsRules):
    """A second completion is refused, and the transfer canceled by it."""

    breaks = ("PAY-TRF-73",)
    group = "state"

    def not_completable(self, transfer: Row) -> Refusal:
        """Cancel what is completed."""
        if transfer["status"] == "completed":
            self.store.update("transfer", {"status": "canceled"}, id=transfer["id"])
        return super().not_completable(transfer)
