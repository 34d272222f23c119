"""Mutants of PAY-EVT: events that must not be sent."""

import asyncio
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.payments.events import CREATED, PAID
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

UNKNOWN_CENTS = 7_654_321


class RefusedPaySends(PaymentsRules):
    """A second pay is refused, and sends transaction_paid once more."""

    breaks = ("PAY-EVT-18",)
    group = "events"

    def not_payable(self, charge: Row) -> Refusal:
        """Send, then refuse."""
        self.emit("transaction_paid", "transaction", charge)
        return super().not_payable(charge)


class RefusedCompletionSends(PaymentsRules):
    """A second completion is refused, and sends transfer_completed once more."""

    breaks = ("PAY-EVT-18",)
    group = "events"

    def not_completable(self, transfer: Row) -> Refusal:
        """Send, then refuse."""
        if transfer["status"] == "completed":
            self.emit("transfer_completed", "transfer", transfer)
        return super().not_completable(transfer)


class RefusedChargeSends(PaymentsRules):
    """A charge below the minimum is refused, and sends transaction_created."""

    breaks = ("PAY-EVT-18",)
    group = "events"

    async def create_charge(self, call: Call) -> Answer:
        """Send what was not created."""
        try:
            return await super().create_charge(call)
        except Refusal:
            read: dict[str, Any] = {"amountInCents": 99, "postbackUrl": None, "splits": [], "description": None}
            row = self.new_charge(call.access, read | {"customer": {"name": "x", "document": "52998224725"}})
            self.emit("transaction_created", "transaction", row)
            raise


class KeyConflictSends(PaymentsRules):
    """A transfer that is refused for its key sends transfer_created."""

    breaks = ("PAY-EVT-18", "PAY-IDEM-04")
    group = "events"

    async def create_transfer(self, call: Call) -> Answer:
        """Send what was not created."""
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            if refusal.kind == "key_conflict":
                row = self.new_transfer(call.access, self.read_transfer(self.json_body(call)))
                self.emit("transfer_created", "transfer", row)
            raise


class RefusedSplitsSend(PaymentsRules):
    """A charge whose splits exceed 100 in all is refused, and announced."""

    breaks: tuple[str, ...] = ("PAY-EVT-18",)
    group = "events"
    said, without = "in total", "splits"

    async def create_charge(self, call: Call) -> Answer:
        """Announce it before the sum is looked at."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            if self.said in refusal.message:
                self._announce(call)
            raise

    def _announce(self, call: Call) -> None:
        body: Any = self.json_body(call)
        rest = {name: value for name, value in body.items() if name != self.without}
        charge = self.new_charge(call.access, self.read_body(rest, self.charge_fields()))
        with self.store.transaction():
            self.emit("transaction_created", "transaction", charge)


class RefusedDescriptionSends(RefusedSplitsSend):
    """A charge whose description is too long is refused, and announced."""

    breaks = ("PAY-EVT-18",)
    group = "events"
    said, without = "description", "description"


class ForeignPaySends(PaymentsRules):
    """A pay by another account is refused with 404, and sends transaction_paid to the owner."""

    group = "isolation"
    breaks = ("PAY-EVT-18",)
    seen_in = ("PAY-ISO-02",)

    async def pay_charge(self, call: Call) -> Answer:
        """Send, then refuse."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            for charge in self.store.rows("payments_charge", id=call.params["id"], status="pending"):
                told = charge | {"status": "paid"}
                self.send_event(PAID, told, self.event_payload(PAID, "transaction", told))
            raise refusal from None


class EventsTwice(PaymentsRules):
    """Every event is sent twice, though it was received."""

    breaks = ("PAY-EVT-19",)
    group = "events"
    event_copies = 2


class PaidAgainLater(PaymentsRules):
    """transaction_paid is sent again a second after it was received, with another id."""

    breaks = ("PAY-EVT-19",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send, and again later."""
        super().send_event(event, row, payload)
        if event == "transaction_paid":
            self.world.outbox.begin(self._again(event, row, payload | {"id": self.event_id(event, row)}))

    async def _again(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        await asyncio.sleep(1)
        for hook in self.listeners(event, owner_of(row)):
            self.send_webhook_request(hook["url"], payload, hook)


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


class TellsOfNothing(PaymentsRules):
    """Sends an event about a charge or transfer that nobody created, after one of another."""

    after: ClassVar[str] = ""
    told: ClassVar[str] = ""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Make one up."""
        super().emit(event, kind, row)
        if event == self.after:
            super().emit(self.told, kind, row | {"id": self.new_charge_id(), "amount": row["amount"] + UNKNOWN_CENTS})


globals().update(
    family(__name__, "events", TellsOfNothing, {
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
    })
)  # fmt: skip
