"""Conforming variants where PAY-PAYS is silent: simulated payments."""

from __future__ import annotations

import asyncio
import time
from typing import ClassVar

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

LAG_S = 0.8
SERVED_S = 0.05
"""How long a simulation takes: requests that are sent at the same time overlap."""


class ShowsLate(PaymentsRules):
    """How soon a query shows a payment or completion is not shown: after 0.8 s."""

    def __init__(self, world: ServerState) -> None:
        """Have nothing to hold back."""
        super().__init__(world)
        self._before: dict[object, tuple[float, Row]] = {}

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Keep how it was."""
        return super().claim_charge(charge, changes) and self._kept("payments_charge", charge)

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Keep how it was before its completion."""
        claimed = super().claim_transfer(transfer, changes)
        return claimed and (changes.get("status") != "completed" or self._kept("transfer", transfer))

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Show it as it was."""
        row = super().owned(call, table, number)
        ends, before = self._before.get((table, number), (0.0, row))
        return before if call.operation in {"get_charge", "get_transfer"} and time.monotonic() < ends else row

    def _kept(self, table: str, row: Row) -> bool:
        self._before[table, row["id"]] = (time.monotonic() + LAG_S, dict(row))
        return True


class ProductiveCodes(PaymentsRules):
    """The codes of sandbox refusals are not shown."""

    error_codes: ClassVar[dict[str, str]] = {
        **PaymentsRules.error_codes,
        "state": "INVALID_REQUEST",
        "forbidden": "SANDBOX_ONLY",
    }


class OverlappingSimulationsAgree(PaymentsRules):
    """Nothing is promised of simultaneous calls: those that overlap are all told of the one payment or completion."""

    async def pause(self, call: Call, place: str) -> None:
        """Take a while."""
        await asyncio.sleep(SERVED_S if place in {"pay", "complete"} else 0)
        await super().pause(call, place)

    async def pay_charge(self, call: Call) -> Answer:
        """Answer what was done meanwhile."""
        begun = time.monotonic()
        try:
            answer = await super().pay_charge(call)
        except Refusal as refusal:
            charge = self._done_since(refusal, begun, call, "payments_charge")
            return Answer(200, self.pay_answer(call, charge))
        self._done[call.params["id"]] = time.monotonic()
        return answer

    async def complete_transfer(self, call: Call) -> Answer:
        """Answer what was done meanwhile."""
        begun = time.monotonic()
        try:
            answer = await super().complete_transfer(call)
        except Refusal as refusal:
            transfer = self._done_since(refusal, begun, call, "transfer")
            return Answer(200, self.complete_answer(call, transfer))
        self._done[call.params["id"]] = time.monotonic()
        return answer

    def _done_since(self, refusal: Refusal, begun: float, call: Call, table: str) -> Row:
        number = call.params["id"]
        if refusal.kind != "state" or self._done.get(number, 0.0) < begun:
            raise refusal
        return self.owned(call, table, number)

    @property
    def _done(self) -> dict[str, float]:
        done: dict[str, float] = self.__dict__.setdefault("_done_at", {})
        return done


VARIANTS = [
    Variant("payments-query-lag", ("PAY-PAYS-11", "PAY-CMP-10"), {"eight-tenths": ShowsLate}),
    Variant("payments-codes", ("PAY-PAYS-16", "PAY-CMP-16"), {"others": ProductiveCodes}),
    Variant("payments-overlap", ("PAY-PAYS-18", "PAY-CMP-18"), {"agree": OverlappingSimulationsAgree}),
]
