"""Conforming variants where PAY-EVT is silent: events."""

from __future__ import annotations

import asyncio
import random
import uuid
from typing import Any
from zlib import crc32

from pix_conformance.proof.variants.common.deliveries import streamed
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import NamesTheCharset
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

MORE = {"transaction_paid": "transaction_updated", "transfer_completed": "transfer_updated"}
LINES = 4


class TellsUpdatesToo(PaymentsRules):
    """A payment and a completion update a status as well (payments.md, lines 323 and 326): two events of one change."""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send the update too."""
        super().emit(event, kind, row)
        if event in MORE:
            super().emit(MORE[event], kind, row)


class PaymentsPaidPostbackOnly(PaymentsRules):
    """The postbackUrl of a charge is told of the payment; of its creation the two sentences disagree."""

    def posts_back(self, event: str, row: Row) -> bool:
        """Tell of payment and completion only."""
        return event in {"transaction_paid", "transfer_completed"} and super().posts_back(event, row)


class PaymentsSlowEvents(PaymentsRules):
    """No document says how soon an event comes."""

    event_delay_seconds = 3.0


class PaymentsDoubledEvents(PaymentsRules):
    """The same event may be sent again (payments.md, line 360)."""

    event_copies = 2


class PaymentsShuffledEvents(PaymentsRules):
    """No order of events is promised."""

    def event_delay(self) -> float:
        """Wait at random."""
        return random.random() * 0.8  # noqa: S311  # jitter, not a secret


class PaymentsNoRetries(PaymentsRules):
    """That an event is sent again after a failure is a possibility, no promise (payments.md, line 360)."""

    event_attempts = 1


class PaymentsInTurn(PaymentsRules):
    """How events are sent is not shown: one after the other, each again and again until it is taken."""

    event_first_retry_seconds = 5.0

    def __init__(self, world: ServerState) -> None:
        """Have one line only."""
        super().__init__(world)
        self._turn = asyncio.Lock()

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Take turns for each event."""
        self.world.outbox.begin(self._in_turn(self.webhook_request(url, payload, hook)))

    async def _in_turn(self, letter: WebhookRequest) -> None:
        async with self._turn:
            await self.world.outbox.deliver(letter)


class InFourLines(PaymentsRules):
    """How events are sent is not shown: in four lines, each event again and again before the next of its line."""

    event_first_retry_seconds = 90.0

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Choose a line by what the event is about."""
        lines = self.__dict__.setdefault("lines", [asyncio.Lock() for _ in range(LINES)])
        about = payload.get("transaction") or payload.get("transfer") or {}
        chosen = lines[crc32(str(about.get("id")).encode()) % LINES]
        self.world.outbox.begin(self._in_line(chosen, self.webhook_request(url, payload, hook)))

    async def _in_line(self, line: asyncio.Lock, letter: WebhookRequest) -> None:
        async with line:
            await self.world.outbox.deliver(letter)


class PaymentsNullWhileUnknown(PaymentsRules):
    """What stands for an endToEndId that does not exist yet is not shown: null."""

    def absent_in_event(self, name: str) -> Any:
        """Say null for the id."""
        return None if name == "endToEndId" else super().absent_in_event(name)


class KnowsEndsEarly(PaymentsRules):
    """When an endToEndId exists is not shown: from the start, for charges and transfers."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give it at once."""
        return super().new_charge(access, read) | {"end_to_end_id": formats.end_to_end_id(self.clock.now())}

    def paid_changes(self, charge: Row) -> Row:
        """Keep it."""
        return super().paid_changes(charge) | {"end_to_end_id": charge["end_to_end_id"]}

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Give it at once."""
        return super().new_transfer(access, read) | {"end_to_end_id": formats.end_to_end_id(self.clock.now())}

    def completed_changes(self, transfer: Row) -> Row:
        """Keep it."""
        return super().completed_changes(transfer) | {"end_to_end_id": transfer["end_to_end_id"]}


class PaymentsStreams(PaymentsRules):
    """How a POST travels is not shown: in chunks, header names in small letters, a connection each."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Give the body in two pieces."""
        return streamed(*super().write_event(attempt, payload, secret))


