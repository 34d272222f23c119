"""Operators of requests that come at the same time, for both APIs: what two of them share, and must not."""

import asyncio
from collections.abc import Callable
from functools import reduce
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.difference import Difference, changes_result, overrides
from pix_conformance.sandbox.mutants.operators.events import emit
from pix_conformance.sandbox.mutants.operators.idempotency import id_in
from pix_conformance.sandbox.mutants.operators.network import has_gone
from pix_conformance.sandbox.mutants.operators.values import changed

MOMENT_S = 0.1
"""Seconds that a step takes while other requests come."""


def shared(rules: Any, name: str, kind: type) -> Any:
    """Return a field of the server, one for all requests."""
    return rules.__dict__.setdefault(f"shared {name}", kind())


async def take_moment() -> None:
    """Let others come, as a query of a database or the call of another service does."""
    await asyncio.sleep(MOMENT_S)


async def in_turn_of_token(rules: Any, right: Any, call: Call) -> Answer:
    """Answer the requests of one token one after the other, and those of different tokens at the same time."""
    turn = shared(rules, "turns", dict).setdefault(call.headers.get("authorization", ""), asyncio.Lock())
    async with turn:
        answer: Answer = await right(call)
    return answer


async def answer_in_progress(rules: Any, right: Any, call: Call, name: str, value: object) -> Answer:
    """Answer a request after a moment; until then a value of it is in the shared list of a name."""
    values = shared(rules, name, list)
    values.append(value)
    try:
        await take_moment()
        answer: Answer = await right(call)
    finally:
        values.remove(value)
    return answer


def coalesces(sentence: str, operation: str, key: Callable[[Call], object]) -> Difference:
    """Answer a request with the response of one in progress for which a function returns the same key, but for None."""

    async def respond(rules: Any, right: Any, call: Call, name: object) -> Answer:
        await take_moment()
        try:
            answer: Answer = await right(call)
        finally:
            del shared(rules, f"open {operation}", dict)[name]
        return answer

    async def execute(rules: Any, right: Any, call: Call) -> Answer:
        name, in_progress = key(call), shared(rules, f"open {operation}", dict)
        if name is None:
            alone: Answer = await right(call)
            return alone
        if name not in in_progress:
            in_progress[name] = asyncio.ensure_future(respond(rules, right, call, name))
        joined: Answer = await asyncio.shield(in_progress[name])
        return joined

    return overrides(sentence, **{operation: execute})


def answers_with_later(operation: str) -> Difference:
    """Keep the response of an operation in one field until it is sent: another request overwrites it."""

    async def execute(rules: Any, right: Any, call: Call) -> Answer:
        field = shared(rules, f"response of {operation}", dict)
        field["response"] = await right(call)
        await take_moment()
        response: Answer = field["response"]
        return response

    return overrides(f"Simultaneous {operation} requests all get the response of the last.", **{operation: execute})


def answers_next_with_unsent(operation: str, whose: Callable[[Call], object]) -> Difference:
    """Answer an operation with the response that a client who has gone did not get, if a function returns the same."""

    async def execute(rules: Any, right: Any, call: Call) -> Answer:
        unsent: dict[object, Answer] = shared(rules, f"unsent of {operation}", dict)
        response: Answer = await right(call)
        if await has_gone(call):
            unsent[whose(call)] = response
            return response
        return unsent.pop(whose(call), response)

    sentence = f"If the connection of {operation} breaks, the next {operation} gets the response that is left."
    return overrides(sentence, **{operation: execute}).of("network")


def saves_what_query_read(query: str, table: str, but_for: str = "") -> Difference:
    """Read a row for a query, and write the whole row back a moment later, but for one of a status."""

    async def execute(rules: Any, right: Any, call: Call) -> Answer:
        row = rules.store.find(table, id=call.params["id"])
        await take_moment()
        if row and row["status"] != but_for and owner_of(row) == call.access:
            rules.store.put(table, row)
        answer: Answer = await right(call)
        return answer

    sentence = f"A {query} saves the row that it read, over what another request has changed meanwhile."
    if but_for:
        sentence = f"{sentence.removesuffix('.')}, unless that is {but_for}."
    return overrides(sentence, **{query: execute})


