"""Mutants of PAY-EVT: the webhooks and the postbackUrl that receive an event."""

import asyncio
import json
from typing import Any, ClassVar

from pix_conformance.proof.mutants.payments.events_charges import HookPathLowered, HookWithoutQuery, StopsAtFailure
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class SendsUnasked(PaymentsRules):
    """Sends one event to webhooks that subscribe to another only."""

    event: ClassVar[str] = ""
    subscribed_to: ClassVar[str] = ""

    def subscribes(self, hook: Row, event: str) -> bool:
        """Judge it as wanted too."""
        wanted = event == self.event and self.subscribed_to in json.loads(hook["events"])
        return wanted or super().subscribes(hook, event)


globals().update(
    family(__name__, "events", SendsUnasked, {
        "PaidToCreated": ("transaction_paid reaches webhooks for transaction_created too.", "PAY-EVT-11",
            {"event": "transaction_paid", "subscribed_to": "transaction_created"}),
        "CreatedToPaid": ("transaction_created reaches webhooks for transaction_paid too.", "PAY-EVT-11",
            {"event": "transaction_created", "subscribed_to": "transaction_paid"}),
        "UpdatedToCompleted": ("transfer_updated reaches webhooks for transfer_completed too.", "PAY-EVT-11",
            {"event": "transfer_updated", "subscribed_to": "transfer_completed"}),
        "CompletedToInfraction": ("transfer_completed reaches webhooks for infraction too.", "PAY-EVT-11",
            {"event": "transfer_completed", "subscribed_to": "infraction"}),
    })
)  # fmt: skip


class EventsToAllWebhooks(PaymentsRules):
    """Every event reaches every webhook of the account."""

    breaks = ("PAY-EVT-11",)
    group = "events"

    def subscribes(self, hook: Row, event: str) -> bool:
        """Look at nothing."""
        del hook, event
        return True


class EventsOfAFamily(PaymentsRules):
    """A webhook for one event of charges receives all events of charges."""

    breaks = ("PAY-EVT-11",)
    group = "events"

    def subscribes(self, hook: Row, event: str) -> bool:
        """Compare what stands before the underscore."""
        families = {name.partition("_")[0] for name in json.loads(hook["events"])}
        return event.partition("_")[0] in families


class PaidToldAsUpdated(PaymentsRules):
    """A webhook for transaction_updated hears of payments too."""

    breaks = ("PAY-EVT-11",)
    group = "events"
    event, neighbour = "transaction_paid", "transaction_updated"

    def subscribes(self, hook: Row, event: str) -> bool:
        """Call it an update."""
        return (event == self.event and self.neighbour in hook["events"]) or super().subscribes(hook, event)


class CompletedToldAsUpdated(PaidToldAsUpdated):
    """A webhook for transfer_updated hears of completions too."""

    breaks = ("PAY-EVT-11",)
    group = "events"
    event, neighbour = "transfer_completed", "transfer_updated"


class EventsToFirstWebhook(PaymentsRules):
    """Of several webhooks for an event only the oldest receives it."""

    breaks = ("PAY-EVT-12",)
    group = "events"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Stop after one."""
        return super().listeners(event, owner)[:1]


class EventsToNewestWebhook(PaymentsRules):
    """Of several webhooks for an event only the newest receives it."""

    breaks = ("PAY-EVT-12",)
    group = "events"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Skip the others."""
        return super().listeners(event, owner)[-1:]


class CompletedToFirstWebhook(PaymentsRules):
    """Of several webhooks for transfer_completed only the oldest receives it; of other events each."""

    breaks = ("PAY-EVT-12",)
    group = "events"
    lonely = "transfer_completed"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Stop after one."""
        found = super().listeners(event, owner)
        return found[:1] if event == self.lonely else found


class CreatedToFirstWebhook(CompletedToFirstWebhook):
    """Of several webhooks for transaction_created only the oldest receives it; of other events each."""

    breaks = ("PAY-EVT-12",)
    group = "events"
    lonely = "transaction_created"


class PostbackNeedsWebhook(PaymentsRules):
    """Where no webhook asks for an event, its postbackUrl does not receive it either."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def posts_back(self, event: str, row: Row) -> bool:
        """Look whether anybody listens."""
        owner = Access(row["account"], row["environment"])
        return bool(self.listeners(event, owner)) and super().posts_back(event, row)


