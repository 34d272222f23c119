"""A reference with random delays: most responses are fast, some take a second. The documents state no limit."""

from __future__ import annotations

import asyncio
import random

from pix_conformance.proof.variants import registry as variants
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules

USUALLY_S, SELDOM_S = 0.25, 1.5
SELDOM = 0.01
LATE = (
    "PAY-GEN-10/uneven",
    "PAY-EVT-20/events-after-3-s",
    "PAY-TRF-74/approved-after-2-s",
    "PAY-TRF-74/approved-after-6-s",
    "PAY-BAL-10/balances-lag",
    "PAY-WH-57/listed-after-half-a-second",
    "BUS-GEN-05/uneven",
    "BUS-RETRY-10/events-after-3-s",
    "BUS-PAY-03/confirmed-later",
    "BUS-LIST-01/listed-after-a-moment",
    "BUS-FIN-20/posted-later",
    "BUS-PAY-03/slow-transitions",
)
"""Variants that do something later than the reference."""


def delay() -> float:
    """Return a random delay of one response in seconds."""
    drawn = random.random()  # noqa: S311  # jitter, not a secret
    return SELDOM_S if drawn < SELDOM else USUALLY_S * drawn**4


class PaymentsSlowed(PaymentsRules):
    """The payments API with random delays."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait when a request arrives."""
        await asyncio.sleep(delay() if place == "arrival" else 0)
        await super().pause(call, place)


class BusinessSlowed(BusinessRules):
    """The business API with random delays."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait when a request arrives."""
        await asyncio.sleep(delay() if place == "arrival" else 0)
        await super().pause(call, place)


SLOWED = tuple(f"{one.__module__}:{one.__name__}" for one in (PaymentsSlowed, BusinessSlowed))


def also_late(chance: random.Random) -> tuple[str, ...]:
    """Choose up to two variants that are late in something, no two of them alternatives."""
    chosen = {variants.load()[one].choice: one for one in chance.sample(LATE, chance.randrange(3))}
    return tuple(chosen.values())


def rules(chosen: tuple[str, ...]) -> tuple[str, ...]:
    """Return the class names that the reference loads; the random delays are always among them."""
    return (*map(variants.rules_of, chosen), *SLOWED)
