"""Events that say of a charge or transfer what never happened to it."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

CREATED, UNKNOWN_CENTS = "transaction_created", 7_654_321


class SendsAlso(PaymentsRules):
    """Sends a further event after one, with a status of its own."""

    after: ClassVar[str] = ""
    also: ClassVar[str] = ""
    status: ClassVar[str] = ""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send both."""
        super().emit(event, kind, row)
        if event == self.after:
            super().emit(self.also, kind, row | {"status": self.status})


class TellsOfNothing(PaymentsRules):
    """Sends an event about a charge or transfer that nobody created, after one of another."""

    after: ClassVar[str] = ""
    told: ClassVar[str] = ""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Make one up."""
        super().emit(event, kind, row)
        if event == self.after:
            super().emit(self.told, kind, row | {"id": self.new_charge_id(), "amount": row["amount"] + UNKNOWN_CENTS})


class RefusedPayerAnnounced(PaymentsRules):
    """A charge that is refused for the payer's e-mail is announced all the same, with an id of its own."""

    breaks = ("PAY-EVT-94",)
    seen_in = ("PAY-CUS-20",)
    group = "events"

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Announce before the complaint."""
        found = super().complaint(key, value, field)
        last = next(iter(self.store.rows("payments_charge")), None)
        if found and key == "customer.email" and last:
            told = last | {"id": self.new_charge_id(), "amount": UNKNOWN_CENTS, "postback_url": None}
            self.send_event(CREATED, told, self.event_payload(CREATED, "transaction", told))
        return found


globals().update(
    family(__name__, "events", SendsAlso, {
        "PaymentToldRefunded": (
            "A payment sends transaction_refunded as well, with the status refunded.",
            "PAY-EVT-49",
            {"after": "transaction_paid", "also": "transaction_refunded", "status": "refunded"},
        ),
        "CompletionToldCanceled": (
            "A completion sends transfer_canceled as well, with the status canceled.",
            "PAY-EVT-69",
            {"after": "transfer_completed", "also": "transfer_canceled", "status": "canceled"},
        ),
    }),
    **family(__name__, "events", TellsOfNothing, {
        "UnknownChargeAnnounced": (
            "The creation of a charge announces another one that nobody created.",
            "PAY-EVT-94",
            {"after": CREATED, "told": CREATED},
        ),
        "UnknownChargeRefunded": (
            "A payment sends transaction_refunded of a charge that nobody created.",
            "PAY-EVT-94",
            {"after": "transaction_paid", "told": "transaction_refunded"},
        ),
        "UnknownTransferCanceled": (
            "The creation of a transfer sends transfer_canceled of one that nobody created.",
            "PAY-EVT-94",
            {"after": "transfer_created", "told": "transfer_canceled"},
        ),
    }),
)  # fmt: skip
