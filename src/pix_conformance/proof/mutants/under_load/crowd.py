"""A server that knows which requests it is answering at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules

OPEN_S = 0.25
"""Seconds between reading and writing: requests of other users come meanwhile."""


class Crowd(WireRules):
    """Takes a moment for each payment and for each request that may have an idempotency key."""

    @cached_property
    def _answering(self) -> list[Call]:
        return []

    async def serve(self, call: Call) -> Answer:
        """Note the request for as long as it is being answered."""
        self._answering.append(call)
        try:
            return await super().serve(call)
        finally:
            self._answering.remove(call)

    async def pause(self, call: Call, place: str) -> None:
        """Let requests of other users come."""
        await asyncio.sleep(OPEN_S if place in {"pay", "once"} else 0)

    def is_answering(self, operation: str, is_other: Callable[[Call], bool]) -> bool:
        """Return whether another request of the operation is being answered."""
        return any(one.operation == operation and is_other(one) for one in self._answering)
