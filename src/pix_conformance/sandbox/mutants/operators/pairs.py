"""Operators of faults that show between two requests: state that requests of one moment share."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.difference import Difference, overrides

TOGETHER_S = 0.05
"""How long a request takes: others that come meanwhile share its state."""
Right = Callable[[Call], Awaitable[Answer]]


def joins(operation: str) -> Difference:
    """Give requests of an operation that come while one is executed the response to that."""

    async def joined(rules: Any, right: Right, call: Call) -> Answer:
        running = rules.__dict__.setdefault("running", {})
        if operation not in running:

            async def answer() -> Answer:
                await asyncio.sleep(TOGETHER_S)
                return await right(call)

            running[operation] = asyncio.ensure_future(answer())
            running[operation].add_done_callback(lambda _: running.pop(operation))
        result: Answer = await asyncio.shield(running[operation])
        return result

    return overrides(f"Simultaneous {operation} requests all get the response to the first.", **{operation: joined}).of(
        "concurrency"
    )


def executes_for_last_account(operation: str) -> Difference:
    """Keep the account of the last request in one place, from which an operation takes it a moment later."""

    def authorize(rules: Any, right: Callable[[Call], Any], call: Call) -> Any:
        rules.__dict__["last account"] = access = right(call)
        return access

    async def execute(rules: Any, right: Right, call: Call) -> Answer:
        await asyncio.sleep(TOGETHER_S)
        call.access = rules.__dict__["last account"]
        return await right(call)

    sentence = f"A {operation} is executed for the account whose request came last meanwhile."
    return overrides(sentence, authorize=authorize, **{operation: execute}).of("concurrency")


def executes_last_body(operation: str) -> Difference:
    """Keep the body of the last request of an operation in one place, from which it is read a moment later."""

    async def execute(rules: Any, right: Right, call: Call) -> Answer:
        rules.__dict__["last body"] = call.body
        await asyncio.sleep(TOGETHER_S)
        call.body = rules.__dict__["last body"]
        return await right(call)

    sentence = f"Simultaneous {operation} requests are all executed with the body of the last."
    return overrides(sentence, **{operation: execute}).of("concurrency")


def reports_with_last(event: str, sentence: str, *columns: str) -> Difference:
    """Take some columns of a row, or all, from the last row of an event when that is sent a moment later."""

    def emit(rules: Any, right: Callable[..., None], name: str, *rest: Any) -> None:
        *kind, row = rest
        if name != event:
            right(name, *rest)
            return
        rules.__dict__[event] = row

        async def report() -> None:
            await asyncio.sleep(TOGETHER_S)
            last: Row = rules.__dict__[event]
            right(name, *kind, {**row, **{column: last[column] for column in columns or last}})

        rules.store.after_commit(lambda: rules.state.outbox.begin(report()))

    return overrides(f"Of {event} events of one moment {sentence}", emit=emit).of("concurrency")


def writes_back(table: str, operation: str, status: str, row_of: Callable[[Any, Call], Row]) -> Difference:
    """Read an object, and write its status again when a query is answered a moment later."""

    async def query(rules: Any, right: Right, call: Call) -> Answer:
        row = row_of(rules, call)
        await asyncio.sleep(TOGETHER_S)
        if row["status"] == status:
            rules.store.update(table, {"status": status}, id=row["id"])
        return await right(call)

    sentence = f"A {operation} writes the status {status} back that it has read, over what happens meanwhile."
    return overrides(sentence, **{operation: query}).of("concurrency")


def keeps_account_of_connection() -> Difference:
    """Look at the credential of the first request of a connection only."""

    def authorize(rules: Any, right: Callable[[Call], Any], call: Call) -> Any:
        access = right(call)
        return rules.__dict__.setdefault("accounts", {}).setdefault(call.connection, access)

    sentence = "The account of a request is that of the first one on its connection."
    return overrides(sentence, authorize=authorize).of("isolation")
