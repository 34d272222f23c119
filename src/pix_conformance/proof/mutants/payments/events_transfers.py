"""Mutants of PAY-EVT: events that the changes of a transfer send."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.events import (
    ONLY_COMPLETED,
    ChangesPayload,
    SendsNot,
    SilentAbout,
    about,
    in_payloads,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

SENT = "transfer_created"
COMPLETED = "transfer_completed"


globals().update(
    family(__name__, "events", SendsNot, {
        "NoTransferCreated": ("The creation of a transfer sends no event.", "PAY-EVT-03",
            {"event": "transfer_created"}),
        "NoTransferCompleted": ("The completion of a transfer sends no event.", "PAY-EVT-04",
            {"event": "transfer_completed"}),
        "NoTransferUpdated": ("The approval of a transfer sends no event.", "PAY-EVT-05",
            {"event": "transfer_updated"}),
        "NoTransferCanceled": ("A transfer beyond the balance is taken, and refused without an event.", "PAY-EVT-06",
            {"event": "transfer_canceled", "overdrawn_status": "refused"}),
        "NoCancellation": ("A transfer beyond the balance is taken, and canceled without an event.", "PAY-EVT-06",
            {"event": "transfer_canceled", "overdrawn_status": "canceled"}),
    })
)  # fmt: skip


class KeylessTransferUnannounced(PaymentsRules):
    """The creation of a transfer without an idempotency key sends no event."""

    breaks = ("PAY-EVT-03",)
    group = "events"

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Any:
        """Remember whether there is one."""
        self.__dict__["keyless"] = not self.idempotency_key(call)
        return super().open_transfer(call, read)

    def should_emit(self, event: str, row: Row) -> bool:
        """Say nothing."""
        return not (event == "transfer_created" and self.__dict__["keyless"]) and super().should_emit(event, row)


globals().update(
    family(__name__, "events", SilentAbout, {
        "DescribedTransferUnannounced": (
            "The creation of a transfer with a description sends no event.",
            "PAY-EVT-03",
            about(SENT, lambda row: row["description"]),
        ),
        "TransferToPhoneUnannounced": (
            "The creation of a transfer to a phone sends no event.",
            "PAY-EVT-03, seen in PAY-CMP-01",
            about(SENT, lambda row: row["pix_key"].startswith("+")),
        ),
        "SmallTransferUnannounced": (
            "The creation of a transfer of less than 1.00 sends no event.",
            "PAY-EVT-03, seen in PAY-CMP-01",
            about(SENT, lambda row: row["amount"] < 100),
        ),
        "LargeTransferUnannounced": (
            "The creation of a transfer of 10.00 or more sends no event.",
            "PAY-EVT-03",
            about(SENT, lambda row: row["amount"] >= 1000),
        ),
        "LargeCompletionUnannounced": (
            "The completion of a transfer of 10.00 or more sends no event.",
            "PAY-EVT-04",
            about(COMPLETED, lambda row: row["amount"] >= 1000),
        ),
        "DescribedCompletionUnannounced": (
            "The completion of a transfer with a description sends no event.",
            "PAY-EVT-04",
            about(COMPLETED, lambda row: row["description"]),
        ),
        "LargerTransferNotUpdated": (
            "The approval of a transfer of 4.00 and more sends no event.",
            "PAY-EVT-05, seen in PAY-TRF-65 PAY-CMP-01",
            about("transfer_updated", lambda row: row["amount"] >= 400),
        ),
    })
)  # fmt: skip


class CompletedNeedsPostback(PaymentsRules):
    """transfer_completed is sent for transfers with a postbackUrl only."""

    breaks = ("PAY-EVT-04",)
    group = "events"
    silent = "transfer_completed"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look for the address."""
        return super().should_emit(event, row) and (event != self.silent or bool(row["postback_url"]))


class TransferCreatedNeedsPostback(CompletedNeedsPostback):
    """transfer_created is sent for transfers with a postbackUrl only."""

    breaks = ("PAY-EVT-03",)
    group = "events"
    silent = "transfer_created"


class CompletedOnCreation(PaymentsRules):
    """transfer_completed is sent when a transfer is created, and not when it is completed."""

    breaks = ("PAY-EVT-04",)
    group = "events"

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send it too early."""
        if event != "transfer_completed":
            super().emit(event, kind, row)
        if event == "transfer_created":
            super().emit("transfer_completed", kind, row)


globals().update(
    family(__name__, "events", ChangesPayload, {
        "CompletedNamesUpdated": ("transfer_completed calls itself transfer_updated.", "PAY-EVT-04",
            in_payloads(ONLY_COMPLETED, "event", "transfer_updated")),
    })
)  # fmt: skip
