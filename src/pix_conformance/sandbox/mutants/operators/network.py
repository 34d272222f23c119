"""Operators of broken connections, for both APIs: what becomes of a request whose client has gone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.sandbox.difference import Difference, overrides
from pix_conformance.sandbox.mutants.operators.responses import sent_body

NOTICED_S = 0.15
"""Seconds after which a server looks whether the connection of a request is broken."""


async def has_gone(call: Call) -> bool:
    """Return whether the client has gone, after the time that it takes to notice that."""
    await asyncio.sleep(NOTICED_S)
    return await call.has_gone()


def mixes_uploads(things: str) -> Difference:
    """Put bodies that come in parts together in one buffer."""

    def receive(rules: Any, right: Callable[..., None], call: Call, segment: bytes) -> None:
        buffer = rules.__dict__.setdefault("buffer of uploads", [])
        if not call.segments:
            buffer.clear()
        buffer.append(segment)
        right(call, segment)

    def whole_body(rules: Any, right: Callable[..., bytes], call: Call) -> bytes:
        return b"".join(rules.__dict__["buffer of uploads"]) if call.segments else right(call)

    sentence = f"Bodies of {things} that come in parts are put together in one buffer, which mixes simultaneous ones."
    return overrides(sentence, receive=receive, whole_body=whole_body).of("network")


def if_response_breaks(sentence: str, operation: str, act: Callable[[Any, Call], object]) -> Difference:
    """Do something if the connection of an operation is broken before the body of its response is sent."""

    async def headers_sent(rules: Any, right: Any, call: Call) -> None:
        if call.operation == operation and await has_gone(call):
            act(rules, call)
        await right(call)

    return overrides(sentence, headers_sent=headers_sent).of("network")


def if_request_breaks(sentence: str, operation: str, **methods: Callable[..., Any]) -> Difference:
    """Put functions in the place of methods, as `overrides` does, while an operation without a client is executed."""

    async def pause(rules: Any, right: Any, call: Call, place: str) -> None:
        await right(call, place)
        if place != "arrival":  # the last await before an operation has its effect
            rules.is_broken = call.operation == operation and await has_gone(call)

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        return lambda rules, right, *arguments: (
            method(rules, right, *arguments) if rules.__dict__.get("is_broken") else right(*arguments)
        )

    return overrides(sentence, pause=pause, **{name: guarded(method) for name, method in methods.items()}).of("network")


def drops_connection(operation: str, passes: Callable[[Any], object], what: str) -> Difference:
    """Close the connection without a response if the body of an operation is of some kind, as after a panic."""

    async def drop(_rules: Any, right: Callable[[Call], Awaitable[Answer]], call: Call) -> Answer:
        if passes(sent_body(call)):
            request: Any = getattr(call.has_gone, "__self__")  # noqa: B009  # a bound method, which its type hides
            request.receive.__self__.transport.abort()
        return await right(call)

    return overrides(f"{operation} with {what} closes the connection without a response.", **{operation: drop}).of(
        "state"
    )


def loses_event(event: str, operation: str) -> Difference:
    """Send no event of an operation whose connection broke before its effect."""
    return if_request_breaks(
        f"No {event} is sent if the connection of the request that causes it is broken.",
        operation,
        should_emit=lambda _rules, right, name, row: right(name, row) and name != event,
    )


def stuck(sentence: str, operation: str, claim: str) -> Difference:
    """Refuse an operation on an object for ever once a request of it broke; `claim` changes the object's status."""

    def give_up(rules: Any, right: Any, row: Any, changes: Any) -> bool:
        objects = rules.__dict__.setdefault("stuck", set())
        if rules.__dict__.get("is_broken"):
            objects.add(row["id"])
        return row["id"] not in objects and bool(right(row, changes))

    difference = if_request_breaks(sentence, operation)
    return replace(difference, members={**difference.members, **overrides("", **{claim: give_up}).members})


def no_key_when_cut(thing: str, operation: str) -> Difference:
    """Keep no key of a creation whose connection is broken."""
    return if_request_breaks(
        f"The key of a {thing} is not kept if the connection of its creation is broken.",
        operation,
        remember=lambda _rules, _right, *_arguments: None,
    )


def key_kept_once_answered(thing: str) -> Difference:
    """Keep the key of a creation when the headers of its response are sent, if the client is there then."""

    def later(rules: Any, right: Any, call: Call, *more: Any) -> None:
        rules.__dict__.setdefault("keys_to_keep", {})[id(call)] = lambda: right(call, *more)

    async def headers_sent(rules: Any, right: Any, call: Call) -> None:
        keep = rules.__dict__.get("keys_to_keep", {}).pop(id(call), None)
        if keep and not await has_gone(call):
            keep()
        await right(call)

    sentence = f"The key of a {thing} is kept once its response was sent, so not if its connection is broken then."
    return overrides(sentence, remember=later, headers_sent=headers_sent).of("network")


def key_kept_once_read(thing: str) -> Difference:
    """Keep the key as `key_kept_once_answered` does; give up a creation whose client goes before its effect."""

    async def pause(_rules: Any, right: Any, call: Call, place: str) -> None:
        await right(call, place)
        if place == "once" and await has_gone(call):
            raise Refusal("state", "the client has gone")

    late = key_kept_once_answered(thing)
    sentence = f"The key of a {thing} is not kept if its connection breaks after the headers of the response."
    return replace(late, sentence=sentence, members={**late.members, **overrides("", pause=pause).members})


def some_time_later(seconds: float, act: Callable[[Any, Call], object]) -> Callable[[Any, Call], object]:
    """Return what does something some seconds after a request whose client has gone."""

    def begin(rules: Any, call: Call) -> None:
        async def work() -> None:
            await asyncio.sleep(seconds)
            act(rules, call)

        rules.state.outbox.begin(work())

    return begin


def answers_stale(operation: str) -> Difference:
    """Keep the response that could not be sent, and give it to the next request of the operation."""

    async def execute(rules: Any, right: Any, call: Call) -> Answer:
        unsent = rules.__dict__.setdefault("unsent", [])
        answer: Answer = unsent.pop() if unsent else await right(call)
        rules.__dict__.setdefault("answers", {})[id(call)] = answer
        return answer

    async def headers_sent(rules: Any, right: Any, call: Call) -> None:
        answer = rules.__dict__.get("answers", {}).pop(id(call), None)
        if answer and await has_gone(call):
            rules.__dict__["unsent"].append(answer)
        await right(call)

    sentence = f"The response to a {operation} that could not be sent is the response to the next one."
    return overrides(sentence, headers_sent=headers_sent, **{operation: execute}).of("network")


def decodes_pieces() -> Difference:
    """Decode what came first of a body and the rest each for itself."""

    def decoded(_rules: Any, right: Any, call: Call) -> Any:
        body, first = call.body or b"", call.first_segment
        if body.startswith(first):
            call.body = b"".join(part.decode(errors="replace").encode() for part in (first, body[len(first) :]))
        return right(call)

    return overrides("Each piece of a body is decoded for itself.", json_body=decoded).of("network")


def completes_cut_bodies() -> Difference:
    """Read a body that breaks off as if it ended there."""

    def completed(_rules: Any, right: Any, call: Call) -> Any:
        call.body = (call.body or b"") + b"}" * call.is_cut
        return right(call)

    sentence = "A body that breaks off is read as an object that ends there."
    return overrides(sentence, json_body=completed).with_settings(serves_cut_bodies=True).of("network")
