"""Events of the business API: to the one endpoint that was configured."""

import asyncio
import hashlib
import hmac
import json
from typing import Any

from pix_conformance.reference.business.errors import AuthRules
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.store import Row


class EventRules(AuthRules):
    """What is sent, signed how, how often."""

    event_method = "POST"
    event_signature_header = "X-Service-Signature"
    event_content_type = "application/json"
    event_attempts = 8
    event_first_retry_seconds = 0.25
    event_backoff_factor = 2.0
    event_longest_retry_seconds = 300.0
    event_timeout_seconds = 10.0
    event_copies = 1
    event_delay_seconds = 0.0
    event_pretty = False

    def emit(self, event: str, row: Row) -> None:
        """Send an event about a charge once the transaction is committed."""
        url = self.world.business_webhook
        if url and self.should_emit(event, row):
            payload = self.event_payload(event, row)
            self.store.after_commit(lambda: self.send_event(url, payload))

    def should_emit(self, event: str, row: Row) -> bool:
        """Judge whether an event is sent: the endpoint of the pilot belongs to the first account's sandbox."""
        del event
        return (row["account"], row["environment"]) == ("merchant-a", "sandbox")

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Send one payload."""
        for _ in range(self.event_copies):
            self.world.outbox.send(self.webhook_request(url, payload))

    def webhook_request(self, url: str, payload: dict[str, Any]) -> WebhookRequest:
        """Make a letter of one payload."""

        async def pause(attempt: int) -> bool:
            await self.wait_to_send(attempt)
            return True

        def write(attempt: int) -> Written:
            return self.write_event(attempt, payload)

        attempts, timeout = self.event_attempts, self.event_timeout_seconds
        return WebhookRequest(url, pause, write, self.is_delivered, attempts, timeout, self.event_method)

    def is_delivered(self, status: int) -> bool:
        """Judge the receiver's answer: any 2xx is delivered."""
        return status in range(200, 300)

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Body and headers of one attempt; the body is the same in each."""
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
        """How long to wait after so many failures: doubled by each, up to the cap."""
        growth = self.event_backoff_factor ** (failures - 1)
        return min(self.event_first_retry_seconds * growth, self.event_longest_retry_seconds)

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Bytes of a payload."""
        return json.dumps(payload, ensure_ascii=False, indent=2 if self.event_pretty else None).encode()

    def event_headers(self, body: bytes) -> dict[str, str]:
        """Headers of one attempt."""
        signature = self.event_signature(body)
        return {"Content-Type": self.event_content_type, self.event_signature_header: signature}

    def event_signature(self, body: bytes) -> str:
        """Value of the signature header."""
        moment = self.event_timestamp()
        return f"t={moment},v1={self.event_hash(moment, body)}"

    def event_timestamp(self) -> str:
        """The signed moment, epoch seconds."""
        return str(int(self.clock.now()))

    def event_hash(self, moment: str, body: bytes) -> str:
        """HMAC-SHA256 in hex over moment, point and body."""
        secret = self.world.business_webhook_secret.encode()
        return hmac.new(secret, self.signed_text(moment, body), hashlib.sha256).hexdigest()

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """What the signature covers."""
        return moment.encode() + b"." + body

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Build the whole payload."""
        return {
            "id": self.event_id(event, row),
            "type": event,
            "created_at": self.moment(self.clock.now()),
            "data": self.event_data(event, row),
        }

    def event_id(self, event: str, row: Row) -> str:
        """Id of an event."""
        del event, row
        return f"evt_{self.world.chance.uuid().hex}"

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Describe the charge."""
        del event
        return {
            "amount_cents": row["amount"],
            "e2e_id": row["end_to_end_id"] or self.absent_in_event("e2e_id"),
            "external_ref": self.absent_in_event("external_ref")
            if row["external_ref"] is None
            else row["external_ref"],
        }

    def absent_in_event(self, name: str) -> Any:
        """Stand in for what a charge does not have in a payload."""
        del name
        return ""
