"""Conforming variants where BUS-PAY is silent: simulated payments."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import ClassVar

from pix_conformance.proof.difference import variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal

TRANSITION_S = 0.4
TURN_S = 0.01
LATER_S = 1.8


@variant("BUS-PAY-03/slow-transitions")
class SlowTransitions(BusinessRules):
    """A cancel or pay takes 0.4 s: no time is stated (business.md, lines 114 and 119)."""

    async def pause(self, call: Call, place: str) -> None:
        await asyncio.sleep(TRANSITION_S if place in {"pay", "cancel"} else 0)
        await super().pause(call, place)


@variant("BUS-PAY-03/one-request-at-a-time")
class OneRequestAtATime(BusinessRules):
    """Requests are served one after the other: how many are served at once is not stated (business.md, line 67)."""

    async def serve(self, call: Call) -> Answer:
        async with self.__dict__.setdefault("turn", asyncio.Lock()):
            await asyncio.sleep(TURN_S)
            return await super().serve(call)


@variant("BUS-PAY-03/confirmed-later")
class ConfirmedLater(BusinessRules):
    """A payment is confirmed after 1.8 s: the client polls until the status changes (business.md, line 105)."""

    under_way: frozenset[asyncio.Task[None]] = frozenset()

    async def pay_charge(self, call: Call) -> Answer:
        ready = self.may_simulate(call.access) and self.may_pay(self.expire_if_overdue(call, self.owned(call)))
        return self._accepted(call, super().pay_charge) if ready else await super().pay_charge(call)

    def _accepted(self, call: Call, act: Callable[[Call], Awaitable[Answer]]) -> Answer:
        async def later() -> None:
            await asyncio.sleep(LATER_S)
            with suppress(Refusal):
                await act(call)

        self.under_way |= {asyncio.get_running_loop().create_task(later())}
        return Answer(202, {"accepted": True})


class RefusesPayOtherwise(BusinessRules):
    """Answers a pay that the state does not allow in its own way."""

    async def pay_charge(self, call: Call) -> Answer:
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            if refusal.kind != "state":
                raise
            return self.impossible(call, refusal)

    def impossible(self, call: Call, refusal: Refusal) -> Answer:
        """Return the response, or raise another refusal."""
        raise NotImplementedError


@variant("BUS-PAY-05/returns-200", "BUS-PAY-06", "BUS-PAY-07")
class Returns200(RefusesPayOtherwise):
    """A pay that is not possible returns 200 with the charge: it has no effect (business.md, line 67)."""

    def impossible(self, call: Call, refusal: Refusal) -> Answer:
        return Answer(200, self.charge_view(call, self.owned(call)))


@variant("BUS-PAY-05/returns-422", "BUS-PAY-06", "BUS-PAY-07")
class Returns422(RefusesPayOtherwise):
    """A pay that is not possible returns 422: its refusal is not stated (business.md, lines 79 and 118-120)."""

    def impossible(self, call: Call, refusal: Refusal) -> Answer:
        raise Refusal("invalid", refusal.message) from None


@variant("BUS-PAY-05/returns-410-or-403", "BUS-PAY-06")
class Returns410Or403(RefusesPayOtherwise):
    """A pay of an expired charge returns 410, of another 403: no refusal is stated (business.md, lines 118-120)."""

    error_statuses: ClassVar[dict[str, int]] = {**BusinessRules.error_statuses, "gone": 410}

    def impossible(self, call: Call, refusal: Refusal) -> Answer:
        raise Refusal("gone" if "expired" in refusal.message else "forbidden", refusal.message) from None
