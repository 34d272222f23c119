"""Mutants of BUS-SIG, signatures of events."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting
from pix_conformance.reference.outbox import Written

GROUP = "auth"
Hash = Callable[[bytes, bytes], str]


def signed_with(sentence: str, hashed: Hash) -> Difference:
    """Make the hash by another function of secret and signed text."""
    return setting(sentence, event_hash=lambda rules, moment, body: (
        hashed(rules.world.business_webhook_secret.encode(), rules.signed_text(moment, body))))  # fmt: skip


def signed_with_api_key(rules: Any, moment: str, body: bytes) -> str:
    key: str = rules.world.accounts.keys["merchant"]
    return hmac.new(key.encode(), rules.signed_text(moment, body), hashlib.sha256).hexdigest()


def over_body(sentence: str, write: Callable[[Any], str]) -> Difference:
    """Sign what a function makes of the body."""
    return changes_arguments(sentence, signed_text=lambda _, moment, body: (moment, write(json.loads(body)).encode()))


def writes_header(sentence: str, form: str) -> Difference:
    """Write the header in another form; {0} is the moment, {1} the hash."""

    def write(rules: Any, body: bytes) -> str:
        moment = rules.event_timestamp()
        return form.format(moment, rules.event_hash(moment, body))

    return setting(sentence, event_signature=write)


def signed_at(sentence: str, moment: Callable[[float], float]) -> Difference:
    """Sign another moment than the present one."""
    return setting(sentence, event_timestamp=lambda rules: str(int(moment(rules.clock.now()))))


def unsigned(headers: dict[str, str]) -> dict[str, str]:
    return {"Content-Type": headers["Content-Type"]}


def hash_of_first_attempt(rules: Any, written: Written, attempt: int, _payload: Any) -> Written:
    body, headers = written
    moment = int(rules.event_timestamp())
    first = rules.event_hash(str(moment - attempt + 1), body)
    return body, headers | {rules.event_signature_header: f"t={moment},v1={first}"}


def hour_old_from_third_attempt(rules: Any, written: Written, attempt: int, _payload: Any) -> Written:
    body, headers = written
    moment = str(int(rules.event_timestamp()) - 3600)
    old = {rules.event_signature_header: f"t={moment},v1={rules.event_hash(moment, body)}"}
    return (body, headers | old) if attempt > 2 else written


MUTANTS = {
    "BUS-SIG-01": {
        "x-signature": setting("The signature is in X-Signature.", event_signature_header="X-Signature"),
        "header-of-the-other-api": setting(
            "The signature is in Service-Signature.", event_signature_header="Service-Signature"),
        "none-if-canceled": changes_result(
            "A canceled event has no signature.",
            event_headers=lambda _, headers, body: (
                unsigned(headers) if b"business.pix.canceled" in body else headers)),
        "none-on-retries": changes_result(
            "From the second attempt on, an event has no signature.",
            write_event=lambda _, written, attempt, _payload: (
                written if attempt == 1 else (written[0], unsigned(written[1])))).seen_in("BUS-ENV-01"),
    },
    "BUS-SIG-02": {
        "base64": changes_result(
            "The hash is written in base64.",
            event_hash=lambda _, right, *_about: base64.b64encode(bytes.fromhex(right)).decode()).also("BUS-SIG-03"),
        "hash-alone": writes_header("The header holds the hash alone.", "{1}").also("BUS-SIG-03"),
        "no-moment": writes_header("The header holds v1 alone.", "v1={1}").also("BUS-SIG-03"),
        "version-0": writes_header("The hash is called v0.", "t={0},v0={1}").also("BUS-SIG-03"),
        "semicolon": writes_header("A semicolon separates t and v1.", "t={0};v1={1}").also("BUS-SIG-03"),
        "other-order": writes_header("The header holds v1 first.", "v1={1},t={0}"),
        "iso-8601": setting(
            "The t of a signature is an ISO 8601 timestamp.",
            event_timestamp=lambda rules: rules.moment(rules.clock.now())),
    },
    "BUS-SIG-03": {
        "body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
        "no-dot": setting(
            "The signature covers t and body without a dot between them.",
            signed_text=lambda _, moment, body: moment.encode() + body),
        "body-compact": over_body(
            "The signature covers the body without blanks.",
            lambda body: json.dumps(body, ensure_ascii=False, separators=(",", ":"))),
        "body-escaped": over_body("The signature covers the body with letters outside ASCII escaped.", json.dumps),
        "api-key": setting("The hash is made with the API key.", event_hash=signed_with_api_key),
        "secret-without-prefix": signed_with(
            "The hash is made with the secret without its prefix.",
            lambda key, text: hmac.new(key.partition(b"_")[2], text, hashlib.sha256).hexdigest()),
        "no-hmac": signed_with(
            "The hash is a plain SHA-256 of secret and text, no HMAC.",
            lambda key, text: hashlib.sha256(key + text).hexdigest()),
        "sha512": signed_with(
            "The hash is made with SHA-512, and cut to 64 digits.",
            lambda key, text: hmac.new(key, text, hashlib.sha512).hexdigest()[:64]),
        "last-byte-left-out-if-paid": changes_arguments(
            "The signature of a paid event does not cover the last byte of its body.",
            signed_text=lambda _, moment, body: (moment, body[:-1] if b"business.pix.paid" in body else body)),
        "hash-of-first-attempt": changes_result(
            "Each attempt has its own t, and the hash of the first attempt.", write_event=hash_of_first_attempt)
            .seen_in("BUS-CHG-35"),
    },
    "BUS-SIG-04": {
        "ten-minutes-behind": signed_at("The t of a signature is ten minutes behind.", lambda now: now - 600),
        "hour-behind-from-third-attempt": changes_result(
            "From the third attempt on, the t of a signature is an hour behind.",
            write_event=hour_old_from_third_attempt).seen_in("BUS-STATE-06"),
    },
    "BUS-SIG-05": {
        "milliseconds": signed_at("The t of a signature counts milliseconds.", lambda now: now * 1000),
    },
}  # fmt: skip
