"""Mutants that are wrong only while several users send requests: a run under load kills them, the suites cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "concurrency"

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
        return any(call.operation == operation and is_other(call) for call in self._answering)


@mutant("PAY-PAYS-21/one-lock-for-all-charges", "PAY-PAYS-18")
class OneLockForPaymentsCharges(Crowd, PaymentsRules):
    """Simultaneous pays of a charge are all captured while another charge is being paid, which frees their lock."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        if super().claim_charge(charge, changes):
            return True
        freed = self.is_answering("pay_charge", lambda call: call.params["id"] != charge["id"])
        return freed and self.store.update("payments_charge", changes, id=charge["id"], status="paid") == 1


@mutant("PAY-IDEM-10/forgets-keys-in-a-crowd", "PAY-IDEM-02")
class ForgetsKeysInACrowd(Crowd, PaymentsRules):
    """A key is not looked up while a transfer with another key is being created, so a replay creates another one."""

    def earlier(self, call: Call, key: str) -> Row | None:
        crowded = self.is_answering("create_transfer", lambda call: self.idempotency_key(call) != key)
        return None if crowded else super().earlier(call, key)


@mutant("BUS-STATE-09/one-lock-for-all-charges", "BUS-EVT-14", "BUS-EVT-28")
class OneLockForBusinessCharges(Crowd, BusinessRules):
    """Simultaneous pays of a charge are all captured while another charge is being paid, which frees their lock."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        if super().claim_charge(charge, changes):
            return True
        freed = self.is_answering("pay_charge", lambda call: call.params["id"] != charge["id"])
        return freed and self.store.update("business_charge", changes, id=charge["id"], status="paid") == 1


@mutant("BUS-EVT-02/lost-in-a-crowd")
class EventLostInACrowd(Crowd, BusinessRules):
    """No business.pix.paid is sent for a charge if another charge is being paid at the same time."""

    def should_emit(self, event: str, row: Row) -> bool:
        crowded = self.is_answering("pay_charge", lambda call: call.params["id"] != row["id"])
        return super().should_emit(event, row) and not (crowded and event == "business.pix.paid")
