"""Mutants of PAY-EVT: events that the creation and the payment of a charge send."""

from typing import Any
from urllib.parse import urlsplit

from pix_conformance.proof.mutants.operators.payments.charges import LARGE, RemembersCharges, of_company
from pix_conformance.proof.mutants.operators.payments.events import (
    CREATED,
    ONLY_PAID,
    PAID,
    ChangesPayload,
    SendsNot,
    SilentAbout,
    about,
    in_payloads,
)
from pix_conformance.proof.mutants.operators.payments.fields import CNPJ_LENGTH
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class SplitCreatedNotAnnounced(PaymentsRules):
    """transaction_created is sent for charges without splits only."""

    breaks = ("PAY-EVT-01",)
    group = "events"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look at the splits."""
        split = event == "transaction_created" and row["splits"] != "[]"
        return not split and super().should_emit(event, row)


class FirstTenHear(PaymentsRules):
    """An event is sent to the ten oldest webhooks that ask for it."""

    breaks: tuple[str, ...] = ("PAY-EVT-01",)
    group = "events"
    told = slice(10)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look at one page."""
        return super().listeners(event, owner)[self.told]


class FirstTwentyHear(FirstTenHear):
    """An event is sent to the twenty oldest webhooks that ask for it."""

    breaks = ("PAY-EVT-01",)
    group = "events"
    told = slice(20)


class LastThreeHear(FirstTenHear):
    """An event is sent to the three youngest webhooks that ask for it."""

    breaks = ("PAY-EVT-01",)
    group = "events"
    told = slice(-3, None)


class OldestOfAddressHears(PaymentsRules):
    """Of several webhooks with one url, the oldest alone is sent what it asks for."""

    breaks: tuple[str, ...] = ("PAY-EVT-01",)
    group = "events"
    youngest = False

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look the url up."""
        hooks = self.store.rows("webhook", "id", account=owner.account, environment=owner.environment)
        alone = {hook["url"]: hook["id"] for hook in (hooks if self.youngest else reversed(hooks))}
        return [hook for hook in super().listeners(event, owner) if hook["id"] in alone.values()]


class StopsAtFailure(PaymentsRules):
    """Webhooks are told one after the other, and those behind one that does not answer 2xx are not told."""

    breaks: tuple[str, ...] = ("PAY-EVT-01",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Go through them in the order of their registration, then tell the postback address."""
        letters = [self.webhook_request(hook["url"], payload, hook) for hook in self.listeners(event, owner_of(row))]
        self.world.outbox.begin(self._in_order(letters))
        if row["postback_url"] and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)

    async def _in_order(self, letters: list[WebhookRequest]) -> None:
        await self._through(letters)

    async def _through(self, letters: list[WebhookRequest]) -> bool:
        for letter in letters:
            if await letter.pause(1) and not await self.world.outbox.attempt(letter, 1):
                self.world.outbox.send(letter)
                return False
        return True


globals().update(
    family(__name__, "events", SendsNot, {
        "NoChargeCreated": ("The creation of a charge sends no event.", "PAY-EVT-01",
            {"event": "transaction_created"}),
        "NoChargePaid": ("The pay of a charge sends no event.", "PAY-EVT-02", {"event": "transaction_paid"}),
    })
)  # fmt: skip


