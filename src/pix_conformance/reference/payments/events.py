"""Events of the payments API: to registered webhooks and to the postback address."""

import asyncio
import hashlib
import hmac
import json
from typing import Any, ClassVar

from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.payments.ownership import OwnershipRules, owner_of
from pix_conformance.reference.store import Row


class EventRules(OwnershipRules):
    """What is sent, to whom, signed how, how often."""

    event_names: ClassVar[tuple[str, ...]] = (
        "transaction_created",
        "transaction_paid",
        "transaction_refunded",
        "transaction_updated",
        "infraction",
        "transfer_created",
        "transfer_updated",
        "transfer_completed",
        "transfer_canceled",
    )
    event_method = "POST"
    event_user_agent = "Service"
    event_content_type = "application/json"
    event_signature_header = "Service-Signature"
    event_attempts = 4
    event_first_retry_seconds = 0.25
    event_timeout_seconds = 10.0
    event_copies = 1
    event_delay_seconds = 0.0
    event_pretty = False
    event_statuses: ClassVar[dict[str, str]] = {"transfer_completed": "paid"}

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send an event about a charge ("transaction") or transfer once the transaction is committed."""
        if self.should_emit(event, row):
            payload = self.event_payload(event, kind, row)
            self.store.after_commit(lambda: self.send_event(event, row, payload))

    def should_emit(self, event: str, row: Row) -> bool:
        """Judge whether an event is sent at all."""
        del event, row
        return True

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send one payload to everyone it is for."""
        for hook in self.listeners(event, owner_of(row)):
            self.send_webhook_request(hook["url"], payload, hook)
        if row["postback_url"] and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Webhooks of the owner that subscribed to the event."""
        hooks = self.store.rows("webhook", account=owner.account, environment=owner.environment, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]

    def subscribes(self, hook: Row, event: str) -> bool:
        """Judge whether a webhook wants an event."""
        return event in json.loads(hook["events"])

    def posts_back(self, event: str, row: Row) -> bool:
        """Judge whether an event goes to the postback address as well."""
        del event, row
        return True

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Send one payload to one address."""
        for _ in range(self.event_copies):
            self.world.outbox.send(self.webhook_request(url, payload, hook))

    def webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> WebhookRequest:
        """Make a letter of one payload; a postback has no webhook record and so no secret."""
        secret = hook["secret"] if hook else None

        async def pause(attempt: int) -> bool:
            await self.wait_to_send(attempt)
            return hook is None or self.is_still_registered(hook)

        def write(attempt: int) -> Written:
            return self.write_event(attempt, payload, secret)

        attempts, timeout = self.event_attempts, self.event_timeout_seconds
        return WebhookRequest(url, pause, write, self.is_delivered, attempts, timeout, self.event_method)

    def is_delivered(self, status: int) -> bool:
        """Judge the receiver's answer: any 2xx is delivered."""
        return status in range(200, 300)

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Body and headers of one attempt; the body is the same in each."""
        del attempt
        body = self.encode_event(payload)
        return body, self.event_headers(body, secret)

    async def wait_to_send(self, attempt: int) -> None:
        """Wait before attempt 1, 2, 3 and so on."""
        if attempt == 1:
            await asyncio.sleep(self.event_delay())
        else:
            await self.clock.sleep(self.event_first_retry_seconds * 2 ** (attempt - 2))

    def event_delay(self) -> float:
        """Seconds before the first attempt."""
        return self.event_delay_seconds

    def is_still_registered(self, hook: Row) -> bool:
        """Judge whether a webhook exists at the time of an attempt."""
        return self.store.find("webhook", id=hook["id"]) is not None

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Bytes of a payload."""
        return json.dumps(payload, ensure_ascii=False, indent=2 if self.event_pretty else None).encode()

    def event_headers(self, body: bytes, secret: str | None) -> dict[str, str]:
        """Headers of one attempt; signed only with a secret."""
        plain = {"Content-Type": self.event_content_type, "User-Agent": self.event_user_agent}
        return plain | ({self.event_signature_header: self.event_signature(body, secret)} if secret else {})

    def event_signature(self, body: bytes, secret: str) -> str:
        """Value of the signature header."""
        moment = self.event_timestamp()
        return f"t={moment},v1={self.event_hash(moment, body, secret)}"

    def event_timestamp(self) -> str:
        """The signed moment, epoch seconds."""
        return str(int(self.clock.now()))

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """HMAC-SHA256 in hex over moment, point and body."""
        return hmac.new(secret.encode(), self.signed_text(moment, body), hashlib.sha256).hexdigest()

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """What the signature covers."""
        return moment.encode() + b"." + body

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Build the whole payload."""
        return {
            "id": self.event_id(event, row),
            "type": kind,
            "event": event,
            "scope": self.event_scope(kind),
            kind: self.event_transaction(event, row) if kind == "transaction" else self.event_transfer(event, row),
        }

    def event_id(self, event: str, row: Row) -> str:
        """Id of an event, a new UUID."""
        del event, row
        return str(self.world.chance.uuid())

    def event_scope(self, kind: str) -> str:
        """Scope of an event."""
        return "pix_in" if kind == "transaction" else "pix_out"

    def event_status(self, event: str, row: Row) -> str:
        """Status that a callback shows."""
        return self.event_statuses.get(event, str(row["status"]))

    def absent_in_event(self, name: str) -> Any:
        """Stand in for what is not known yet in a payload."""
        del name
        return ""

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Describe a charge."""
        end_to_end_id = row["end_to_end_id"] or self.absent_in_event("endToEndId")
        pix = {"endToEndId": end_to_end_id, "payerInfo": self.event_payer(row)}
        return {"id": row["id"], "amount": row["amount"], "status": self.event_status(event, row), "pix": pix}

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Describe who pays a charge."""
        return {"name": row["payer_name"] or self.absent_in_event("name"), "document": row["payer_document"]}

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Describe a transfer."""
        end_to_end_id = row["end_to_end_id"] or self.absent_in_event("endToEndId")
        pix = {"endToEndId": end_to_end_id, "creditorAccount": self.event_creditor(row)}
        return {"id": row["id"], "amount": row["amount"], "status": self.event_status(event, row), "pix": pix}

    def event_creditor(self, row: Row) -> dict[str, Any]:
        """Describe who receives a transfer; the simulated bank knows one holder only."""
        del row
        return {"name": "Simulated Holder", "document": "00000000191"}
