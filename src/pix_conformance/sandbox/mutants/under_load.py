"""Mutants that are wrong only while several users send requests: a run under load kills them, the suites cannot."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules
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


def in_crowd(sentence: str, **methods: Callable[..., Any]) -> Difference:
    """Put functions in the place of methods, as `overrides` does, of a server that takes a moment."""
    return replace(overrides(sentence, **methods), departure=Crowd)


def claims_in_crowd(table: str) -> Difference:
    """Change a paid charge again while another charge is being paid."""

    def claim(rules: Any, right: Callable[..., bool], charge: Row, changes: Row) -> bool:
        if right(charge, changes):
            return True
        freed = rules.is_answering("pay_charge", lambda call: call.params["id"] != charge["id"])
        return bool(freed and rules.store.update(table, changes, id=charge["id"], status="paid") == 1)

    sentence = (
        "Simultaneous pays of a charge are all captured while another charge is being paid, which frees their lock."
    )
    return in_crowd(sentence, claim_charge=claim)


MUTANTS = {
    "PAY-PAYS-21/one-lock-for-all-charges": claims_in_crowd("payments_charge").also("PAY-PAYS-18", "PAY-EVT-34"),
    "PAY-IDEM-10/forgets-keys-in-a-crowd": in_crowd(
        "A key is not looked up while a transfer with another key is being created, so a replay creates another one.",
        earlier=lambda rules, right, call, key: None if rules.is_answering(
            "create_transfer", lambda other: rules.idempotency_key(other) != key) else right(call, key))
        .also("PAY-IDEM-01", "PAY-IDEM-02"),
    "BUS-STATE-09/one-lock-for-all-charges": claims_in_crowd("business_charge").also("BUS-EVT-14", "BUS-EVT-28"),
    "BUS-EVT-02/lost-in-a-crowd": in_crowd(
        "No business.pix.paid is sent for a charge if another charge is being paid at the same time.",
        should_emit=lambda rules, right, event, row: right(event, row) and not (event == "business.pix.paid"
            and rules.is_answering("pay_charge", lambda call: call.params["id"] != row["id"]))),
}  # fmt: skip
