"""Idempotency keys of both APIs: what else uses one up, and what else conflicts."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.difference import Difference, overrides

SERVED_S = 0.02


async def conflict_meanwhile(rules: Any, right: Any, call: Call, body: Any, effect: Callable[[], Answer]) -> Any:
    """Refuse a key while its first request is being served."""
    busy: set[tuple[str, str]] = rules.__dict__.setdefault("busy_keys", set())
    name = rules.idempotency_key(call)
    key = call.access.book, name or ""
    if key in busy:
        raise rules.key_conflict()
    if name is not None:
        busy.add(key)
    try:
        await asyncio.sleep(SERVED_S if name is not None else 0)
        return await right(call, body, effect)
    finally:
        busy.discard(key)


CONFLICTS_MEANWHILE = overrides(
    "A key conflicts while its first request is being served: there is no response yet that could be returned.",
    execute_once=conflict_meanwhile)  # fmt: skip


def use_key(rules: Any, refusal: Refusal, call: Call) -> None:
    """Use up the key of a request with an invalid body."""
    key = rules.idempotency_key(call) if refusal.kind == "invalid" else None
    if key and rules.earlier(call, key) is None:
        rules.remember(call, key, json.dumps("an invalid body"), rules.refused(call, refusal))


def keys_of_all_accounts(sentence: str) -> Difference:
    """Refuse a key that another account has used."""

    def earlier(rules: Any, right: Callable[..., Row | None], call: Call, key: str) -> Row | None:
        owner = rules.__dict__.setdefault("owners_of_keys", {}).setdefault(key, call.access.book)
        record = right(call, key)
        if record and owner != call.access.book:
            raise rules.key_conflict()
        return record

    return overrides(sentence, idempotency_scope=lambda _rules, _right, call: call.operation, earlier=earlier)