class PaidByAnother(PaymentsRules):
    """Who pays need not be the customer (payments.md, line 353): a simulated payer, the document masked."""

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Name the one who paid."""
        del row
        return {"name": "Pagador Simulado", "document": "***.456.789-**"}


class PaymentsExtraFields(PaymentsRules):
    """A payload may carry more than the documented fields."""

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Add a version and a moment."""
        return {**super().event_payload(event, kind, row), "version": 2, "sentAt": self.moment(self.clock.now())}


class TellsWhatIsNow(PaymentsRules):
    """Of which moment the status of an event is, is not said: of its sending."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Any:
        """Look again."""
        kind = payload["type"]
        row = self.store.find("payments_charge" if kind == "transaction" else "transfer", id=payload[kind]["id"])
        view = self.event_transaction if kind == "transaction" else self.event_transfer
        shown = (
            row and row["status"] != "refunded"
        )  # an event of a payment says that it is paid (payments.md, line 170)
        return super().write_event(
            attempt, payload | ({kind: view(payload["event"], row)} if row and shown else {}), secret
        )


class OneScope(PaymentsRules):
    """What the scope says is not shown."""

    def event_scope(self, kind: str) -> str:  # the same for all
        """Name the product."""
        return "pix"


class NumbersDeliveries(PaymentsRules):
    """The id of a payload is called a UUID without saying of what: of the delivery."""

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Give each webhook's delivery its own."""
        super().send_webhook_request(url, payload | {"id": str(uuid.uuid4()).upper()}, hook)


class IdsOfThings(PaymentsRules):
    """The id of a payload is called a UUID without saying of what: of the charge or transfer."""

    def event_id(self, event: str, row: Row) -> str:  # the same for all
        """Be the same in every event about it."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, row["id"]))


class OpensInfractions(PaymentsRules):
    """An infraction comes by itself, and of its status only a sample is shown."""

    def settle(self, charge: Row) -> None:
        """Have the payer complain."""
        super().settle(charge)
        self.emit("infraction", "transaction", charge)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Describe the complaint."""
        payload = super().event_payload(event, kind, row)
        if event != "infraction":
            return payload
        pix = {"endToEndId": row["end_to_end_id"]}
        case = {"id": str(uuid.uuid4()), "amount": row["amount"], "status": "ANALYSIS", "pix": pix}
        disputed = payload["transaction"] | {"status": "infraction"}
        return payload | {"type": "infraction", "infraction": case, "transaction": disputed}


VARIANTS = [
    Variant("payments-more-events", ("PAY-EVT-10",), {"updates": TellsUpdatesToo}),
    Variant("payments-postbacks", ("PAY-EVT-14", "PAY-EVT-16"), {"paid": PaymentsPaidPostbackOnly}),
    Variant(
        "payments-delivery",
        ("PAY-EVT-20", "PAY-EVT-23"),
        {
            "slow": PaymentsSlowEvents,
            "doubled": PaymentsDoubledEvents,
            "shuffled": PaymentsShuffledEvents,
            "in-turn": PaymentsInTurn,
            "in-lanes": InFourLines,
        },
    ),
    Variant("payments-retries", ("PAY-EVT-20",), {"none": PaymentsNoRetries}),
    Variant("payments-event-unknown", ("PAY-EVT-52", "PAY-EVT-91"), {"null": PaymentsNullWhileUnknown}),
    Variant("payments-e2e", ("PAY-EVT-52", "PAY-EVT-91"), {"early": KnowsEndsEarly}),
    mixed(__name__, "payments-event-media", ("PAY-EVT-58",), charset=NamesTheCharset),
    Variant("payments-event-wire", ("PAY-EVT-58",), {"streamed": PaymentsStreams}),
    Variant("payments-payer", ("PAY-EVT-58",), {"another": PaidByAnother}),
    Variant("payments-event-fields", ("PAY-EVT-58",), {"extra": PaymentsExtraFields}),
    Variant("payments-event-state", ("PAY-EVT-58",), {"now": TellsWhatIsNow}),
    Variant("payments-scope", ("PAY-EVT-58",), {"one": OneScope}),
    Variant("payments-delivery-ids", ("PAY-EVT-59",), {"each": NumbersDeliveries}),
    Variant("payments-event-ids", ("PAY-EVT-59",), {"things": IdsOfThings}),
    Variant("payments-infractions", ("PAY-EVT-90",), {"opened": OpensInfractions}),
]
