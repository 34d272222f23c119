"""Events of both APIs: how and when they are sent, and how they are signed."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any
from zlib import crc32

from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.sandbox.difference import Difference, changes_arguments, changes_result, overrides, setting


def skewed(sentence: str, seconds: int) -> Difference:
    """Let the clock of a server be ahead by so many seconds."""
    return overrides(
        sentence,
        moment=lambda _, right, epoch: right(epoch + seconds),
        event_timestamp=lambda rules, _: str(int(rules.clock.now() + seconds)),
    )


def queued(sentence: str, sender: str, queues: int, about: Callable[[Any], object], **others: Any) -> Difference:
    """Let each event wait in a queue until those before it are delivered or given up.

    `sender` names the method that sends, `about` says of a payload which ones share a queue, `others` are attributes.
    """

    def send(rules: Any, url: str, payload: dict[str, Any], *hook: Any) -> None:
        locks = rules.__dict__.setdefault("queues", [asyncio.Lock() for _ in range(queues)])
        lock = locks[crc32(str(about(payload)).encode()) % queues]
        rules.state.outbox.begin(_in_turn(rules, lock, rules.webhook_request(url, payload, *hook)))

    return setting(sentence, **{sender: send}, **others)


async def _in_turn(rules: Any, lock: asyncio.Lock, request: WebhookRequest) -> None:
    async with lock:
        await rules.state.outbox.deliver(request)


def _indented(_rules: Any, payload: dict[str, Any]) -> bytes:
    """Write JSON with blanks and escapes, and a newline at its end."""
    return (json.dumps(payload, indent=2, ensure_ascii=True) + "\n").encode()


def _in_pieces(_rules: Any, written: tuple[bytes, dict[str, str]], *_: Any) -> Written:
    """Write the body in pieces, and header names in lower case."""
    body, headers = written
    small = {name.lower(): value for name, value in headers.items()}
    return [body[:10], body[10:]], small | {"connection": "close", "accept": "*/*"}


def _with_number(rules: Any, attempt: int, payload: dict[str, Any], *secret: Any) -> tuple[Any, ...]:
    """Write number and time of the attempt into the payload."""
    return attempt, payload | {"attempt": attempt, "sent_at": rules.moment(rules.clock.now())}, *secret


DELIVERIES = {
    "events-after-3-s": setting("Events are sent after 3 s: no document states how soon.", event_delay_seconds=3.0),
    "events-in-any-order": setting(
        "Events are sent in any order: none is stated.",
        event_delay=lambda _rules: random.random() * 0.8),  # noqa: S311  # jitter, not a secret
}  # fmt: skip
SENT_TWICE = setting("Each event is sent twice, with one id: it may be sent again.", event_copies=2)
SENT_IN_PIECES = changes_result(
    "An event is sent in chunks, with header names in lower case and a connection of its own: "
    "how the POST is sent is not stated.",
    write_event=_in_pieces)  # fmt: skip
WITH_CHARSET = setting(
    "Content-Type of an event names a charset: a media type may have parameters (RFC 9110, section 8.3.1).",
    event_content_type="application/json; charset=utf-8")  # fmt: skip
ATTEMPTS_NUMBERED = changes_arguments(
    "Each attempt has another payload, with its number and time: that the body stays is not stated.",
    write_event=_with_number)  # fmt: skip
HASH_IN_CAPITALS = changes_result("The hash of a signature is in capitals: the case of hex digits is not stated.",
    event_hash=lambda _rules, digits, *_: str(digits).upper())  # fmt: skip
EVENTS_INDENTED = setting("The body of an event is indented: the signature is over the raw body, with its blanks.",
    encode_event=_indented)  # fmt: skip
SIGNED_WITH_DECIMALS = setting("The timestamp of a signature has three decimals: its form is not stated.",
    event_timestamp=lambda rules: f"{rules.clock.now():.3f}")  # fmt: skip
