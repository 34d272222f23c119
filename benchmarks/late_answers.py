"""Rules of targets that are far away: each response takes 250 ms, or 1.5 s."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules


class Late(WireRules):
    """A server that is 250 ms away."""

    latency_s: ClassVar[float] = 0.25

    async def pause(self, call: Call, place: str) -> None:
        """Wait when a request arrives."""
        await asyncio.sleep(self.latency_s if place == "arrival" else 0)
        await super().pause(call, place)


class PaymentsLate(Late, PaymentsRules):
    """The payments API, 250 ms away."""


class BusinessLate(Late, BusinessRules):
    """The business charge API, 250 ms away."""


class PaymentsVeryLate(PaymentsLate):
    """The payments API, 1.5 s away."""

    latency_s = 1.5


class BusinessVeryLate(BusinessLate):
    """The business charge API, 1.5 s away."""

    latency_s = 1.5


def options(*rules: type) -> tuple[str, ...]:
    """Return the options of `pix-sandbox` with which it serves by these rules."""
    return tuple(f"--rules={one.__module__}:{one.__name__}" for one in rules)


LATE, VERY_LATE = options(PaymentsLate, BusinessLate), options(PaymentsVeryLate, BusinessVeryLate)
