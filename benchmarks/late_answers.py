"""Rules of a target that is far away: each response takes 250 ms."""

from __future__ import annotations

import asyncio

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules

LATENCY_S = 0.25


class PaymentsLate(PaymentsRules):
    """The payments API, 250 ms away."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait when a request arrives."""
        await asyncio.sleep(LATENCY_S if place == "arrival" else 0)
        await super().pause(call, place)


class BusinessLate(BusinessRules):
    """The business charge API, 250 ms away."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait when a request arrives."""
        await asyncio.sleep(LATENCY_S if place == "arrival" else 0)
        await super().pause(call, place)


OPTIONS = tuple(f"--rules={one.__module__}:{one.__name__}" for one in (PaymentsLate, BusinessLate))
"""The options of `pix-sandbox` with which it serves them."""
