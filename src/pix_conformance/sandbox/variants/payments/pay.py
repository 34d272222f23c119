"""Conforming variants where PAY-PAYS is silent: simulated payments."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

LAG_S = 0.8
SERVED_S = 0.05
"""How long a simulation takes: requests that are sent at the same time overlap."""


async def take_time(_rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
    await asyncio.sleep(SERVED_S if place in {"pay", "complete"} else 0)
    await right(call, place)


async def repeat_own_answer(rules: Any, right: Operation, call: Call) -> Answer:
    begun, done = time.monotonic(), rules.__dict__.setdefault("done", {})
    number, simulation = call.params["id"], (call.operation, call.params["id"])
    try:
        answer = await right(call)
    except Refusal as refusal:
        if refusal.kind != "state" or done.get(simulation, 0.0) < begun:
            raise
        if call.operation == "pay_charge":
            return Answer(200, rules.pay_answer(call, rules.owned(call, "payments_charge", number)))
        return Answer(200, rules.complete_answer(call, rules.owned(call, "transfer", number)))
    done[simulation] = time.monotonic()
    return answer


def keep_before(rules: Any, claimed: object, row: Row, changes: Row) -> object:
    if claimed and changes.get("status") in {"paid", "completed"}:
        rules.__dict__.setdefault("before", {})[changes["status"], row["id"]] = (time.monotonic() + LAG_S, row)
    return claimed


def as_before(rules: Any, row: Row, call: Call, *_: Any) -> Row:
    ended = {"get_charge": "paid", "get_transfer": "completed"}.get(call.operation)
    ends, before = rules.__dict__.get("before", {}).get((ended, row["id"]), (0.0, row))
    return before if time.monotonic() < ends else row


VARIANTS = {
    "PAY-PAYS-11/queries-lag": changes_result("A query shows a payment or completion after 0.8 s: no time is stated.",
        claim_charge=keep_before, claim_transfer=keep_before, owned=as_before).also("PAY-CMP-10"),
    "PAY-PAYS-16/other-codes": setting("Sandbox refusals have the codes INVALID_REQUEST and SANDBOX_ONLY: "
        "their codes are not shown.",
        error_codes={**PaymentsRules.error_codes, "state": "INVALID_REQUEST", "forbidden": "SANDBOX_ONLY"}
        ).also("PAY-CMP-16"),
    "PAY-PAYS-18/overlapping-simulations-succeed": overrides(
        "All overlapping simulations return the one payment or completion: no rule is stated.",
        pause=take_time, pay_charge=repeat_own_answer, complete_transfer=repeat_own_answer).also("PAY-CMP-18"),
}  # fmt: skip
