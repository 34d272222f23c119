"""What becomes of a request whose connection is broken: no document states it."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference.call import Call, Refusal
from pix_conformance.sandbox.difference import Difference, overrides, setting

NOTICED_S, LATE_S = 0.01, 0.6
"""Seconds after which a server looks whether a connection is broken, and for which it executes such a request."""


def if_gone(sentence: str, act: Callable[[Any, Call], Awaitable[None]]) -> Difference:
    """Do something before the effect of a request whose client has gone; a Refusal leaves it without any."""

    async def pause(rules: Any, right: Any, call: Call, place: str) -> None:
        await right(call, place)
        if place == "arrival":
            return
        if named(rules, call) in rules.__dict__.get("executing", ()):
            raise rules.key_conflict() if place == "once" else Refusal("state", "it is being executed")
        await asyncio.sleep(NOTICED_S)
        if await call.has_gone():
            await act(rules, call)

    return overrides(sentence, pause=pause)


def named(rules: Any, call: Call) -> tuple[str, str]:
    """Return what is not changed by two requests at once: the charge or transfer of the path, or the key."""
    return call.access.book, call.params.get("id") or rules.idempotency_key(call) or str(id(call))


async def give_up(_rules: Any, _call: Call) -> None:
    raise Refusal("state", "the client has gone")


async def give_up_now_and_then(rules: Any, call: Call) -> None:
    if random.random() < 0.5:  # noqa: S311  # chance, not a secret
        await give_up(rules, call)


async def execute_late(_rules: Any, _call: Call) -> None:
    await asyncio.sleep(LATE_S)


async def execute_alone(rules: Any, call: Call) -> None:
    """Keep other requests of the same key or object out meanwhile."""
    executing, name = rules.__dict__.setdefault("executing", set()), named(rules, call)
    executing.add(name)
    try:
        await asyncio.sleep(LATE_S)
    finally:
        executing.discard(name)


async def give_up_late(rules: Any, call: Call) -> None:
    await execute_alone(rules, call)
    await give_up(rules, call)


NETWORK = {
    "given-up-when-cut": if_gone("A request whose client has gone has no effect.", give_up),
    "given-up-now-and-then": if_gone("A request whose client has gone has its effect or not.", give_up_now_and_then),
    "executed-late-when-cut": if_gone("A request whose client has gone has its effect later.", execute_late),
    "executed-alone-when-cut": if_gone(
        "A request whose client has gone has its effect later, and others conflict meanwhile.", execute_alone),
    "given-up-late-when-cut": if_gone(
        "A request whose client has gone is undone as a whole, and others conflict meanwhile.", give_up_late),
    "cut-body-refused": setting("A body that breaks off is refused as no JSON.", serves_cut_bodies=True),
}  # fmt: skip
"""Of a client that has gone; what it sends again is a request like any other."""
