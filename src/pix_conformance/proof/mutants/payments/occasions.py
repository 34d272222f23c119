"""Servers that are wrong on one occasion: a late webhook, a refusal that comes last, an id of another kind."""

from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def _without_query(data: dict[str, Any]) -> dict[str, Any]:
    hooks = [one | {"url": one["url"].partition("?")[0]} for one in data["webhooks"]]
    return data | {"webhooks": hooks}


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "HookListWithoutQuery": ("The list shows urls without their query.", "PAY-WH-53",
            in_answers("list_webhooks", "data", _without_query)),
    })
)  # fmt: skip


class RefusedHttpHookRecorded(PaymentsRules):
    """A webhook that is refused for its scheme is recorded all the same."""

    breaks = ("PAY-WH-35",)
    group = "state"

    async def create_webhook(self, call: Call) -> Answer:
        """Record before the url is looked at."""
        body = self.json_body(call)
        if isinstance(body, dict) and str(body.get("url")).startswith("http://"):
            self.store.insert("webhook", self.new_webhook(call, body))
        return await super().create_webhook(call)


class RefusedSplitsSend(PaymentsRules):
    """A charge whose splits exceed 100 in all is refused, and announced."""

    breaks: tuple[str, ...] = ("PAY-EVT-18",)
    group = "events"
    said, without = "in all", "splits"

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


class DescribedNeverCompleted(PaymentsRules):
    """A transfer with a description cannot be completed in the sandbox."""

    breaks = ("PAY-CMP-01",)
    group = "state"

    def may_complete(self, transfer: Row) -> bool:
        """Look at the description."""
        return super().may_complete(transfer) and not transfer["description"]


class SecretOfEitherEnvironment(PaymentsRules):
    """The secret of the production pair is taken with the id of the sandbox pair too."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Try the own secret where that of production was given."""
        clients = self.world.accounts.clients
        (sandbox, own), (_, live) = clients["merchant"], clients["live_merchant"]
        return super().find_client(client_id, own if (client_id, client_secret) == (sandbox, live) else client_secret)


class AnySecretInProduction(PaymentsRules):
    """The client secret is not looked at in production."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Put it right."""
        live, own = self.world.accounts.clients["live_merchant"]
        return super().find_client(client_id, own if client_id == live else client_secret)


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


class SplitEventOfRest(PaymentsRules):
    """Events show the amount of a charge less what others get of it."""

    breaks = ("PAY-EVT-48",)
    group = "events"

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Take it off."""
        shares = sum(share for _, share in self.split_shares(row, row["amount"] - row["fees"]))
        return super().event_transaction(event, row | {"amount": row["amount"] - shares})


class HookWithoutQuery(PaymentsRules):
    """Events come to the url of a webhook without its query."""

    breaks: tuple[str, ...] = ("PAY-EVT-02",)
    group = "events"
    of_hooks = True

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Send it elsewhere."""
        meant = (hook is not None) is self.of_hooks
        super().send_letter(self.elsewhere(url) if meant else url, payload, hook)

    def elsewhere(self, url: str) -> str:
        """Cut the query off."""
        return url.partition("?")[0]


class PostbackWithoutQuery(HookWithoutQuery):
    """Events come to a postbackUrl without its query."""

    breaks = ("PAY-EVT-13", "PAY-EVT-15")
    group = "events"
    of_hooks = False


class SimulatesByAnyId(PaymentsRules):
    """The simulations find charges and transfers alike, and refuse those of the other kind for their status."""

    breaks = ("PAY-CHG-75", "PAY-TRF-72")
    group = "state"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look into the other table first."""
        other = {"pay_charge": "transfer", "complete_transfer": "payments_charge"}.get(call.operation)
        if other and self.store.find(other, id=number):
            raise Refusal("state", "it is no longer pending")
        return super().owned(call, table, number)
