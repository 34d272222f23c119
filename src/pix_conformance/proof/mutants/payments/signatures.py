"""Mutants of PAY-SIG: the header that carries a signature."""

import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class SignedOtherwiseForOneEvent(PaymentsRules):
    """Webhooks of a single event get their signature in a header of another name."""

    breaks = ("PAY-SIG-01",)
    group = "events"

    def webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> WebhookRequest:
        """Rename it."""
        letter = super().webhook_request(url, payload, hook)
        if not hook or len(json.loads(hook["events"])) > 1:
            return letter

        def write(attempt: int) -> tuple[bytes, dict[str, str]]:
            body, headers = letter.write(attempt)
            return body, {f"X-{name}" if name == "Service-Signature" else name: one for name, one in headers.items()}

        return replace(letter, write=write)


class Unsigned(PaymentsRules):
    """Events have no signature."""

    breaks = ("PAY-SIG-01",)
    group = "events"

    def event_headers(self, body: bytes, secret: str | None) -> dict[str, str]:
        """Sign nothing."""
        del secret
        return super().event_headers(body, None)


class SignedInAnotherHeader(PaymentsRules):
    """The signature is in X-Service-Signature, the header of the other API."""

    breaks = ("PAY-SIG-01",)
    group = "events"
    event_signature_header = "X-Service-Signature"


class SignedSometimes(PaymentsRules):
    """Events of transfers have no signature."""

    breaks = ("PAY-SIG-01",)
    group = "events"

    def event_headers(self, body: bytes, secret: str | None) -> dict[str, str]:
        """Sign charges only."""
        return super().event_headers(body, None if b'"transfer"' in body else secret)


class RetryUnsigned(PaymentsRules):
    """An event that is sent again has no signature."""

    breaks = ("PAY-SIG-01",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Forget the secret."""
        return super().write_event(attempt, payload, secret if attempt == 1 else None)


class SignatureWithoutTimestamp(PaymentsRules):
    """The header holds the hash alone."""

    breaks = ("PAY-SIG-02",)
    group = "events"

    def event_signature(self, body: bytes, secret: str) -> str:
        """Leave the rest out."""
        return self.event_hash(self.event_timestamp(), body, secret)


class SignatureOfGithub(PaymentsRules):
    """The header holds sha256= and the hash of the body."""

    breaks = ("PAY-SIG-02",)
    group = "events"

    def event_signature(self, body: bytes, secret: str) -> str:
        """Write it as another service does."""
        return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class SignatureInOtherOrder(PaymentsRules):
    """The header holds v1 first, and a semicolon."""

    breaks = ("PAY-SIG-02",)
    group = "events"

    def event_signature(self, body: bytes, secret: str) -> str:
        """Turn it around."""
        moment = self.event_timestamp()
        return f"v1={self.event_hash(moment, body, secret)};t={moment}"


class SignatureOfVersionZero(PaymentsRules):
    """The hash is called v0."""

    breaks = ("PAY-SIG-02",)
    group = "events"

    def event_signature(self, body: bytes, secret: str) -> str:
        """Name it so."""
        return super().event_signature(body, secret).replace("v1=", "v0=")


class SignatureOfLocalTime(PaymentsRules):
    """The t of a signature is three hours behind."""

    breaks = ("PAY-SIG-09",)
    group = "events"

    def event_timestamp(self) -> str:
        """Take the time of Brasilia for UTC."""
        return str(int(self.clock.now()) - 3 * 3600)


class SignatureOfConstantTime(PaymentsRules):
    """The t of a signature is always zero."""

    breaks = ("PAY-SIG-09", "PAY-SIG-10")
    group = "events"

    def event_timestamp(self) -> str:
        """Know no time."""
        return "0"
