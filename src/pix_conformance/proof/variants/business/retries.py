"""Conforming variants where BUS-RETRY is silent: retries of deliveries."""

from __future__ import annotations

import asyncio
import random
from typing import Any
from zlib import crc32

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.state import ServerState

LANES = 4


class BusinessSlowEvents(BusinessRules):
    """No document says how soon an event comes."""

    event_delay_seconds = 3.0


class BusinessDoubledEvents(BusinessRules):
    """The same event id may arrive more than once (business.md, line 168)."""

    event_copies = 2


class BusinessSomeDoubledEvents(BusinessRules):
    """The same event id may arrive more than once, and not of every event (business.md, line 168)."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Send some twice, the copy after a while."""
        super().send_event(url, payload)
        if random.random() < 0.4:  # noqa: S311  # by chance, not a secret
            asyncio.get_running_loop().call_later(0.7, super().send_event, url, payload)


class BusinessShuffledEvents(BusinessRules):
    """No order of events is promised."""

    def event_delay(self) -> float:
        """Wait at random."""
        return random.random() * 0.8  # noqa: S311  # jitter, not a secret


class BusinessJitteredRetries(BusinessRules):
    """Exponential backoff commonly has jitter."""

    def retry_seconds(self, failures: int) -> float:
        """Vary by a fifth, up to the cap."""
        return min(300.0, super().retry_seconds(failures) * (0.8 + random.random() * 0.4))  # noqa: S311  # jitter


class BusinessUnhurriedRetries(BusinessRules):
    """How long the first pause is, is not stated."""

    event_first_retry_seconds = 1.0


class BusinessPatientRetries(BusinessRules):
    """How long the first pause is, is not stated."""

    event_first_retry_seconds = 30.0


class BusinessOneAtATime(BusinessRules):
    """How many calls are under way at once is not stated: one, and the next when it was answered or given up."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Take turns for each attempt."""
        turn = self.__dict__.setdefault("turn", asyncio.Lock())
        self.world.outbox.begin(self._attempts(turn, url, payload))

    async def _attempts(self, turn: asyncio.Lock, url: str, payload: dict[str, Any]) -> None:
        letter = self.webhook_request(url, payload)
        for attempt in range(1, letter.attempts + 1):
            await letter.pause(attempt)
            async with turn:
                if await self.world.outbox.attempt(letter, attempt):
                    return


class BusinessInBatches(BusinessRules):
    """When events are sent is not stated: each second those that are due, and no more until all are answered."""

    event_first_retry_seconds = 2.0

    def __init__(self, world: ServerState) -> None:
        """Have nothing to send yet."""
        super().__init__(world)
        self._due: list[tuple[float, int, WebhookRequest]] = []
        self._works = False

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Leave it to the worker."""
        if not self._works:
            self._works = True
            self.world.outbox.begin(self._work())
        self._due.append((0.0, 1, self.webhook_request(url, payload)))

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            batch = [one for one in self._due if one[0] <= self.clock.now()][:20]
            self._due = [one for one in self._due if one not in batch]
            await asyncio.gather(*(self._attempt(*one[1:]) for one in batch))

    async def _attempt(self, number: int, letter: WebhookRequest) -> None:
        if not await self.world.outbox.attempt(letter, number) and number < letter.attempts:
            self._due.append((self.clock.now() + self.retry_seconds(number), number + 1, letter))


class BusinessInLanes(BusinessRules):
    """How events are sent is not stated: in four lines, each event again and again before the next of its line."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Choose a line by the label."""
        lanes = self.__dict__.setdefault("lanes", [asyncio.Lock() for _ in range(LANES)])
        chosen = lanes[crc32(str(payload["data"].get("external_ref")).encode()) % LANES]
        self.world.outbox.begin(self._in_turn(chosen, self.webhook_request(url, payload)))

    async def _in_turn(self, lane: asyncio.Lock, letter: WebhookRequest) -> None:
        async with lane:
            await self.world.outbox.deliver(letter)


VARIANTS = [
    Variant(
        "business-delivery",
        ("BUS-RETRY-10",),
        {
            "slow": BusinessSlowEvents,
            "doubled": BusinessDoubledEvents,
            "some-doubled": BusinessSomeDoubledEvents,
            "shuffled": BusinessShuffledEvents,
            "in-turn": BusinessOneAtATime,
            "in-batches": BusinessInBatches,
            "in-lanes": BusinessInLanes,
        },
    ),
    Variant("business-retries", ("BUS-RETRY-10",), {"jittered": BusinessJitteredRetries}),
    Variant(
        "business-first-pause",
        ("BUS-RETRY-10",),
        {"second": BusinessUnhurriedRetries, "half-a-minute": BusinessPatientRetries},
    ),
]
