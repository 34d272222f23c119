"""Conforming variants where BUS-CAN is silent: cancellation."""

import asyncio
from typing import Any

from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.sandbox.variants.common import *

OVERLAPPING_S = 0.05
TRANSITIONS = {row.name for row in of(Api.BUSINESS, Effect.CHANGES)}


def refuse_body(_rules: Any, _row: Any, call: Call) -> None:
    if call.operation in TRANSITIONS and call.body not in {b"", b"{}"}:
        raise Refusal("invalid", "body must be empty")


def without_body(_rules: Any, right: Any, call: Call, answer: Answer) -> Answer:
    result: Answer = right(call, answer)
    return Answer(204, None, result.headers) if call.operation in TRANSITIONS and result.status == 200 else result


async def join_cancel(rules: Any, right: Operation, call: Call) -> Answer:
    """Report the one transition to each cancel that came before it."""
    before = rules.owned(call)["status"]
    await asyncio.sleep(OVERLAPPING_S)
    try:
        return await right(call)
    except Refusal as refusal:
        now = rules.owned(call)
        if refusal.kind == "state" and (before, now["status"]) == ("pending", "canceled"):
            return Answer(200, rules.cancel_view(call, now))
        raise


VARIANTS = {
    **listed_under("BUS-STATE-18", SIMULTANEOUS, "BUS-STATE-19"),
    "BUS-CAN-03/other-bodies": setting("Cancel and pay return ok or a word: their bodies are not shown.",
        cancel_view=lambda _rules, _call, _charge: {"ok": True},
        pay_view=lambda _rules, _call, _charge: {"status": "accepted"}).also("BUS-PAY-03"),
    "BUS-CAN-03/no-content": overrides("Cancel and pay return 204 without a body: their responses are not shown.",
        respond=without_body, encode=lambda _, right, call, body: b"" if body is None else right(call, body))
        .also("BUS-PAY-03"),
    "BUS-CAN-07/detected-on-cancel": setting(
        "A cancel after expires_at detects the expiry: whether it does is not stated.",
        detects_expiry=lambda _rules, _operation: True).also("BUS-LIST-14"),
    "BUS-CAN-07/detected-on-query-only": setting(
        "Query and pay detect an expiry, a list does not: only these two are named.",
        detects_expiry=lambda _rules, operation: operation in {"get_charge", "pay_charge"},
        expire_all=lambda _rules, _call: None).also("BUS-LIST-14"),
    "BUS-CAN-09/body-refused": acts_after("A body of cancel or pay is refused: neither has one.",
        owned=refuse_body).also("BUS-PAY-04"),
    "BUS-CAN-17/overlapping-cancels-join": overrides(
        "Each of several overlapping cancels reports the one transition: how many do is not stated.",
        cancel_charge=join_cancel),
}  # fmt: skip
