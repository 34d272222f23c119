"""Signatures of events that no receiver can verify."""

import base64
import hashlib
import hmac
import json
from typing import Any

from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


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

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Take that one."""
        known = {"account": hook["account"], "environment": hook["environment"]} if hook else {}
        first = self.store.rows("webhook", "id", 1, **known)[0] if hook else None
        super().send_letter(url, payload, hook and first and hook | {"secret": first["secret"]})


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
