"""Events of the payments API that are missing, too many, or sent to the wrong address."""

import asyncio
import json
import uuid
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class SendsNot(PaymentsRules):
    """Does not send one event to the webhooks that subscribe to it."""

    event: ClassVar[str] = ""

    def subscribes(self, hook: Row, event: str) -> bool:
        """Judge it as not wanted."""
        return event != self.event and super().subscribes(hook, event)


class PostsNotBack(PaymentsRules):
    """Does not send one event to the postback address."""

    event: ClassVar[str] = ""

    def posts_back(self, event: str, row: Row) -> bool:
        """Judge it as not wanted."""
        return event != self.event and super().posts_back(event, row)


class SendsUnasked(PaymentsRules):
    """Sends one event to webhooks that subscribe to another only."""

    event: ClassVar[str] = ""
    subscribed_to: ClassVar[str] = ""

    def subscribes(self, hook: Row, event: str) -> bool:
        """Judge it as wanted too."""
        wanted = event == self.event and self.subscribed_to in json.loads(hook["events"])
        return wanted or super().subscribes(hook, event)


globals().update(
    family(__name__, "events", SendsNot, {
        "NoChargeCreated": ("The creation of a charge sends no event.", "PAY-EVT-01",
            {"event": "transaction_created"}),
        "NoChargePaid": ("The pay of a charge sends no event.", "PAY-EVT-02", {"event": "transaction_paid"}),
        "NoTransferCreated": ("The creation of a transfer sends no event.", "PAY-EVT-03",
            {"event": "transfer_created"}),
        "NoTransferUpdated": ("The approval of a transfer sends no event.", "PAY-EVT-05",
            {"event": "transfer_updated"}),
        "NoTransferCompleted": ("The completion of a transfer sends no event.", "PAY-EVT-04",
            {"event": "transfer_completed"}),
        "NoTransferCanceled": ("A transfer beyond the balance is taken, and refused without an event.", "PAY-EVT-06",
            {"event": "transfer_canceled", "overdrawn_status": "refused"}),
        "NoCancellation": ("A transfer beyond the balance is taken, and canceled without an event.", "PAY-EVT-06",
            {"event": "transfer_canceled", "overdrawn_status": "canceled"}),
    }),
    **family(__name__, "events", PostsNotBack, {
        "NoPostbackTransferCreated": ("The postbackUrl of a transfer is not told of its creation.", "PAY-EVT-16",
            {"event": "transfer_created"}),
        "NoPostbackTransferUpdated": ("The postbackUrl of a transfer is not told of its approval.", "PAY-EVT-92",
            {"event": "transfer_updated"}),
        "NoPostbackTransferCanceled": ("The postbackUrl of a canceled transfer is not told of that.", "PAY-EVT-93",
            {"event": "transfer_canceled", "overdrawn_status": "canceled"}),
        "NoPostbackPaid": ("The postbackUrl of a charge is not told of its payment.", "PAY-EVT-13",
            {"event": "transaction_paid"}),
        "NoPostbackTransferCompleted": ("The postbackUrl of a transfer is not told of its completion.", "PAY-EVT-15",
            {"event": "transfer_completed"}),
    }),
    **family(__name__, "events", SendsUnasked, {
        "PaidToCreated": ("transaction_paid reaches webhooks for transaction_created too.", "PAY-EVT-11",
            {"event": "transaction_paid", "subscribed_to": "transaction_created"}),
        "CreatedToPaid": ("transaction_created reaches webhooks for transaction_paid too.", "PAY-EVT-11",
            {"event": "transaction_created", "subscribed_to": "transaction_paid"}),
        "UpdatedToCompleted": ("transfer_updated reaches webhooks for transfer_completed too.", "PAY-EVT-11",
            {"event": "transfer_updated", "subscribed_to": "transfer_completed"}),
        "CompletedToInfraction": ("transfer_completed reaches webhooks for infraction too.", "PAY-EVT-11",
            {"event": "transfer_completed", "subscribed_to": "infraction"}),
    }),
)  # fmt: skip


class EventsToAllWebhooks(PaymentsRules):
    """Every event reaches every webhook of the account."""

    breaks = ("PAY-EVT-11",)

    def subscribes(self, hook: Row, event: str) -> bool:
        """Look at nothing."""
        del hook, event
        return True


class EventsOfAFamily(PaymentsRules):
    """A webhook for one event of charges receives all events of charges."""

    breaks = ("PAY-EVT-11",)

    def subscribes(self, hook: Row, event: str) -> bool:
        """Compare what stands before the underscore."""
        families = {name.partition("_")[0] for name in json.loads(hook["events"])}
        return event.partition("_")[0] in families


class EventsToFirstWebhook(PaymentsRules):
    """Of several webhooks for an event only the oldest receives it."""

    breaks = ("PAY-EVT-12",)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Stop after one."""
        return super().listeners(event, owner)[:1]


class EventsToNewestWebhook(PaymentsRules):
    """Of several webhooks for an event only the newest receives it."""

    breaks = ("PAY-EVT-12",)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Skip the others."""
        return super().listeners(event, owner)[-1:]


