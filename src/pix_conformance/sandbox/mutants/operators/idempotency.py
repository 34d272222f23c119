"""Operators of idempotency, for both APIs: how keys and bodies are compared, kept, forgotten and answered."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.difference import Difference, changes_arguments, changes_result, overrides
from pix_conformance.sandbox.guards import Guard, holds

SOON_S, IN_PROGRESS_S = 0.003, 0.06
"""From when on another request is a later one, and how long the first one takes, in seconds."""
Act = Callable[[Any, Call, Row], object]
"""What a server does with its rules, a request and what it remembers of the first one; it may return an answer."""


def fingerprint(*, without: str = "", **changes: Callable[[Any], Any]) -> Difference:
    """Compare the bodies of a key without one field, or after these changes of the fields that they hold."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        left = {name: value for name, value in body.items() if name != without}
        return left | {name: changes[name](left[name]) for name in changes if left.get(name) is not None}

    sentence = f"A key used again with another {without or ' and '.join(changes)} is a replay."
    return changes_arguments(sentence, fingerprint=lambda _, call, body: (call, change(body))).of("idempotency")


def same_body(takes: Callable[[Any, Any], object]) -> Difference:
    """Take the body of the first request and that of a later one for the same if a function says so."""
    return changes_result(
        "A key used again with another body is answered as a replay.",
        is_same_body=lambda _, right, first, second: right or bool(takes(json.loads(first), json.loads(second))),
    ).of("idempotency")


def key_read(sentence: str, read: Callable[[str | None, Call], str | None]) -> Difference:
    """Turn the key of a request (None: it has none) into another one."""
    return changes_result(sentence, idempotency_key=lambda _, key, call: read(key, call)).of("idempotency")


def id_in(earlier: Row) -> str:
    """Read the id of what the first request with a key created."""
    body = json.loads(earlier["body"])
    return str(body.get("data", body)["id"])


def forget_key(table: str, when: Guard) -> Difference:
    """Forget a key once the row that its first request created is so."""

    def earlier(rules: Any, record: Row | None, _call: Call, _key: str) -> Row | None:
        first = record and rules.store.find(table, id=id_in(record))
        return None if first and holds((when,), rules, (first,)) else record

    sentence = f"The key of a {table.rpartition('_')[2]} is forgotten, if {when.words}."
    return changes_result(sentence, earlier=earlier).of("idempotency")


def forget(rules: Any, _call: Call, earlier: Row) -> None:
    """Forget the key of a request; for `on_conflict`."""
    rules.store.delete("idempotency", scope=earlier["scope"], key=earlier["key"])


def on_replay(sentence: str, act: Act) -> Difference:
    """Do something at a replay; what it returns is the answer, unless it is none."""

    def replay(rules: Any, right: Callable[..., Answer], call: Call, earlier: Row) -> Answer:
        answer = act(rules, call, earlier)
        return answer if isinstance(answer, Answer) else right(call, earlier)

    return overrides(sentence, replay=replay).of("idempotency")


def on_conflict(sentence: str, act: Act) -> Difference:
    """Do something when a key comes with another body; what it returns is the answer, unless it is none."""

    def repeated(rules: Any, right: Callable[..., Answer], call: Call, earlier: Row, mine: str) -> Answer:
        if rules.is_same_body(earlier["fingerprint"], mine):
            return right(call, earlier, mine)
        refusal: Answer = rules.refused(call, rules.key_conflict())  # returned: raised, it would undo what `act` does
        answer = act(rules, call, earlier)
        return answer if isinstance(answer, Answer) else refusal

    return overrides(sentence, repeated=repeated).of("idempotency")


def key_unknown_in_progress(thing: str) -> Difference:
    """Look a key up before its first request, which takes a moment, has ended: another one creates a thing again."""

    async def execute(rules: Any, right: Any, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key, begun = rules.idempotency_key(call), rules.__dict__.setdefault("begun", {})
        if key and time.monotonic() - begun.setdefault(key, time.monotonic()) > SOON_S:
            if not rules.earlier(call, key):
                with rules.store.transaction():
                    return effect()
        elif key:
            await asyncio.sleep(IN_PROGRESS_S)
        answer: Answer = await right(call, body, effect)
        return answer

    sentence = f"A request some milliseconds after another one with its key, which is in progress, creates a {thing}."
    return overrides(sentence, execute_once=execute).of("concurrency")


def key_kept_after_effect(thing: str, open_s: float, *, first_returned: bool = False) -> Difference:
    """Keep a new key after its request has created a thing, which takes so many seconds.

    Other requests with the key create things until then; all return the first one if that is wanted.
    """

    async def execute(rules: Any, right: Any, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key = rules.idempotency_key(call)
        if key is None or rules.earlier(call, key):
            original: Answer = await right(call, body, effect)
            return original
        await asyncio.sleep(open_s)
        with rules.store.transaction():
            answer = effect()
            first = rules.earlier(call, key) if first_returned else None
            rules.remember(call, key, rules.fingerprint(call, body), rules.replay(call, first) if first else answer)
        return rules.replay(call, first) if first else answer

    words = "but all return the first" if first_returned else "since the key is kept after the effect"
    sentence = f"Simultaneous requests with one key create a {thing} each for {open_s * 1000:g} ms, {words}."
    return overrides(sentence, execute_once=execute).of("concurrency")


def key_taken_over(thing: str) -> Difference:
    """Let each body that is refused for a key, if it came while the first one was in progress, take the key over."""

    async def execute(rules: Any, right: Any, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key = rules.idempotency_key(call)
        if key and not rules.earlier(call, key):
            rules.__dict__.setdefault("early", []).append(call)
            await asyncio.sleep(IN_PROGRESS_S)
        answer: Answer = await right(call, body, effect)
        return answer

    def repeated(rules: Any, right: Callable[..., Answer], call: Call, earlier: Row, mine: str) -> Answer:
        if rules.is_same_body(earlier["fingerprint"], mine) or call not in rules.__dict__["early"]:
            return right(call, earlier, mine)
        rules.store.put("idempotency", dict(earlier) | {"fingerprint": mine})
        refusal: Answer = rules.refused(call, rules.key_conflict())  # returned: raised, it would undo the change
        return refusal

    sentence = f"Of simultaneous bodies with one key the first creates a {thing}, and the last is kept for the key."
    return overrides(sentence, execute_once=execute, repeated=repeated).of("concurrency")
