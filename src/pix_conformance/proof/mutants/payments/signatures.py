"""Mutants of PAY-SIG, signatures of events."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.store import Row

GROUP = "events"


def signed_with(sentence: str, hashed: Any) -> Difference:
    """Make the hash by another function of secret and signed text."""
    return setting(
        sentence,
        event_hash=lambda rules, moment, body, secret: hashed(secret.encode(), rules.signed_text(moment, body)),
    )


def over_body(sentence: str, write: Any) -> Difference:
    """Sign what a function makes of the body."""
    return changes_arguments(sentence, signed_text=lambda _, moment, body: (moment, write(json.loads(body)).encode()))


def secret_of_first(rules: Any, url: str, payload: Any, hook: Row | None) -> tuple[Any, ...]:
    if hook is None:
        return url, payload, None
    first = rules.store.rows("webhook", "id", 1, account=hook["account"], environment=hook["environment"])[0]
    return url, payload, hook | {"secret": first["secret"]}


def renamed_for_one_event(_: Any, request: WebhookRequest, _url: str, _body: Any, hook: Row | None) -> WebhookRequest:
    def write(attempt: int) -> Written:
        body, headers = request.write(attempt)
        return body, {f"X-{name}" if name == "Service-Signature" else name: one for name, one in headers.items()}

    return replace(request, write=write) if hook and len(json.loads(hook["events"])) == 1 else request


MUTANTS = {
    "PAY-SIG-01": {
        "none": changes_arguments("Events have no signature.", event_headers=lambda _, body, _secret: (body, None)),
        "none-on-transfers": changes_arguments(
            "Events of transfers have no signature.",
            event_headers=lambda _, body, secret: (body, None if b'"transfer"' in body else secret)),
        "none-on-retries": changes_arguments(
            "From the second attempt on, an event has no signature.",
            write_event=lambda _, attempt, payload, secret: (attempt, payload, secret if attempt == 1 else None)),
        "header-of-the-other-api": setting(
            "The signature is in X-Service-Signature.", event_signature_header="X-Service-Signature"),
        "other-header-for-one-event": changes_result(
            "A webhook for one event gets its signature in X-Service-Signature.",
            webhook_request=renamed_for_one_event),
    },
    "PAY-SIG-02": {
        "hash-alone": setting(
            "The header holds the hash alone.",
            event_signature=lambda rules, body, secret: rules.event_hash(rules.event_timestamp(), body, secret)),
        "sha256-prefix": setting(
            "The header holds sha256= and the hash of the body.",
            event_signature=lambda _, body, key: f"sha256={hmac.new(key.encode(), body, hashlib.sha256).hexdigest()}"),
        "other-order": changes_result(
            "The header holds v1 first, and a semicolon.",
            event_signature=lambda _, text, _body, _secret: ";".join(reversed(text.split(",")))),
        "version-0": changes_result(
            "The hash is called v0.",
            event_signature=lambda _, text, _body, _secret: text.replace("v1=", "v0=")),
    },
    "PAY-SIG-03": {
        "base64": changes_result(
            "The hash is written in base64.",
            event_hash=lambda _, right, *_about: base64.b64encode(bytes.fromhex(right)).decode()).also("PAY-SIG-04"),
        "cut-at-32": changes_result(
            "The hash is cut to 32 digits.", event_hash=lambda _, right, *_about: right[:32]).also("PAY-SIG-04"),
        "sha1": signed_with(
            "The hash is made with SHA-1.", lambda key, text: hmac.new(key, text, hashlib.sha1).hexdigest())
            .also("PAY-SIG-04"),
        "sha512": signed_with(
            "The hash is made with SHA-512, and cut to 64 digits.",
            lambda key, text: hmac.new(key, text, hashlib.sha512).hexdigest()[:64]),
        "no-hmac": signed_with(
            "The hash is a plain SHA-256 of secret and text, no HMAC.",
            lambda key, text: hashlib.sha256(key + text).hexdigest()),
        "secret-decoded": signed_with(
            "The key is the bytes that the hexadecimal digits of the secret stand for.",
            lambda key, text: hmac.new(
                bytes.fromhex(key.decode().rpartition("_")[2]), text, hashlib.sha256).hexdigest()),
        "secret-without-prefix": signed_with(
            "The key is the secret without its prefix.",
            lambda key, text: hmac.new(key.rpartition(b"_")[2], text, hashlib.sha256).hexdigest()),
        "body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
        "no-point": setting(
            "The signature covers moment and body without a point between them.",
            signed_text=lambda _, moment, body: moment.encode() + body),
        "newline-added": changes_result(
            "The signature covers a newline behind the body that is not sent.",
            signed_text=lambda _, text, *_about: text + b"\n"),
        "body-compact": over_body(
            "The signature covers the body without blanks.", lambda body: json.dumps(body, separators=(",", ":"))),
        "body-sorted": over_body(
            "The signature covers the body with its keys sorted.",
            lambda body: json.dumps(body, sort_keys=True, ensure_ascii=False)),
        "body-escaped": over_body("The signature covers the body with letters outside ASCII escaped.", json.dumps),
        "second-before": changes_arguments(
            "What is signed is a second before the t of the header.",
            event_hash=lambda _, moment, body, secret: (str(int(moment) - 1), body, secret)),
        "secret-of-first-webhook": changes_arguments(
            "Every event is signed with the secret of the account's first webhook.",
            send_webhook_request=secret_of_first),
        "no-secret-if-created": changes_arguments(
            "The signature of transaction_created is made without the secret.",
            event_hash=lambda _, moment, body, secret:
                (moment, body, "" if b'"transaction_created"' in body else secret)),
        "other-secret-in-retries": changes_arguments(
            "From the second attempt on, an event is signed with another secret.",
            write_event=lambda _, attempt, payload, secret:
                (attempt, payload, f"{secret}{attempt}" if secret and attempt > 1 else secret)),
        "other-secret-if-updated": changes_arguments(
            "transfer_updated is signed with another secret.",
            write_event=lambda _, attempt, payload, secret:
                (attempt, payload, secret and secret[::-1] if payload["event"] == "transfer_updated" else secret)),
    },
    "PAY-SIG-09": {
        "three-hours-behind": setting(
            "The t of a signature is three hours behind.",
            event_timestamp=lambda rules: str(int(rules.clock.now()) - 3 * 3600)),
        "zero": setting("The t of a signature is zero.", event_timestamp=lambda _: "0").also("PAY-SIG-10"),
    },
}  # fmt: skip
