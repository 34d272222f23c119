"""Ids of charges and transfers, and idempotency keys, of both APIs."""

import asyncio
import json
import re
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.difference import Difference, overrides


def digits(_rules: Any) -> str:
    return str(uuid.uuid4().int)[:16]


def numbered(sentence: str, book: Callable[[Access], str], makes: str, shows: str, form: str = "{}") -> Difference:
    """Number charges and transfers from one in each book: within the rows, an id is that of the book and the number.

    `makes` and `shows` name the methods that make rows and that show them; `form` is that of the number.
    """

    def maker(kind: str) -> Callable[..., Row]:
        def make(rules: Any, right: Callable[..., Row], access: Access, read: Any) -> Row:
            counted = rules.__dict__.setdefault("counted", Counter())
            counted[kind, book(access)] += 1
            return right(access, read) | {"id": f"{book(access)}/{form.format(counted[kind, book(access)])}"}

        return make

    def owned(rules: Any, right: Callable[..., Row], call: Call, *about: Any) -> Row:
        if about:
            return right(call, about[0], about[1] if about[0] == "webhook" else f"{book(call.access)}/{about[1]}")
        return right(replace(call, params={"id": f"{book(call.access)}/{call.params['id']}"}))

    def knows(rules: Any, right: Callable[[str], bool], number: str) -> bool:
        return any(right(f"{name}/{number}") for _, name in rules.__dict__.get("counted", ()))

    def show(_rules: Any, right: Callable[..., Any], *given: Any) -> Any:
        return right(*(row | {"id": row["id"].rpartition("/")[2]} if isinstance(row, dict) else row for row in given))

    makers = {name: maker(name) for name in makes.split()}
    return overrides(sentence, owned=owned, knows_charge=knows, **makers, **dict.fromkeys(shows.split(), show))


def find_in_any_case(_rules: Any, right: Callable[..., Row], call: Call, *about: Any) -> Row:
    """Look for an id in lower case if none is found as it is written."""
    try:
        return right(call, *about)
    except Refusal:
        call.params = {name: text.lower() for name, text in call.params.items()}
        return right(call, *(value.lower() if isinstance(value, str) else value for value in about))


def odd_ids_refused(sentence: str, kind: str) -> Difference:
    """Refuse ids of other characters, or of more than 40, with a kind of refusal, before anything is looked for.

    Only what follows the last slash counts: `numbered` puts the book before it.
    """

    def refuse(_rules: Any, right: Callable[..., Row], call: Call, *about: Any) -> Row:
        if not re.fullmatch("[A-Za-z0-9_-]{1,40}", call.params["id"].rpartition("/")[2]):
            raise Refusal(kind, "id is malformed")
        return right(call, *about)

    return overrides(sentence, owned=refuse)


IDS_IN_ANY_CASE = overrides("An id is found in capitals too: whether it has a case is not stated.",
    owned=find_in_any_case)  # fmt: skip


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
        record = right(call, key)
        if record and rules.__dict__["owners_of_keys"][key] != call.access.book:
            raise rules.key_conflict()
        return record

    def remember(rules: Any, right: Callable[..., None], call: Call, key: str, *more: Any) -> None:
        rules.__dict__.setdefault("owners_of_keys", {})[key] = call.access.book
        right(call, key, *more)

    def scope(_rules: Any, _right: object, call: Call) -> str:
        return call.operation

    return overrides(sentence, idempotency_scope=scope, earlier=earlier, remember=remember)
