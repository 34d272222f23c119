"""Conforming variants where PAY-EVT is silent: events."""

import asyncio
import uuid
from typing import Any
from zlib import crc32

from pix_conformance.proof.difference import changes_arguments, changes_result, setting, variant
from pix_conformance.proof.variants.common.events import DELIVERIES, SENT_IN_PIECES, SENT_TWICE, WITH_CHARSET
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

UPDATES = {"transaction_paid": "transaction_updated", "transfer_completed": "transfer_updated"}
ENDS = ("transaction_paid", "transfer_completed")
QUEUES = 4
PAYER = {"name": "Pagador Simulado", "document": "***.456.789-**"}

VARIANTS = {
    "PAY-EVT-14": {"postbacks-of-payment-only": changes_result(
            "A postbackUrl gets payment and completion only: two sentences disagree on the rest "
            "(payments.md, lines 35 and 316).",
            posts_back=lambda _rules, right, event, _row: event in ENDS and right).also("PAY-EVT-16")},
    "PAY-EVT-19": {"events-sent-twice": SENT_TWICE.also("PAY-EVT-20", "PAY-EVT-23")},
    "PAY-EVT-20": {
        **{slug: one.also("PAY-EVT-23") for slug, one in DELIVERIES.items()},
        "not-sent-again": setting(
            "An event is sent once, even if that fails: it may be sent again, or not (payments.md, line 360).",
            event_attempts=1),
    },
    "PAY-EVT-52": {"unknown-end-to-end-id-is-null": changes_result(
            "endToEndId is null while there is none: what it is then is not stated (payments.md, line 353).",
            absent_in_event=lambda _rules, right, name: None if name == "endToEndId" else right).also("PAY-EVT-91")},
    "PAY-EVT-58": {
        "content-type-with-charset": WITH_CHARSET,
        "sent-in-pieces": SENT_IN_PIECES,
        "payer-is-not-customer": setting(
            "The payer is not the customer, and the document is masked: no sentence says that the customer pays "
            "(payments.md, lines 45 and 353).", event_payer=lambda _rules, _row: PAYER),
        "extra-fields": changes_result(
            "A payload has a version and a time besides: no sentence excludes further fields (payments.md, line 353).",
            event_payload=lambda rules, payload, *_: {
                **payload, "version": 2, "sentAt": rules.moment(rules.clock.now())}),
        "one-scope": setting(
            "The scope of every event is pix: its values are not stated (payments.md, line 353).",
            event_scope=lambda _rules, _kind: "pix"),
    },
    "PAY-EVT-59": {
        "id-of-delivery": changes_arguments(
            "The id of a payload is another for each webhook: it is a UUID, and of what is not stated "
            "(payments.md, line 353).",
            send_webhook_request=lambda _rules, url, payload, hook: (
                url, payload | {"id": str(uuid.uuid4()).upper()}, hook)),
        "id-of-charge": setting(
            "The id of a payload is the same in all events of a charge or transfer: it is a UUID, and of what is not "
            "stated (payments.md, line 353).",
            event_id=lambda _rules, _event, row: str(uuid.uuid5(uuid.NAMESPACE_OID, row["id"]))),
    },
}  # fmt: skip


@variant("PAY-EVT-10/updates-sent-too")
class SendsUpdatesToo(PaymentsRules):
    """Payment and completion send the event of an update too, as they are updates (payments.md, lines 323 and 326)."""

    def emit(self, event: str, kind: str, row: Row) -> None:
        super().emit(event, kind, row)
        if event in UPDATES:
            super().emit(UPDATES[event], kind, row)


@variant("PAY-EVT-20/one-event-at-a-time", "PAY-EVT-23")
class OneEventAtATime(PaymentsRules):
    """The next event waits until the last one is accepted: timing is not shown (payments.md, line 361)."""

    event_first_retry_seconds = 5.0

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        self._turn = asyncio.Lock()

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        self.world.outbox.begin(self._in_turn(self.webhook_request(url, payload, hook)))

    async def _in_turn(self, request: WebhookRequest) -> None:
        async with self._turn:
            await self.world.outbox.deliver(request)


@variant("PAY-EVT-20/four-queues", "PAY-EVT-23")
class FourQueues(PaymentsRules):
    """Events wait in four queues for those before them: retry timing is not shown (payments.md, line 361)."""

    event_first_retry_seconds = 90.0

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        queues = self.__dict__.setdefault("queues", [asyncio.Lock() for _ in range(QUEUES)])
        about = payload.get("transaction") or payload.get("transfer") or {}
        chosen = queues[crc32(str(about.get("id")).encode()) % QUEUES]
        self.world.outbox.begin(self._in_queue(chosen, self.webhook_request(url, payload, hook)))

    async def _in_queue(self, queue: asyncio.Lock, request: WebhookRequest) -> None:
        async with queue:
            await self.world.outbox.deliver(request)


@variant("PAY-EVT-52/end-to-end-id-from-creation", "PAY-EVT-91")
class EndToEndIdFromCreation(PaymentsRules):
    """endToEndId exists from creation on: when it begins to is not stated (payments.md, lines 170 and 198)."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        return super().new_charge(access, read) | {"end_to_end_id": formats.end_to_end_id(self.clock.now())}

    def paid_changes(self, charge: Row) -> Row:
        return super().paid_changes(charge) | {"end_to_end_id": charge["end_to_end_id"]}

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        return super().new_transfer(access, read) | {"end_to_end_id": formats.end_to_end_id(self.clock.now())}

    def completed_changes(self, transfer: Row) -> Row:
        return super().completed_changes(transfer) | {"end_to_end_id": transfer["end_to_end_id"]}


@variant("PAY-EVT-58/status-when-sent")
class StatusWhenSent(PaymentsRules):
    """The status in an event is that of its sending: of which moment it is, is not stated (payments.md, line 353)."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Any:
        kind = payload["type"]
        row = self.store.find("payments_charge" if kind == "transaction" else "transfer", id=payload[kind]["id"])
        if row and row["status"] != "refunded":  # an event of a payment says that it is paid (payments.md, line 170)
            view = self.event_transaction if kind == "transaction" else self.event_transfer
            payload = payload | {kind: view(payload["event"], row)}
        return super().write_event(attempt, payload, secret)


@variant("PAY-EVT-90/infraction-opened")
class OpensInfraction(PaymentsRules):
    """Each payment gets an infraction: its status is not shown beyond a sample (payments.md, lines 174 and 324)."""

    def credit_payment(self, charge: Row) -> None:
        super().credit_payment(charge)
        self.emit("infraction", "transaction", charge)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        payload = super().event_payload(event, kind, row)
        if event != "infraction":
            return payload
        pix = {"endToEndId": row["end_to_end_id"]}
        case = {"id": str(uuid.uuid4()), "amount": row["amount"], "status": "ANALYSIS", "pix": pix}
        disputed = payload["transaction"] | {"status": "infraction"}
        return payload | {"type": "infraction", "infraction": case, "transaction": disputed}