def later_in_event(event: str, where: str) -> Difference:
    """Take the value at a path of the payload ("" is the whole) from the last event of the name, a moment later."""

    def send(rules: Any, right: Callable[..., None], *given: Any) -> None:
        *about, payload = given
        if event not in (payload.get("event"), payload["type"]):
            right(*given)
            return
        last = shared(rules, f"last {event}", dict)
        last["payload"] = payload

        async def send_later() -> None:
            await take_moment()
            value = reduce(lambda node, name: node[name], filter(None, where.split(".")), last["payload"])
            right(*about, changed(payload, where, value))

        rules.state.outbox.begin(send_later())

    sentence = f"Of simultaneous events {event}, each has {where or 'the whole payload'} of the last."
    return overrides(sentence, send_event=send)


def amount_of_later(table: str, capture: str) -> Difference:
    """Keep the amount that is paid in one field, from the look at the charge until it is posted."""

    async def pause(rules: Any, right: Any, call: Call, place: str) -> None:
        await right(call, place)
        if place == "pay":
            row = rules.store.find(table, id=call.params["id"])
            shared(rules, "amount paid", dict)["cents"] = row["amount"]
            await take_moment()

    def post(rules: Any, right: Callable[[Row], object], row: Row) -> None:
        right(row | {"amount": shared(rules, "amount paid", dict)["cents"]})

    changes: dict[str, Callable[..., Any]] = {"pause": pause, capture: post}
    return overrides(f"Simultaneous payments are all posted with the amount of the last ({capture}).", **changes)


def loser_reports(operation: str, event: str, may: str, table: str, changes: Callable[[Any, Row], Row]) -> Difference:
    """Queue the event of a transition before the status is set, and send it though another request was faster."""

    async def execute(rules: Any, right: Any, call: Call) -> Answer:
        row = rules.store.find(table, id=call.params["id"])
        was_possible = row and getattr(rules, may)(row)
        await take_moment()
        try:
            answer: Answer = await right(call)
        except Refusal as refusal:
            if was_possible and refusal.kind == "state":
                emit(rules, event, row | changes(rules, row))
            raise
        return answer

    sentence = f"A {operation} that is refused since a simultaneous request was faster sends {event} all the same."
    return overrides(sentence, **{operation: execute})


def undone_but_key_kept(table: str, operation: str) -> Difference:
    """Delete what a creation has made if its response cannot be sent, but keep the key with the response."""

    async def headers_sent(rules: Any, right: Any, call: Call) -> None:
        key = rules.idempotency_key(call) if call.operation == operation else None
        record = rules.earlier(call, key) if key else None
        if record and await has_gone(call):
            rules.store.delete(table, id=id_in(record))
        await right(call)

    thing = table.rpartition("_")[2]
    return overrides(
        f"A {thing} whose response cannot be sent is deleted, but its key is kept with the response.",
        headers_sent=headers_sent,
    ).of("network")


def done_once_answered(sentence: str, method: str, applies: Callable[..., object]) -> Difference:
    """Call a method once the headers of the response are sent, and not at all if the client has gone then."""

    def postpone(rules: Any, right: Callable[..., object], *given: Any) -> None:
        if applies(*given):
            shared(rules, "postponed", dict)[asyncio.current_task()] = lambda: right(*given)
        else:
            right(*given)

    async def headers_sent(rules: Any, right: Any, call: Call) -> None:
        act = shared(rules, "postponed", dict).pop(asyncio.current_task(), None)
        if act and not await has_gone(call):
            act()
        await right(call)

    changes: dict[str, Callable[..., Any]] = {method: postpone, "headers_sent": headers_sent}
    return overrides(sentence, **changes).of("network")


def keys_of_each_connection(thing: str) -> Difference:
    """Remember idempotency keys with the connection on which they came."""
    return changes_result(
        f"The key of a {thing} is known on the connection only on which it first came.",
        idempotency_scope=lambda _, scope, call: f"{scope}/{call.connection}",
    ).of("idempotency")


