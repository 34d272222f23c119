"""The HTTP server of both APIs: Starlette on uvicorn."""

import asyncio
import socket
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import TypeVar
from urllib.parse import parse_qs, unquote

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState

RULES: tuple[type[WireRules], ...] = (PaymentsRules, BusinessRules)
LARGEST_READ = 1 << 25
Rules = TypeVar("Rules", bound=WireRules)


class Apis:
    """Routes each request to the API whose path it has. The first API refuses all other paths."""

    def __init__(self, state: ServerState, mixins: Sequence[type], path_prefix: str = "") -> None:
        """Combine the rules of each API with those of `mixins` that are meant for them."""
        self.rules = [composed(rules, mixins)(state) for rules in RULES]
        self._prefix = tuple(part for part in path_prefix.split("/") if part)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one ASGI request."""
        path = self.path(scope)
        rules = next((rules for rules in self.rules if path[:1] == (rules.root,)), self.rules[0])
        call = await self.read(Request(scope, receive), path, rules)
        if call.is_cut and not rules.serves_cut_bodies:
            return
        start, body = messages(rules, call, await rules.answer(call))
        await send(start)
        await rules.headers_sent(call)
        await send(body)

    async def read(self, request: Request, path: tuple[str, ...], rules: WireRules) -> Call:
        """Return the request as a Call. At most LARGEST_READ bytes of its body are read."""
        address = ":".join(map(str, request.client or ()))
        asked, gone, size = query(request.scope), request.is_disconnected, 0
        call = Call(request.method, path, asked, request.headers, None, has_gone=gone, connection=address)
        try:
            async for segment in request.stream():
                if segment:
                    rules.receive(call, segment)
                    size += len(segment)
                if size > LARGEST_READ:
                    return call
        except ClientDisconnect:
            call.is_cut = True
        call.body = rules.whole_body(call)
        return call

    def path(self, scope: Scope) -> tuple[str, ...]:
        """Return the decoded parts of a path after the prefix; empty if the path does not have the prefix."""
        raw = scope["raw_path"].decode("latin-1")
        parts = tuple(unquote(part, errors="replace") for part in raw.removeprefix("/").split("/"))
        size = len(self._prefix)
        return parts[size:] if parts[:size] == self._prefix else ("",)


class Distant:
    """Delays each request, and the response to it, by half of `seconds`, like a long way between client and server.

    The body is read meanwhile: a request whose client goes then is on its way, and arrives.
    """

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app, self._half = app, seconds / 2

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one ASGI request late."""
        messages = asyncio.Queue[Message]()
        reader = asyncio.ensure_future(read_body(receive, messages))

        async def receive_read() -> Message:
            return await (receive if reader.done() and messages.empty() else messages.get)()

        async def send_late(message: Message) -> None:
            await asyncio.sleep(self._half if message["type"] == "http.response.start" else 0)
            await send(message)

        try:
            await asyncio.sleep(self._half)
            await self._app(scope, receive_read, send_late)
        finally:
            reader.cancel()


async def read_body(receive: Receive, messages: asyncio.Queue[Message]) -> None:
    """Put the parts of a request into a queue as they come, up to the end of its body or LARGEST_READ bytes of it."""
    size, is_whole = 0, False
    while not is_whole:
        message = await receive()
        messages.put_nowait(message)
        size += len(message.get("body", b""))
        is_whole = not message.get("more_body") or size > LARGEST_READ


class Logged:
    """Writes a line for each request to standard error: method, path, status, milliseconds."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one ASGI request and write its line."""
        begun, statuses = time.monotonic(), list[int]()

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        await self._app(scope, receive, note)
        path, status = scope["raw_path"].decode("latin-1"), statuses[0] if statuses else "gone"
        write_log(f"{scope['method']} {path} {status} {(time.monotonic() - begun) * 1000:.0f} ms")


def write_log(line: str) -> None:
    """Write a line of the log to standard error."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # what the log is for


def composed(rules: type[Rules], mixins: Sequence[type]) -> type[Rules]:
    """Return a class of `rules` with those mixins that derive from its bases only, the first mixin first.

    A mixin that is a base of another given mixin is left out.
    """
    fitting = [mixin for mixin in mixins if set(_ours(mixin)) <= set(rules.__mro__)]
    bases = {base for mixin in fitting for base in mixin.__mro__[1:]}
    chosen = [mixin for mixin in fitting if mixin not in bases]
    return type("Rules", (*chosen, rules), {}) if chosen else rules


def rules_named(name: str) -> type:
    """Import a mixin: `module.path:Class`, or `module.path:function:argument` for what a function returns.

    Raises TypeError if it derives from none of the rules.
    """
    module, attribute, *argument = name.split(":", 2)
    member = getattr(import_module(module), attribute)
    member = member(*argument) if argument else member
    if not (isinstance(member, type) and _ours(member)):
        raise TypeError(f"{name} does not derive from the rules of an API")
    return member


def _ours(mixin: type) -> list[type]:
    return [rules for rules in mixin.__mro__ if rules.__module__.startswith(f"{__package__}.")]


def query(scope: Scope) -> dict[str, list[str]]:
    """Return the decoded query parameters, blank values too."""
    text = scope["query_string"].decode("latin-1")
    try:
        return parse_qs(text, keep_blank_values=True, errors="replace", max_num_fields=100)
    except ValueError:
        return {}


def messages(rules: WireRules, call: Call, answer: Answer) -> tuple[Message, Message]:
    """Return the two ASGI messages of a response."""
    body = rules.encode(call, answer.body)
    named = rules.headers(call, answer) | {"content-length": str(len(body))}
    headers = [(rules.header_name(name).encode("latin-1"), value.encode("latin-1")) for name, value in named.items()]
    start = {"type": "http.response.start", "status": answer.status, "headers": headers}
    return start, {"type": "http.response.body", "body": body}


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket. Connections wait in it until the server runs."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    line = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # needed for TCP_NODELAY
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    line.bind((host, port))
    line.listen(512)
    return line


def server(app: ASGIApp) -> uvicorn.Server:
    """Return a uvicorn server without a log; the rules have their own routing."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", ws="none", http="h11", server_header=False,
        proxy_headers=False, timeout_keep_alive=120, timeout_graceful_shutdown=1,
        workers=1,  # else uvicorn reads WEB_CONCURRENCY
    )  # fmt: skip
    return uvicorn.Server(config)
