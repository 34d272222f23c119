"""Conforming variants where BUS-PAY is silent: simulated payments."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.sandbox.variants.common import *

TRANSITION_S = 0.4
TURN_S = 0.01
LATER_S = 1.8


async def serve_in_turn(rules: Any, right: Operation, call: Call) -> Answer:
    async with rules.__dict__.setdefault("turn", asyncio.Lock()):
        await asyncio.sleep(TURN_S)
        return await right(call)


async def confirm_later(rules: Any, right: Operation, call: Call) -> Answer:
    async def confirm() -> None:
        await asyncio.sleep(LATER_S)
        with suppress(Refusal):
            await right(call)

    if not (rules.may_simulate(call.access) and rules.may_pay(rules.expire_if_overdue(call, rules.owned(call)))):
        return await right(call)
    rules.state.outbox.begin(confirm())
    return Answer(202, {"accepted": True})


def refused_with(status: Callable[[str], int]) -> Callable[..., Answer]:
    """Refuse a pay that is not possible with a status that depends on the message."""
    return lambda _, right, call, refusal: (
        Answer(status(refusal.message), right.body, right.headers)
        if call.operation == "pay_charge" and refusal.kind == "state"
        else right
    )


VARIANTS = {
    "BUS-PAY-03/slow-transitions": pauses("A cancel or pay takes 0.4 s: no time is stated.",
        lambda place: TRANSITION_S if place in {"pay", "cancel"} else 0),
    "BUS-PAY-03/one-request-at-a-time": overrides(
        "Requests are served one after the other: how many are served at once is not stated.", serve=serve_in_turn),
    "BUS-PAY-03/confirmed-later": overrides(
        "A payment is confirmed after 1.8 s: the client polls until the status changes (BUS-PAY-26).",
        pay_charge=confirm_later),
    "BUS-PAY-05/returns-200": changes_refusal(
        "A pay that is not possible returns 200 with the charge: it has no effect.",
        pay_charge=lambda rules, refusal, call: (
            Answer(200, rules.charge_view(call, rules.owned(call))) if refusal.kind == "state" else None))
        .also("BUS-PAY-06", "BUS-PAY-07"),
    "BUS-PAY-05/returns-422": changes_result("A pay that is not possible returns 422: its refusal is not stated.",
        refused=refused_with(lambda _: 422)).also("BUS-PAY-06", "BUS-PAY-07"),
    "BUS-PAY-05/returns-410-or-403": changes_result(
        "A pay of an expired charge returns 410, of another 403: no refusal is stated.",
        refused=refused_with(lambda message: 410 if "expired" in message else 403)).also("BUS-PAY-06"),
}  # fmt: skip