def connection_keeps_access(sentence: str, *, also_refused: bool) -> Difference:
    """Give all requests on a connection the account of its first, or only those whose credential is refused."""

    def authorize(rules: Any, right: Callable[[Call], Access], call: Call) -> Access:
        known: dict[str, Access] = shared(rules, "access of connections", dict)
        try:
            access = right(call)
        except Refusal:
            if not also_refused or call.connection not in known:
                raise
            return known[call.connection]
        first = known.setdefault(call.connection, access)
        return access if also_refused else first

    return overrides(sentence, authorize=authorize).of("auth")


def runs_later(rules: Any, seconds: float, act: Callable[[], object]) -> None:
    """Begin a worker that does something some seconds later."""

    async def work() -> None:
        await asyncio.sleep(seconds)
        act()

    rules.state.outbox.begin(work())


def in_field(operation: str, value: Callable[[Any, Call], object]) -> Callable[..., Any]:
    """Make a `pause` that keeps a value of the request in one field of the server, while others come."""

    async def pause(rules: Any, right: Any, call: Call, place: str) -> None:
        await right(call, place)
        if call.operation == operation and place != "arrival":
            shared(rules, f"field of {operation}", dict)["value"] = value(rules, call)
            await take_moment()

    return pause


def field_of(rules: Any, operation: str) -> Any:
    return shared(rules, f"field of {operation}", dict)["value"]


def knows_no_key_in_progress(sentence: str) -> Difference:
    """Look a key up a moment before its request is executed: another body of that moment is executed too."""

    async def execute_once(rules: Any, right: Any, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key, text = rules.idempotency_key(call), rules.fingerprint(call, body)
        if not key or rules.earlier(call, key):
            answer: Answer = await right(call, body, effect)
            return answer
        await take_moment()
        with rules.store.transaction():
            now = rules.earlier(call, key)
            if now and now["fingerprint"] == text:
                return rules.replay(call, now)  # type: ignore[no-any-return]  # the rules are of either API
            created = effect()
            rules.remember(call, key, text, created)
        return created

    return overrides(sentence, execute_once=execute_once)


def skips_event_of_changed(event: str, table: str) -> Difference:
    """Look at an object again when its event is due a moment later, and send nothing if its status is another one."""

    def emit(rules: Any, right: Callable[..., None], name: str, *rest: Any) -> None:
        row = rest[-1]

        def send() -> None:
            if rules.store.find(table, id=row["id"])["status"] == row["status"]:
                right(name, *rest)

        if name == event:
            rules.store.after_commit(lambda: runs_later(rules, MOMENT_S, send))
        else:
            right(name, *rest)

    return overrides(f"No {event} is sent if the status changes within {MOMENT_S} s.", emit=emit)


def reports_before_change(event: str, place: str, changes: str, may: str, table: str) -> Difference:
    """Send the event of a change a moment before the change; `changes` and `may` name methods of the rules."""

    async def pause(rules: Any, right: Any, call: Call, where: str) -> None:
        await right(call, where)
        if where != place:
            return
        row = rules.store.find(table, id=call.params["id"])
        if getattr(rules, may)(row):
            known = shared(rules, "changes", dict)[row["id"]] = getattr(rules, changes)(row)
            shared(rules, "reported early", set).add(row["id"])
            emit(rules, event, row | known)
            await take_moment()

    def known_changes(rules: Any, right: Callable[[Row], Row], row: Row) -> Row:
        return shared(rules, "changes", dict).pop(row["id"], None) or right(row)

    def emit_others(rules: Any, right: Callable[..., None], name: str, *rest: Any) -> None:
        early: set[object] = shared(rules, "reported early", set)
        is_late = name == event and rest[-1]["status"] == rules.store.find(table, id=rest[-1]["id"])["status"]
        if is_late and rest[-1]["id"] in early:
            early.discard(rest[-1]["id"])
        else:
            right(name, *rest)

    methods: dict[str, Callable[..., Any]] = {"pause": pause, changes: known_changes, "emit": emit_others}
    return overrides(f"{event} comes {MOMENT_S} s before its change can be seen.", **methods)
