"""Mutants of PAY-SIG: the hash of a signature."""

import base64
import hashlib
import hmac
import json
from typing import Any

from pix_conformance.reference.outbox import Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class SignatureInBase64(PaymentsRules):
    """The hash is written in base64."""

    breaks = ("PAY-SIG-03", "PAY-SIG-04")
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Write it so."""
        return base64.b64encode(bytes.fromhex(super().event_hash(moment, body, secret))).decode()


class SignatureOfSha1(PaymentsRules):
    """The hash is made with SHA-1."""

    breaks = ("PAY-SIG-03", "PAY-SIG-04")
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Use the older one."""
        return hmac.new(secret.encode(), self.signed_text(moment, body), hashlib.sha1).hexdigest()


class SignatureOfSha512(PaymentsRules):
    """The hash is made with SHA-512, and cut to 64 digits."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Use the longer one."""
        return hmac.new(secret.encode(), self.signed_text(moment, body), hashlib.sha512).hexdigest()[:64]


class SignatureWithoutKey(PaymentsRules):
    """The hash is a plain SHA-256 of secret and text, no HMAC."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Put the secret before the text."""
        return hashlib.sha256(secret.encode() + self.signed_text(moment, body)).hexdigest()


class SignatureOfBody(PaymentsRules):
    """The signature covers the body alone."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Leave the moment out."""
        del moment
        return body


class SignatureWithoutPoint(PaymentsRules):
    """The signature covers moment and body without a point between them."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Join them."""
        return moment.encode() + body


class SignatureOfReserialised(PaymentsRules):
    """The signature covers the body as another serialiser writes it."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Write it compactly."""
        return super().signed_text(moment, json.dumps(json.loads(body), separators=(",", ":")).encode())


class SignatureOfSorted(PaymentsRules):
    """The signature covers the body with its keys sorted."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Sort them."""
        return super().signed_text(moment, json.dumps(json.loads(body), sort_keys=True).encode())


class SignatureOfAscii(PaymentsRules):
    """The signature covers the body with its letters escaped, which differs only where some are not ASCII."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Escape them."""
        return super().signed_text(moment, json.dumps(json.loads(body)).encode())


class SignatureOfAnotherMoment(PaymentsRules):
    """The t of the header is a second later than the one that was signed."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Sign another one."""
        return super().event_hash(str(int(moment) - 1), body, secret)


class SignatureOfNewline(PaymentsRules):
    """The signature covers a newline behind the body that is not sent."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Add it."""
        return super().signed_text(moment, body + b"\n")


class SignatureOfFirstSecret(PaymentsRules):
    """Every webhook's events are signed with the secret of the account's first."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Take that one."""
        known = {"account": hook["account"], "environment": hook["environment"]} if hook else {}
        first = self.store.rows("webhook", "id", 1, **known)[0] if hook else None
        super().send_webhook_request(url, payload, hook and first and hook | {"secret": first["secret"]})


class SignatureOfSecretWithoutPrefix(PaymentsRules):
    """The signature is made with the secret without its prefix."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Take what follows the underscore."""
        return super().event_hash(moment, body, secret.rpartition("_")[2])


class SignatureOfDecodedSecret(PaymentsRules):
    """The signature is made with the bytes that the hex of the secret stands for."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Decode it."""
        key = bytes.fromhex(secret.rpartition("_")[2])
        return hmac.new(key, self.signed_text(moment, body), hashlib.sha256).hexdigest()


class SignatureOfPaidOnly(PaymentsRules):
    """The signature of transaction_created is made without the secret."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Forget it there."""
        return super().event_hash(moment, body, "" if b'"transaction_created"' in body else secret)


class SignatureCut(PaymentsRules):
    """The hash is cut to 32 digits."""

    breaks = ("PAY-SIG-03", "PAY-SIG-04")
    group = "events"

    def event_hash(self, moment: str, body: bytes, secret: str) -> str:
        """Cut it."""
        return super().event_hash(moment, body, secret)[:32]


class RetrySignedOtherwise(PaymentsRules):
    """An event that is sent again is signed with another secret."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Add the number of the attempt."""
        return super().write_event(attempt, payload, f"{secret}{attempt}" if secret and attempt > 1 else secret)


class UpdateSignedOtherwise(PaymentsRules):
    """transfer_updated is signed with another secret than that of the webhook."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Turn it round."""
        other = secret[::-1] if secret and payload["event"] == "transfer_updated" else secret
        return super().write_event(attempt, payload, other)
