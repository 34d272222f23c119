"""Conforming variants where BUS-EVT, BUS-SIG and BUS-RETRY are silent: events, signatures and retries."""

import asyncio
import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from zlib import crc32

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *


def next_number(rules: Any, _event: str, _row: Row) -> str:
    rules.__dict__["numbered"] = rules.__dict__.get("numbered", 0) + 1
    return str(rules.__dict__["numbered"])


def dated_as_mail(_rules: Any, url: str, payload: dict[str, Any]) -> tuple[Any, ...]:
    stamp = payload.get("created_at", "")
    if stamp == "":  # no event, but a challenge
        return url, payload
    moment = datetime.fromisoformat(stamp) if isinstance(stamp, str) else datetime.fromtimestamp(stamp, UTC)
    return url, payload | {"created_at": format_datetime(moment)}


def verify_endpoint(rules: Any, right: Callable[..., None], url: str, payload: dict[str, Any]) -> None:
    if not rules.__dict__.setdefault("asked", False):
        rules.__dict__["asked"] = True
        right(url, {"type": "endpoint.verification", "challenge": "abc"})
    right(url, payload)


def send_balance(_rules: Any, right: Callable[..., None], event: str, row: Row) -> None:
    right(event, row)
    if event == "business.pix.paid":
        right("business.balance.updated", row)


def send_expiry(rules: Any, claimed: object, charge: Row, changes: Row) -> None:
    if claimed and changes.get("status") == "expired":
        with rules.store.transaction():
            rules.emit("business.pix.expired", charge | changes)


def as_signed_first(rules: Any, written: Written, _attempt: int, payload: dict[str, Any]) -> Written:
    first: Written = rules.__dict__.setdefault("first_attempts", {}).setdefault(payload.get("id"), written)
    return first[0], written[1] | {
        name: text for name, text in first[1].items() if name == rules.event_signature_header
    }


LONGEST_PAUSE_S = 300.0
CLIENT_ERROR, SERVER_ERROR = 400, 500


def jitter(_rules: Any, pause: float, _: int) -> float:
    return min(LONGEST_PAUSE_S, pause * (0.8 + random.random() * 0.4))  # noqa: S311  # jitter, not a secret


def send_some_twice(_rules: Any, right: Callable[..., None], url: str, payload: dict[str, Any]) -> None:
    right(url, payload)
    if random.random() < 0.4:  # noqa: S311  # by chance, not a secret
        asyncio.get_running_loop().call_later(0.7, right, url, payload)


def send_alone(rules: Any, url: str, payload: dict[str, Any]) -> None:
    turn, request = rules.__dict__.setdefault("sending", asyncio.Lock()), rules.webhook_request(url, payload)

    async def attempts() -> None:
        for attempt in range(1, request.attempts + 1):
            await request.pause(attempt)
            async with turn:
                if await rules.state.outbox.attempt(request, attempt):
                    return

    rules.state.outbox.begin(attempts())


