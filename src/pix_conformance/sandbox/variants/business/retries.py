"""Conforming variants where BUS-RETRY is silent: retries of deliveries."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.variants.common import *

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
