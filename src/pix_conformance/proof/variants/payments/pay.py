"""Conforming variants where PAY-PAYS is silent: simulated payments."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from pix_conformance.proof.difference import setting, variant
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

LAG_S = 0.8
SERVED_S = 0.05
"""How long a simulation takes: requests that are sent at the same time overlap."""
Act = Callable[[Call], Awaitable[Answer]]


VARIANTS = {
    "PAY-PAYS-16": {"other-codes": setting(
            "Sandbox refusals have the codes INVALID_REQUEST and SANDBOX_ONLY: "
            "their codes are not shown (payments.md, line 375).",
            error_codes={**PaymentsRules.error_codes, "state": "INVALID_REQUEST", "forbidden": "SANDBOX_ONLY"}
            ).also("PAY-CMP-16")},
}  # fmt: skip


@variant("PAY-PAYS-11/queries-lag", "PAY-CMP-10")
class QueriesLag(PaymentsRules):
    """A query shows a payment or completion after 0.8 s: no time is stated (payments.md, lines 241 and 262)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        self._before: dict[object, tuple[float, Row]] = {}

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        return super().claim_charge(charge, changes) and self._kept("payments_charge", charge)

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        claimed = super().claim_transfer(transfer, changes)
        return claimed and (changes.get("status") != "completed" or self._kept("transfer", transfer))

    def owned(self, call: Call, table: str, number: object) -> Row:
        row = super().owned(call, table, number)
        ends, before = self._before.get((table, number), (0.0, row))
        return before if call.operation in {"get_charge", "get_transfer"} and time.monotonic() < ends else row

    def _kept(self, table: str, row: Row) -> bool:
        self._before[table, row["id"]] = (time.monotonic() + LAG_S, dict(row))
        return True


@variant("PAY-PAYS-18/overlapping-simulations-succeed", "PAY-CMP-18")
class OverlappingSimulationsSucceed(PaymentsRules):
    """All overlapping simulations return the one payment or completion: no rule is stated (payments.md, line 247)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        self._done: dict[str, float] = {}

    async def pause(self, call: Call, place: str) -> None:
        await asyncio.sleep(SERVED_S if place in {"pay", "complete"} else 0)
        await super().pause(call, place)

    async def pay_charge(self, call: Call) -> Answer:
        return await self._repeat_own_answer(call, super().pay_charge, self.pay_answer, "payments_charge")

    async def complete_transfer(self, call: Call) -> Answer:
        return await self._repeat_own_answer(call, super().complete_transfer, self.complete_answer, "transfer")

    async def _repeat_own_answer(self, call: Call, act: Act, body: Callable[[Call, Row], object], table: str) -> Answer:
        begun, number = time.monotonic(), call.params["id"]
        try:
            answer = await act(call)
        except Refusal as refusal:
            if refusal.kind != "state" or self._done.get(number, 0.0) < begun:
                raise
            return Answer(200, body(call, self.owned(call, table, number)))
        self._done[number] = time.monotonic()
        return answer