VARIANTS = {
    "BUS-EVT-15/unknown-is-null": setting(
        "Data of an event is null while there is none: what it is then is not stated.",
        absent_in_event=lambda _rules, _name: None).also("BUS-EVT-16"),
    "BUS-EVT-15/unknown-is-absent": changes_result(
        "Data of an event is absent while there is none: what it is then is not stated.",
        event_data=lambda _rules, data, *_: {
            name: value for name, value in data.items() if value not in (None, "")}).also("BUS-EVT-16"),
    "BUS-EVT-15/unknown-label-is-id": changes_result(
        "external_ref in events is the id of a charge that has none: what it is then is not stated.",
        event_data=lambda _rules, data, _event, row: data | {"external_ref": row["external_ref"] or row["id"]})
        .also("BUS-EVT-16"),
    "BUS-EVT-15/unknown-label-is-made": changes_result(
        "external_ref in events is made by the service if the charge has none: what it is then is not stated.",
        event_data=lambda _rules, data, _event, row: data | {
            "external_ref": row["external_ref"] or f"ref-{crc32(row['id'].encode())}"}).also("BUS-EVT-16"),
    "BUS-EVT-17/events-of-production": changes_arguments(
        "The endpoint also receives events of production: one endpoint is configured.",
        should_emit=lambda _rules, event, row: (event, row | {"environment": "sandbox"})).also("BUS-ENV-17"),
    "BUS-EVT-17/endpoint-verified": overrides(
        "An unsigned challenge is sent before the first event: nothing excludes it.",
        send_event=verify_endpoint, event_headers=lambda rules, right, body: (
            {"Content-Type": rules.event_content_type} if b'"challenge"' in body else right(body))),
    "BUS-EVT-17/balance-event": overrides(
        "Each payment sends another event, of the balance: no sentence excludes further events.", emit=send_balance),
    "BUS-EVT-17/expiry-event": acts_after(
        "Expiry sends an event: each state change does, though none is listed for it.", claim_charge=send_expiry),
    "BUS-EVT-21/dated-as-mail": changes_arguments(
        "created_at of an event has the form of mail: its form is not stated.", send_event=dated_as_mail),
    "BUS-EVT-22/attempts-numbered": ATTEMPTS_NUMBERED,
    "BUS-EVT-22/content-type-with-charset": WITH_CHARSET,
    "BUS-EVT-22/sent-in-pieces": SENT_IN_PIECES,
    "BUS-EVT-22/ids-are-numbers": setting(
        "The id of an event is a number, from one on: a string of any form is an id.", event_id=next_number),
    "BUS-EVT-22/dated-by-charge": changes_result(
        "created_at of an event is that of its charge: of what it is, is not stated.",
        event_payload=lambda rules, payload, _event, row: payload | {"created_at": rules.moment(row["created_at"])}),
    "BUS-EVT-22/extra-fields": changes_result(
        "A payload has a version and the id of the charge besides: no sentence excludes further fields.",
        event_payload=lambda _rules, payload, _event, row: {**payload, "version": 2, "charge_id": row["id"]}),
    "BUS-SIG-03/hash-in-capitals": HASH_IN_CAPITALS,
    "BUS-SIG-03/body-indented": EVENTS_INDENTED,
    "BUS-SIG-04/clock-behind": skewed("The clock of the server is 75 s behind: up to 300 s are accepted.", -75),
    "BUS-SIG-08/signed-once": changes_result(
        "Each attempt carries the body and signature of the first one: whether it is signed again is not stated.",
        write_event=as_signed_first),
    "BUS-SIG-05/timestamp-with-decimals": SIGNED_WITH_DECIMALS,
    "BUS-RETRY-08/events-sent-twice": SENT_TWICE.also("BUS-RETRY-10"),
    "BUS-RETRY-08/some-events-sent-twice": overrides(
        "Some events are sent again after 0.7 s: the same event id can arrive more than once.",
        send_event=send_some_twice).also("BUS-RETRY-10"),
    "BUS-RETRY-10/four-queues": queued("Events wait in four queues for those before them: no order is stated.",
        "send_event", 4, lambda payload: payload.get("data", {}).get("external_ref")),
    "BUS-RETRY-10/one-request-at-a-time": setting("An attempt waits until the last one has ended: no order is stated.",
        send_event=send_alone),
    **listed_under("BUS-RETRY-10", DELIVERIES, "BUS-EVT-30", "BUS-EVT-31"),
    "BUS-RETRY-10/jitter": changes_result("A pause varies by a fifth: exponential backoff may have jitter.",
        retry_seconds=jitter),
    "BUS-RETRY-10/first-pause-of-1-s": setting("The first pause takes 1 s: how long it does is not stated.",
        event_first_retry_seconds=1.0),
    "BUS-RETRY-10/first-pause-of-30-s": setting("The first pause takes 30 s: how long it does is not stated.",
        event_first_retry_seconds=30.0),
    "BUS-RETRY-14/only-5xx-again": setting(
        "An event is sent again after a 5xx and after silence only: which responses fail is not stated.",
        is_delivered=lambda _rules, status: status < SERVER_ERROR),
    "BUS-RETRY-14/redirect-is-final": setting("A 3xx is as final as a 2xx: which responses fail is not stated.",
        is_delivered=lambda _rules, status: status < CLIENT_ERROR),
}  # fmt: skip


@variant("BUS-RETRY-10/sent-in-batches")
class SendsInBatches(BusinessRules):
    """Each second the events that are due are sent, once earlier ones were answered."""

    event_first_retry_seconds = 2.0

    def __init__(self, state: ServerState) -> None:
        super().__init__(state)
        self._due: list[tuple[float, int, WebhookRequest]] = []
        self._works = False

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        if not self._works:
            self._works = True
            self.state.outbox.begin(self._work())
        self._due.append((0.0, 1, self.webhook_request(url, payload)))

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            batch = [entry for entry in self._due if entry[0] <= self.clock.now()][:20]
            self._due = [entry for entry in self._due if entry not in batch]
            await asyncio.gather(*(self._attempt(*entry[1:]) for entry in batch))

    async def _attempt(self, number: int, request: WebhookRequest) -> None:
        if not await self.state.outbox.attempt(request, number) and number < request.attempts:
            self._due.append((self.clock.now() + self.retry_seconds(number), number + 1, request))
