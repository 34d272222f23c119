"""Mutants of PAY-TRF: the timestamps of a transfer."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.refusals import GET_TRANSFER
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers, once_completed
from pix_conformance.proof.mutants.operators.payments.time import behind_utc
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

BRASILIA_S = 10_800


class TransferCreatedInLocalTime(PaymentsRules):
    """The createdAt of a transfer is the time of Brasilia, called UTC."""

    breaks = ("PAY-TRF-66",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Write three hours less."""
        return super().transfer_view(transfer) | {"createdAt": behind_utc(transfer["created_at"], 3)}


class TransferCreatedNow(PaymentsRules):
    """The createdAt and updatedAt of a transfer are the time of its query."""

    breaks = ("PAY-TRF-66", "PAY-TRF-79", "PAY-TRF-81")
    seen_in = ("PAY-CMP-01",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Write the present moment."""
        now = behind_utc(self.clock.now(), 0)
        return super().transfer_view(transfer) | {"createdAt": now, "updatedAt": now}


class TransferCreatedWhenCompleted(PaymentsRules):
    """The completion moves the createdAt of a transfer back."""

    breaks = ("PAY-TRF-66",)
    group = "time"

    def completed_changes(self, transfer: Row) -> Row:
        """Change it too."""
        return super().completed_changes(transfer) | {"created_at": transfer["created_at"] - 120}


class TransferUpdatedBeforeCreated(PaymentsRules):
    """The updatedAt of a transfer lies a minute before its createdAt."""

    breaks = ("PAY-TRF-67",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Write it too early."""
        return super().transfer_view(transfer) | {"updatedAt": behind_utc(transfer["created_at"] - 60, 0)}


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "TransferWithoutProcessedAt": ("A completed transfer has no processedAt.", "PAY-TRF-68",
            in_answers(GET_TRANSFER, "data", once_completed({"processedAt": None}))),
    })
)  # fmt: skip


class ProcessedFromTheStart(PaymentsRules):
    """A transfer has its final moment when it is created."""

    breaks = ("PAY-TRF-75",)
    group = "time"

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Set it already."""
        return super().new_transfer(access, read) | {"processed_at": self.clock.now()}


class ProcessedWhenCreated(PaymentsRules):
    """The processedAt of a completed transfer is the time of its creation."""

    breaks = ("PAY-TRF-79",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        processed = transfer["processed_at"] and transfer["created_at"]
        return super().transfer_view(transfer | {"processed_at": processed})


class ProcessedInBrasilia(PaymentsRules):
    """The processedAt of a transfer is the time of Brasilia, said to be UTC."""

    breaks = ("PAY-TRF-79",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Take three hours off."""
        processed = transfer["processed_at"] and transfer["processed_at"] - BRASILIA_S
        return super().transfer_view(transfer | {"processed_at": processed})


class ProcessedAlwaysNow(PaymentsRules):
    """The processedAt of a completed transfer is the time at which it is asked for."""

    breaks = ("PAY-TRF-80",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Look at the clock."""
        processed = transfer["processed_at"] and self.clock.now()
        return super().transfer_view(transfer | {"processed_at": processed})


class NeverUpdated(PaymentsRules):
    """The updatedAt of a transfer stays that of its creation."""

    breaks = ("PAY-TRF-81",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        return super().transfer_view(transfer | {"updated_at": transfer["created_at"]})
