"""Events of the business API, sent to the configured webhook endpoint (BUS-EVT, BUS-RETRY)."""

import asyncio
import hashlib
import hmac
import json
from typing import Any

from pix_conformance.reference.business.errors import AuthRules
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.store import Row


class EventRules(AuthRules):
    """Which events are sent, with which body and signature, and how often."""

    event_method = "POST"
    event_signature_header = "X-Service-Signature"
    event_content_type = "application/json"
    event_attempts = 8
    event_first_retry_seconds = 0.25
    event_backoff_factor = 2.0
    event_longest_retry_seconds = 300.0
    event_timeout_seconds = 10.0
    event_copies = 1
    event_pretty = False

    def emit(self, event: str, row: Row) -> None:
        """Send an event about a charge after the transaction is committed."""
        url = self.state.business_webhook
        if url and self.should_emit(event, row):
            payload = self.event_payload(event, row)
            self.store.after_commit(lambda: self.send_event(url, payload))

    def should_emit(self, event: str, row: Row) -> bool:
        """Return whether an event is sent: only the sandbox of the first account has an endpoint."""
        del event
        return (row["account"], row["environment"]) == ("merchant-a", "sandbox")

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Send one payload to `url`."""
        for _ in range(self.event_copies):
            self.state.outbox.send(self.webhook_request(url, payload))

    def webhook_request(self, url: str, payload: dict[str, Any]) -> WebhookRequest:
        """Return the webhook request of one payload, with its retries."""

        async def pause(attempt: int) -> bool:
            await self.wait_to_send(attempt)
            return True

        def write(attempt: int) -> Written:
            return self.write_event(attempt, payload)

        attempts, timeout, name = self.event_attempts, self.event_timeout_seconds, str(payload.get("type"))
        return WebhookRequest(url, pause, write, self.is_delivered, attempts, timeout, name, self.event_method)

    def is_delivered(self, status: int) -> bool:
        """Return whether a status ends the attempts: any 2xx (BUS-RETRY-08)."""
        return status in range(200, 300)

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Return body and headers of one attempt. The body is the same in each attempt."""
        del attempt
        body = self.encode_event(payload)
        return body, self.event_headers(body)

    async def wait_to_send(self, attempt: int) -> None:
        """Wait before attempt 1, 2, 3 and so on."""
        if attempt == 1:
            await asyncio.sleep(self.event_delay())
        else:
            await self.clock.sleep(self.retry_seconds(attempt - 1))

    def event_delay(self) -> float:
        """Seconds before the first attempt."""
        return self.event_delay_seconds

    def retry_seconds(self, failures: int) -> float:
        """Seconds before the next attempt: doubled by each failure, at most 300 (BUS-RETRY-03, BUS-RETRY-04)."""
        growth = self.event_backoff_factor ** (failures - 1)
        return min(self.event_first_retry_seconds * growth, self.event_longest_retry_seconds)

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Return the bytes of a payload."""
        return json.dumps(payload, ensure_ascii=False, indent=2 if self.event_pretty else None).encode()

    def event_headers(self, body: bytes) -> dict[str, str]:
        """Return the headers of one attempt."""
        signature = self.event_signature(body)
        return {"Content-Type": self.event_content_type, self.event_signature_header: signature}

    def event_signature(self, body: bytes) -> str:
        """Return the value of X-Service-Signature (BUS-SIG-02, BUS-SIG-03)."""
        moment = self.event_timestamp()
        return f"t={moment},v1={self.event_hash(moment, body)}"

    def event_timestamp(self) -> str:
        """Return `t` of the signature, in epoch seconds."""
        return str(int(self.clock.now()))

    def event_hash(self, moment: str, body: bytes) -> str:
        """Return `v1` of the signature: HMAC-SHA256 of `signed_text`, hex-encoded."""
        secret = self.state.business_webhook_secret.encode()
        return hmac.new(secret, self.signed_text(moment, body), hashlib.sha256).hexdigest()

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Return the signed bytes: timestamp, ".", body."""
        return moment.encode() + b"." + body

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Return the whole payload (BUS-EVT)."""
        return {
            "id": self.event_id(event, row),
            "type": event,
            "created_at": self.moment(self.clock.now()),
            "data": self.event_data(event, row),
        }

    def event_id(self, event: str, row: Row) -> str:
        """Return the id of an event."""
        del event, row
        return f"evt_{self.state.random.uuid().hex}"

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Return `data` of the payload."""
        del event
        return {
            "amount_cents": row["amount"],
            "e2e_id": row["end_to_end_id"] or self.absent_in_event("e2e_id"),
            "external_ref": self.absent_in_event("external_ref")
            if row["external_ref"] is None
            else row["external_ref"],
        }

    def absent_in_event(self, name: str) -> Any:
        """Return the payload's value for a field that the charge does not have."""
        del name
        return ""
