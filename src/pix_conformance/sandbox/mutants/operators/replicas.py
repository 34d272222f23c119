"""Operators of replicas, for both APIs: what other connections than that of a change or creation show later."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.difference import Difference, overrides
from pix_conformance.sandbox.mutants.operators.simultaneous import shared

BEHIND_S = 0.5
"""Seconds by which a replica of the database is behind."""


def note_new(rules: Any, call: Call, name: str) -> None:
    """Keep in mind on which connection something was created, such as the object of an id, or a token."""
    shared(rules, "new", dict).setdefault(name, (time.monotonic() + BEHIND_S, call.connection))


def is_new_elsewhere(rules: Any, call: Call, name: str) -> bool:
    """Return whether something was created less than BEHIND_S ago on another connection."""
    until, connection = shared(rules, "new", dict).get(name, (0.0, ""))
    return bool(time.monotonic() < until and call.connection != connection)


def found_late_on_other_connections(creation: str, query: str) -> Difference:
    """Let a query find a new object, for a moment, on the connection of its creation alone."""

    async def create(rules: Any, right: Callable[[Call], Awaitable[Answer]], call: Call) -> Answer:
        answer = await right(call)
        note_new(rules, call, answer.body.get("data", answer.body)["id"])
        return answer

    def owned(rules: Any, right: Callable[..., Row], call: Call, *about: Any) -> Row:
        row = right(call, *about)
        if call.operation == query and is_new_elsewhere(rules, call, row["id"]):
            raise rules.not_found(call)
        return row

    sentence = f"{query} finds a new object on other connections than that of its creation from {BEHIND_S} s on."
    changes: dict[str, Callable[..., Any]] = {creation: create, "owned": owned}
    return overrides(sentence, **changes).of("network")


def behind_on_other_connections(query: str, claim: str) -> Difference:
    """Let queries show an object as it was, for a moment, on other connections than that of the last change."""

    async def pause(rules: Any, right: Any, call: Call, place: str) -> None:
        await right(call, place)
        rules.__dict__["writer"] = call.connection

    def note(rules: Any, right: Callable[..., bool], row: Row, changes: Row) -> bool:
        claimed = right(row, changes)
        if claimed:
            until = time.monotonic() + BEHIND_S
            shared(rules, "rows before", dict)[row["id"]] = (until, rules.__dict__.get("writer"), row)
        return claimed

    def show(rules: Any, right: Callable[..., Row], call: Call, *about: Any) -> Row:
        row = right(call, *about)
        until, writer, before = shared(rules, "rows before", dict).get(row["id"], (0.0, "", row))
        is_behind = call.operation == query and call.connection != writer and time.monotonic() < until
        return before if is_behind else row

    changes: dict[str, Callable[..., Any]] = {"pause": pause, claim: note, "owned": show}
    return overrides(
        f"A {query} on another connection than that of the last change shows it {BEHIND_S} s later.", **changes
    )