class CreatedOnlyWithPostback(PaymentsRules):
    """transaction_created is sent for charges with a postbackUrl only."""

    breaks = ("PAY-EVT-01",)
    group = "events"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look for the address."""
        return event != "transaction_created" or bool(row["postback_url"])


globals().update(
    family(__name__, "events", SilentAbout, {
        "DescribedChargeUnannounced": (
            "The creation of a charge with a description sends no event.",
            "PAY-EVT-01",
            about(CREATED, lambda row: row["description"]),
        ),
        "CompanysChargeUnannounced": (
            "The creation of a charge for a cnpj sends no event.",
            "PAY-EVT-01",
            about(CREATED, lambda row: len(row["payer_document"]) == CNPJ_LENGTH),
        ),
        "SplitChargeUnannounced": (
            "The creation of a charge with splits sends no event.",
            "PAY-EVT-01",
            about(CREATED, lambda row: row["splits"] not in {None, "", "[]"}),
        ),
        "LargePaymentUnannounced": (
            "A payment of 1,000.00 and more sends no event.",
            "PAY-EVT-02, seen in PAY-AUTH-11",
            about(PAID, lambda row: row["amount"] >= LARGE),
        ),
        "SmallestPaymentUnannounced": (
            "A payment of less than 100.00 sends no event.",
            "PAY-EVT-02, seen in PAY-SPL-17",
            about(PAID, lambda row: row["amount"] < LARGE // 10),
        ),
    })
)  # fmt: skip


class CompanyPaymentNotAnnounced(PaymentsRules):
    """transaction_paid is sent for charges of persons only."""

    breaks = ("PAY-EVT-02", "PAY-EVT-13")
    group = "events"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look at the customer."""
        return not (event == "transaction_paid" and of_company(row)) and super().should_emit(event, row)


class BilledPaymentUnannounced(RemembersCharges):
    """The payment of a charge whose customer has a billingAddress sends no event."""

    breaks = ("PAY-EVT-02",)
    group = "events"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the customer."""
        return bool(read["customer"]["billingAddress"])

    def should_emit(self, event: str, row: Row) -> bool:
        """Say nothing of it."""
        return super().should_emit(event, row) and (event != "transaction_paid" or not self.means(row))


class YoungestOfAddressHears(OldestOfAddressHears):
    """Of several webhooks with one url, the youngest alone is sent what it asks for."""

    breaks = ("PAY-EVT-02",)
    group = "events"
    youngest = True


class HookWithoutQuery(PaymentsRules):
    """Events come to the url of a webhook without its query."""

    breaks: tuple[str, ...] = ("PAY-EVT-02",)
    group = "events"
    of_hooks = True

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Send it elsewhere."""
        meant = (hook is not None) is self.of_hooks
        super().send_webhook_request(self.elsewhere(url) if meant else url, payload, hook)

    def elsewhere(self, url: str) -> str:
        """Cut the query off."""
        return url.partition("?")[0]


class HookPathLowered(HookWithoutQuery):
    """Events come to the path of a webhook in small letters."""

    breaks: tuple[str, ...] = ("PAY-EVT-02",)
    group = "events"

    def elsewhere(self, url: str) -> str:
        """Lower the path."""
        path = urlsplit(url).path
        return url.replace(path, path.lower())


class PostbackInsteadOfWebhook(PaymentsRules):
    """A charge with a postbackUrl tells that address only, and no webhook."""

    breaks = ("PAY-EVT-02",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send one letter or the others."""
        if row["postback_url"] and event == "transaction_paid":
            self.send_webhook_request(row["postback_url"], payload, None)
        else:
            super().send_event(event, row, payload)


class LateWebhookHearsNothing(PaymentsRules):
    """An event goes to the webhooks that were there when its charge was created."""

    breaks = ("PAY-EVT-02",)
    group = "events"
    since = 0.0

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Remember the moment."""
        self.since = row["created_at"]
        super().send_event(event, row, payload)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Leave younger ones out."""
        return [hook for hook in super().listeners(event, owner) if hook["created_at"] <= self.since]


class SplitNotAnnounced(PaymentsRules):
    """transaction_paid is sent for charges without splits only."""

    breaks = ("PAY-EVT-02",)
    group = "events"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look at the splits."""
        return super().should_emit(event, row) and (event != "transaction_paid" or row["splits"] == "[]")


globals().update(
    family(__name__, "events", ChangesPayload, {
        "PaidNamesUpdated": ("transaction_paid calls itself transaction_updated.", "PAY-EVT-02",
            in_payloads(ONLY_PAID, "event", "transaction_updated")),
    })
)  # fmt: skip