class PostbackInsteadOfWebhook(PaymentsRules):
    """A charge with a postbackUrl tells that address only, and no webhook."""

    breaks = ("PAY-EVT-02",)

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send one letter or the others."""
        if row["postback_url"] and event == "transaction_paid":
            self.send_letter(row["postback_url"], payload, None)
        else:
            super().send_event(event, row, payload)


class WebhookInsteadOfPostback(PaymentsRules):
    """The postbackUrl of a charge is told of its payment only where no webhook is."""

    breaks = ("PAY-EVT-13",)

    def posts_back(self, event: str, row: Row) -> bool:
        """Look for webhooks first."""
        return super().posts_back(event, row) and not self.listeners(event, owner_of(row))


class PostbackOfAll(PaymentsRules):
    """The postbackUrl of a charge is told of the payments of later charges too."""

    breaks = ("PAY-EVT-17",)

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send it to every address that was ever named."""
        super().send_event(event, row, payload)
        known = {"account": row["account"], "environment": row["environment"]}
        charges = self.store.rows("payments_charge", **known)
        urls = {one["postback_url"] for one in charges if one["postback_url"]} - {row["postback_url"]}
        for url in urls if event == "transaction_paid" else ():
            self.send_letter(url, payload, None)


class PostbackOfTransfersToCharges(PaymentsRules):
    """The postbackUrl of the newest charge is told of transfers too."""

    breaks = ("PAY-EVT-17",)

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send transfers to the newest address of a charge."""
        super().send_event(event, row, payload)
        charges = self.store.rows("payments_charge", "seq DESC", account=row["account"])
        url = next((one["postback_url"] for one in charges if one["postback_url"]), None)
        if url and event.startswith("transfer"):
            self.send_letter(url, payload, None)


class RefusedPaySends(PaymentsRules):
    """A second pay is refused, and sends transaction_paid once more."""

    breaks = ("PAY-EVT-18",)

    def not_payable(self, charge: Row) -> Refusal:
        """Send, then refuse."""
        self.emit("transaction_paid", "transaction", charge)
        return super().not_payable(charge)


class RefusedCompletionSends(PaymentsRules):
    """A second completion is refused, and sends transfer_completed once more."""

    breaks = ("PAY-EVT-18",)

    def not_completable(self, transfer: Row) -> Refusal:
        """Send, then refuse."""
        if transfer["status"] == "completed":
            self.emit("transfer_completed", "transfer", transfer)
        return super().not_completable(transfer)


class RefusedChargeSends(PaymentsRules):
    """A charge below the minimum is refused, and sends transaction_created."""

    breaks = ("PAY-EVT-18",)

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

    async def create_transfer(self, call: Call) -> Answer:
        """Send what was not created."""
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            if refusal.kind == "key_conflict":
                row = self.new_transfer(call.access, self.read_transfer(self.json_body(call)))
                self.emit("transfer_created", "transfer", row)
            raise


class EventsTwice(PaymentsRules):
    """Every event is sent twice, though it was received."""

    breaks = ("PAY-EVT-19",)
    event_copies = 2


class PaidAgainLater(PaymentsRules):
    """transaction_paid is sent again a second after it was received, with another id."""

    breaks = ("PAY-EVT-19",)

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send, and again later."""
        super().send_event(event, row, payload)
        if event == "transaction_paid":
            self.world.mail.begin(self._again(event, row, payload | {"id": self.event_id(event, row)}))

    async def _again(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        await asyncio.sleep(1)
        for hook in self.listeners(event, owner_of(row)):
            self.send_letter(hook["url"], payload, hook)


class CreatedOnlyWithPostback(PaymentsRules):
    """transaction_created is sent for charges with a postbackUrl only."""

    breaks = ("PAY-EVT-01",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Look for the address."""
        return event != "transaction_created" or bool(row["postback_url"])


class CompletedOnCreation(PaymentsRules):
    """transfer_completed is sent when a transfer is created, and not when it is completed."""

    breaks = ("PAY-EVT-04",)

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send it too early."""
        if event != "transfer_completed":
            super().emit(event, kind, row)
        if event == "transfer_created":
            super().emit("transfer_completed", kind, row)


class PaidBeforePay(PaymentsRules):
    """transaction_paid is sent when a charge is created."""

    breaks = ("PAY-EVT-50", "PAY-EVT-18", "PAY-EVT-54")
    seen_in = ("PAY-ISO-02",)

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send it besides."""
        super().emit(event, kind, row)
        if event == "transaction_created":
            super().emit("transaction_paid", kind, row)


class RetryOfAnotherId(PaymentsRules):
    """An event that is sent again has a new id."""

    breaks = ("PAY-EVT-21",)

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Make one for each attempt."""
        return super().write_event(attempt, payload | {"id": str(uuid.uuid4())}, secret)


class RetryWithAttempt(PaymentsRules):
    """An event that is sent again tells the number of the attempt in its body."""

    breaks = ("PAY-EVT-21",)

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Number the attempts."""
        return super().write_event(attempt, payload | ({"attempt": attempt} if attempt > 1 else {}), secret)


class EventsByPut(PaymentsRules):
    """Events are sent by PUT."""

    breaks = ("PAY-EVT-30",)
    event_method = "PUT"
