"""Keys of both APIs that conflict while their first request is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.idempotency import IdempotencyRules

UNDER_WAY_S = 0.02


class KeepsKeysBusy(IdempotencyRules):
    """While the first request of a key is under way, its key conflicts."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Refuse the second at once."""
        busy: set[tuple[str, str]] = self.__dict__.setdefault("busy_keys", set())
        name = self.idempotency_key(call)
        key = call.access.book, name or ""
        if key in busy:
            raise self.key_conflict()
        if name is not None:
            busy.add(key)
        try:
            await asyncio.sleep(UNDER_WAY_S if name is not None else 0)
            return await super().execute_once(call, body, effect)
        finally:
            busy.discard(key)
