"""Events of the payments API, sent to webhooks and to the postback address (PAY-EVT)."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.payments.authentication import OwnershipRules
from pix_conformance.reference.store import Row, owner_of

EVENT_OF_STATUS = {
    ("transaction", "refunded"): "transaction_refunded",
    ("transfer", "canceled"): "transfer_canceled",
    ("transfer", "refused"): "transfer_canceled",
}
"""By what changed and its status, the event of a change that no request caused."""
EVENT_OF_OTHERS = {"transaction": "transaction_updated", "transfer": "transfer_updated"}
"""The event of any other status."""


class EventRules(OwnershipRules):
    """Which events are sent to which address, with which body and signature, and how often."""

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
    event_pretty = False
    event_statuses: ClassVar[dict[str, str]] = {"transfer_completed": "paid"}

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send an event about a charge ("transaction") or transfer after the transaction is committed."""
        if self.should_emit(event, row):
            payload = self.event_payload(event, kind, row)
            self.store.after_commit(lambda: self.send_event(event, row, payload))

    def change_status(self, kind: str, row: Row, status: str, claim: Callable[[Row, Row], bool]) -> Row | None:
        """Give a charge ("transaction") or transfer a status without a request, and send the event.

        None if it has changed meanwhile: `claim` changes it only then if not.
        """
        with self.store.transaction():
            changes = {"status": status, "updated_at": self.clock.now()}
            if not claim(row, changes):
                return None
            self.emit(self.event_of_status(kind, status), kind, row | changes)
            return row | changes

    def event_of_status(self, kind: str, status: str) -> str:
        """Return the event that announces a status that no request caused."""
        return EVENT_OF_STATUS.get((kind, status), EVENT_OF_OTHERS[kind])

    def should_emit(self, event: str, row: Row) -> bool:
        """Return whether an event is sent."""
        del event, row
        return True

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send one payload to every subscribed webhook and to the postback address."""
        for hook in self.listeners(event, owner_of(row)):
            self.send_webhook_request(hook["url"], payload, hook)
        if row["postback_url"] and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Return the webhooks of the owner that subscribe to the event."""
        hooks = self.store.rows("webhook", account=owner.account, environment=owner.environment, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]

    def subscribes(self, hook: Row, event: str) -> bool:
        """Return whether a webhook subscribes to an event."""
        return event in json.loads(hook["events"])

    def posts_back(self, event: str, row: Row) -> bool:
        """Return whether an event is also sent to the postback address (PAY-EVT-13, PAY-EVT-15)."""
        del event, row
        return True

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Send one payload to one address."""
        for _ in range(self.event_copies):
            self.state.outbox.send(self.webhook_request(url, payload, hook))

    def webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> WebhookRequest:
        """Return the webhook request of one payload. A postback address has no webhook record, so `hook` is None."""
        secret = hook["secret"] if hook else None

        async def pause(attempt: int) -> bool:
            await self.wait_to_send(attempt)
            return hook is None or self.is_still_registered(hook)

        def write(attempt: int) -> Written:
            return self.write_event(attempt, payload, secret)

        attempts, timeout, name = self.event_attempts, self.event_timeout_seconds, str(payload.get("event"))
        return WebhookRequest(url, pause, write, self.is_delivered, attempts, timeout, name, self.event_method)

    def is_delivered(self, status: int) -> bool:
        """Return whether a status ends the attempts: any 2xx (PAY-EVT-19)."""
        return status in range(200, 300)

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Return body and headers of one attempt. The body is the same in each attempt."""
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
        """Return whether a webhook still exists at the time of an attempt."""
        return self.store.find("webhook", id=hook["id"]) is not None

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Return the bytes of a payload."""
        return json.dumps(payload, ensure_ascii=False, indent=2 if self.event_pretty else None).encode()

    def event_headers(self, body: bytes, secret: str | None) -> dict[str, str]:
        """Return the headers of one attempt. Without a secret there is no signature."""
        plain = {"Content-Type": self.event_content_type, "User-Agent": self.event_user_agent}
        return plain | ({self.event_signature_header: self.event_signature(body, secret)} if secret else {})

    def event_signature(self, body: bytes, secret: str) -> str:
        """Return the value of Service-Signature (PAY-SIG-02, PAY-SIG-03)."""
        moment = self.event_timestamp()
        return f"t={moment},v1={self.event_hash(moment, body, secret)}"

    def event_timestamp(self) -> str:
        """Return `t` of the signature, in epoch seconds."""
        return str(int(self.clock.now()))

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Return `v1` of the signature: HMAC-SHA256 of `signed_text`, hex-encoded."""
        return hmac.new(secret.encode(), self.signed_text(moment, body), hashlib.sha256).hexdigest()

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Return the signed bytes: timestamp, ".", body."""
        return moment.encode() + b"." + body

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Return the whole payload (PAY-EVT)."""
        return {
            "id": self.event_id(event, row),
            "type": kind,
            "event": event,
            "scope": self.event_scope(kind),
            kind: self.event_transaction(event, row) if kind == "transaction" else self.event_transfer(event, row),
        }

    def event_id(self, event: str, row: Row) -> str:
        """Return the id of an event, a new UUID."""
        del event, row
        return str(self.state.random.uuid())

    def event_scope(self, kind: str) -> str:
        """Return `scope` of a payload."""
        return "pix_in" if kind == "transaction" else "pix_out"

    def event_status(self, event: str, row: Row) -> str:
        """Return the status in a payload; for a completed transfer that is `paid` (PAY-EVT-70)."""
        return self.event_statuses.get(event, str(row["status"]))

    def absent_in_event(self, name: str) -> Any:
        """Return the payload's value for a field that the object does not have yet."""
        del name
        return ""

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Return `transaction` of the payload."""
        end_to_end_id = row["end_to_end_id"] or self.absent_in_event("endToEndId")
        pix = {"endToEndId": end_to_end_id, "payerInfo": self.event_payer(row)}
        return {"id": row["id"], "amount": row["amount"], "status": self.event_status(event, row), "pix": pix}

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Return `payerInfo` of the payload."""
        return {"name": row["payer_name"] or self.absent_in_event("name"), "document": row["payer_document"]}

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Return `transfer` of the payload."""
        end_to_end_id = row["end_to_end_id"] or self.absent_in_event("endToEndId")
        pix = {"endToEndId": end_to_end_id, "creditorAccount": self.event_creditor(row)}
        return {"id": row["id"], "amount": row["amount"], "status": self.event_status(event, row), "pix": pix}

    def event_creditor(self, row: Row) -> dict[str, Any]:
        """Return `creditorAccount` of the payload; the simulated bank knows one account holder only."""
        del row
        return {"name": "Simulated Holder", "document": "00000000191"}
