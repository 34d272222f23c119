"""Idempotency keys of both APIs: conflicts while the first request is being served."""

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.idempotency import IdempotencyRules

SERVED_S = 0.02


class ConflictsMeanwhile(IdempotencyRules):
    """Refuses a key while its first request is being served."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        busy: set[tuple[str, str]] = self.__dict__.setdefault("busy_keys", set())
        name = self.idempotency_key(call)
        key = call.access.book, name or ""
        if key in busy:
            raise self.key_conflict()
        if name is not None:
            busy.add(key)
        try:
            await asyncio.sleep(SERVED_S if name is not None else 0)
            return await super().execute_once(call, body, effect)
        finally:
            busy.discard(key)


CONFLICTS_MEANWHILE = Difference(
    "A key conflicts while its first request is being served: there is no response yet that could be returned "
    "(payments.md, line 302; business.md, line 130).", ConflictsMeanwhile)  # fmt: skip