class SplitNotPostedBack(PaymentsRules):
    """The postbackUrl of a charge with splits is not told of its payment."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def posts_back(self, event: str, row: Row) -> bool:
        """Look at the splits."""
        split = event == "transaction_paid" and row["splits"] != "[]"
        return not split and super().posts_back(event, row)


class FailureStopsPostback(StopsAtFailure):
    """The postbackUrl is told once every webhook has answered 2xx."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Tell it last."""
        self.world.outbox.begin(self._to_all(event, row, payload))

    async def _to_all(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        letters = [self.webhook_request(hook["url"], payload, hook) for hook in self.listeners(event, owner_of(row))]
        all_of_them = await asyncio.gather(*(self._through([letter]) for letter in letters))
        if all(all_of_them) and row["postback_url"] and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)


class PostbackPathLowered(HookPathLowered):
    """Events come to the path of a postbackUrl in small letters."""

    breaks = ("PAY-EVT-13", "PAY-EVT-15")
    group = "events"
    of_hooks = False


class PostsNotBack(PaymentsRules):
    """Does not send one event to the postback address."""

    event: ClassVar[str] = ""

    def posts_back(self, event: str, row: Row) -> bool:
        """Judge it as not wanted."""
        return event != self.event and super().posts_back(event, row)


globals().update(
    family(__name__, "events", PostsNotBack, {
        "NoPostbackPaid": ("The postbackUrl of a charge is not told of its payment.", "PAY-EVT-13",
            {"event": "transaction_paid"}),
        "NoPostbackTransferCompleted": ("The postbackUrl of a transfer is not told of its completion.", "PAY-EVT-15",
            {"event": "transfer_completed"}),
        "NoPostbackTransferCreated": ("The postbackUrl of a transfer is not told of its creation.", "PAY-EVT-16",
            {"event": "transfer_created"}),
        "NoPostbackTransferUpdated": ("The postbackUrl of a transfer is not told of its approval.", "PAY-EVT-92",
            {"event": "transfer_updated"}),
        "NoPostbackTransferCanceled": ("The postbackUrl of a canceled transfer is not told of that.", "PAY-EVT-93",
            {"event": "transfer_canceled", "overdrawn_status": "canceled"}),
    })
)  # fmt: skip


class WebhookInsteadOfPostback(PaymentsRules):
    """The postbackUrl of a charge is told of its payment only where no webhook is."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def posts_back(self, event: str, row: Row) -> bool:
        """Look for webhooks first."""
        return super().posts_back(event, row) and not self.listeners(event, owner_of(row))


class PostbackAddressOnce(PaymentsRules):
    """A postbackUrl is told of the first payment only, though other charges name it too."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Remember what an address was told."""
        told = self.__dict__.setdefault("told_addresses", set())
        one = (row["postback_url"], event)
        super().send_event(event, row | ({"postback_url": None} if one in told else {}), payload)
        told.add(one)


class PostbackWithoutQuery(HookWithoutQuery):
    """Events come to a postbackUrl without its query."""

    breaks = ("PAY-EVT-13", "PAY-EVT-15")
    group = "events"
    of_hooks = False


class DescribedTransferNotPostedBack(PaymentsRules):
    """A transfer with a description is not told to its postbackUrl."""

    breaks = ("PAY-EVT-15",)
    group = "events"

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Any:
        """Lose the address."""
        return super().open_transfer(call, read | ({"postbackUrl": None} if read["description"] else {}))


class PostbackOfAll(PaymentsRules):
    """The postbackUrl of a charge is told of the payments of later charges too."""

    breaks = ("PAY-EVT-17",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send it to every address that was ever named."""
        super().send_event(event, row, payload)
        known = {"account": row["account"], "environment": row["environment"]}
        charges = self.store.rows("payments_charge", **known)
        urls = {one["postback_url"] for one in charges if one["postback_url"]} - {row["postback_url"]}
        for url in urls if event == "transaction_paid" else ():
            self.send_webhook_request(url, payload, None)


class PostbackOfTransfersToCharges(PaymentsRules):
    """The postbackUrl of the newest charge is told of transfers too."""

    breaks = ("PAY-EVT-17",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send transfers to the newest address of a charge."""
        super().send_event(event, row, payload)
        charges = self.store.rows("payments_charge", "seq DESC", account=row["account"])
        url = next((one["postback_url"] for one in charges if one["postback_url"]), None)
        if url and event.startswith("transfer"):
            self.send_webhook_request(url, payload, None)
