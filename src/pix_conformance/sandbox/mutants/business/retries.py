"""Mutants of BUS-RETRY, retries of deliveries."""

from dataclasses import replace
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.sandbox.mutants.operators import *

GROUP = "time"
PAID, CANCELED = "business.pix.paid", "business.pix.canceled"


def delivered_by(sentence: str, *statuses: int) -> Difference:
    """Take other statuses for a delivery, too."""
    return changes_result(sentence, is_delivered=lambda _, right, status: right or status in statuses).of("events")


def one_attempt(event: str) -> Difference:
    """Attempt one event once."""
    return changes_result(f"{event} is attempted once.", webhook_request=lambda _, request, _url, payload: (
        replace(request, attempts=1) if payload["type"] == event else request)).of("events")  # fmt: skip


def ended_by_silence(_: Any, request: WebhookRequest, *_about: Any) -> WebhookRequest:
    answered = [True]

    async def pause(attempt: int) -> bool:
        return await request.pause(attempt) and answered[0]

    def write(attempt: int) -> Written:
        answered[0] = False
        return request.write(attempt)

    def accepts(status: int) -> bool:
        answered[0] = True
        return request.accepts(status)

    return replace(request, pause=pause, write=write, accepts=accepts)


MUTANTS = {
    "BUS-RETRY-01/one-attempt-if-paid": one_attempt(PAID),
    "BUS-RETRY-01/one-attempt-if-canceled": one_attempt(CANCELED),
    "BUS-RETRY-01/ended-by-503": delivered_by("A 503 ends the attempts.", 503),
    "BUS-RETRY-02/one-attempt-more": setting(
        "Events are attempted once too often.", event_attempts=BusinessRules.event_attempts + 1),
    "BUS-RETRY-03/fivefold": setting("Each pause is five times the one before.", event_backoff_factor=5.0),
    "BUS-RETRY-04/cap-of-an-hour": setting(
        "Pauses grow up to an hour.", event_first_retry_seconds=16.0, event_longest_retry_seconds=3600.0)
        .seen_in("BUS-LIST-02"),
    "BUS-RETRY-05/after-three-seconds": setting(
        "A call without a response is given up after 3 s.", event_timeout_seconds=3.0),
    "BUS-RETRY-06/ended-by-silence": changes_result(
        "A call without a response ends the attempts.", webhook_request=ended_by_silence),
    "BUS-RETRY-07/other-id": in_later_attempts("id", lambda text: f"{text}2"),
    "BUS-RETRY-08/only-200": setting(
        "Any 2xx but 200 is followed by another attempt.", is_delivered=lambda _, status: status == 200)
        .also("BUS-RETRY-13"),
    "BUS-RETRY-08/sent-twice": setting("Each event is sent twice.", event_copies=2).of("events"),
    "BUS-RETRY-09/type-of-paid": in_later_attempts("type", PAID).also("BUS-EVT-06"),
    "BUS-RETRY-09/empty-external-ref": in_later_attempts("data.external_ref", "").also("BUS-EVT-13"),
}  # fmt: skip
