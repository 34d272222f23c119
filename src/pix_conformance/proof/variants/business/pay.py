"""Conforming variants where BUS-PAY is silent: simulated payments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import ClassVar

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal

BUSY_S = 0.4
TURN_S = 0.01
LATER_S = 1.8


class TakesItsTime(BusinessRules):
    """How long a transition takes is not stated: 0.4 s."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait in the middle of it."""
        await asyncio.sleep(BUSY_S if place in {"pay", "cancel"} else 0)
        await super().pause(call, place)


class OneAtATime(BusinessRules):
    """How many calls are served at once is not stated: one."""

    async def serve(self, call: Call) -> Answer:
        """Take turns."""
        async with self.__dict__.setdefault("turn", asyncio.Lock()):
            await asyncio.sleep(TURN_S)
            return await super().serve(call)


class ConfirmsLater(BusinessRules):
    """How soon a transition takes effect is not stated: polling tells (business.md, line 105)."""

    under_way: frozenset[asyncio.Task[None]] = frozenset()

    async def pay_charge(self, call: Call) -> Answer:
        """Accept now, pay soon."""
        ready = self.may_simulate(call.access) and self.may_pay(self.seen(call, self.owned(call)))
        return self._accepted(call, super().pay_charge) if ready else await super().pay_charge(call)

    def _accepted(self, call: Call, act: Callable[[Call], Awaitable[Answer]]) -> Answer:
        async def later() -> None:
            await asyncio.sleep(LATER_S)
            with suppress(Refusal):
                await act(call)

        self.under_way |= {asyncio.get_running_loop().create_task(later())}
        return Answer(202, {"accepted": True})


class PaysAgainWith200(BusinessRules):
    """What an impossible pay answers is not stated, only that it has no effect."""

    async def pay_charge(self, call: Call) -> Answer:
        """Answer 200 with the charge as it is."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            if refusal.kind != "state":
                raise
            return Answer(200, self.charge_view(call, self.owned(call)))


class PaysAgainWith422(BusinessRules):
    """What an impossible pay answers is not stated, only that it has no effect."""

    async def pay_charge(self, call: Call) -> Answer:
        """Refuse it as invalid."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            raise (Refusal("invalid", refusal.message) if refusal.kind == "state" else refusal) from None


class PaysNoMore(BusinessRules):
    """What an impossible pay answers is not stated: 410 once it has expired, else 403."""

    error_statuses: ClassVar[dict[str, int]] = {**BusinessRules.error_statuses, "gone": 410}

    async def pay_charge(self, call: Call) -> Answer:
        """Refuse it in two ways."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            if refusal.kind != "state":
                raise
            raise Refusal("gone" if "expired" in refusal.message else "forbidden", refusal.message) from None


VARIANTS = [
    Variant("business-tempo", ("BUS-PAY-03",), {"slow-acts": TakesItsTime, "one-call": OneAtATime}),
    Variant("business-confirmation", ("BUS-PAY-03",), {"later": ConfirmsLater}),
    Variant(
        "business-impossible-pay",
        ("BUS-PAY-05", "BUS-PAY-06", "BUS-PAY-07"),
        {"200": PaysAgainWith200, "422": PaysAgainWith422},
    ),
    Variant("business-unpayable", ("BUS-PAY-05", "BUS-PAY-06"), {"gone": PaysNoMore}),
]
