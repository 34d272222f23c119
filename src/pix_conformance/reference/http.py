"""HTTP of both APIs: routing, reading a body, writing a response."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, TypeVar

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.state import ServerClock, ServerState, timestamp
from pix_conformance.reference.store import Store
from pix_conformance.reference.strict_json import UnreadableError, parse

Route = tuple[str, str, str]
Operation = Callable[[Call], Awaitable[Answer]]
OperationMethod = TypeVar("OperationMethod", bound=Callable[..., Awaitable[Answer]])


def route(method: str, path: str) -> Callable[[OperationMethod], OperationMethod]:
    """Give a method of the rules, which is an operation, its route."""

    def mark(operation: OperationMethod) -> OperationMethod:
        operation.__dict__["route"] = (method, path)
        return operation

    return mark


def routes_of(*rules: type) -> tuple[Route, ...]:
    """Return the routes of the operations that these classes define, with the names of the methods."""
    methods = [(name, method) for part in rules for name, method in vars(part).items()]
    return tuple((*method.route, name) for name, method in methods if hasattr(method, "route"))


class WireRules:
    """Turns one request (Call) into one response (Answer)."""

    routes: ClassVar[tuple[Route, ...]] = ()
    open_operations: ClassVar[frozenset[str]] = frozenset()
    largest_body = 1 << 20
    deepest_body = 64
    refuses_duplicate_keys = True
    checks_content_type = True
    content_type = "application/json"
    pretty = False
    extra_headers: ClassVar[dict[str, str]] = {}
    closes_connection = False
    serves_cut_bodies = False
    delay_seconds = 0.0
    event_delay_seconds = 0.0
    calls_per_second: int | None = None
    retry_after_seconds = 1

    @property
    def root(self) -> str:
        """The first part of every path of the API."""
        return self.routes[0][1].split("/")[1]

    def __init__(self, state: ServerState) -> None:
        """Serve with the time, rows and accounts of this state."""
        self.state = state
        self._calls: Counter[tuple[str, int]] = Counter()

    @property
    def store(self) -> Store:
        """The database rows of the server."""
        return self.state.store

    @property
    def clock(self) -> ServerClock:
        """The clock of the server."""
        return self.state.clock

    def moment(self, epoch: float) -> str:
        """Return an epoch time as text, in every response and event."""
        return timestamp(epoch)

    def receive(self, call: Call, segment: bytes) -> None:
        """Keep what has come of a body; other requests may come before the rest."""
        call.segments.append(segment)

    def whole_body(self, call: Call) -> bytes:
        """Return the bytes of a body that has come, or has broken off."""
        return b"".join(call.segments)

    async def answer(self, call: Call) -> Answer:
        """Answer one request, valid or not."""
        try:
            answer = await self.serve(call)
        except Refusal as refusal:
            answer = self.refused(call, refusal)
        return self.respond(call, answer)

    async def serve(self, call: Call) -> Answer:
        """Find the operation, authorize the request, execute the operation."""
        await self.pause(call, "arrival")
        self.limit_rate(call)
        refusal = self.find_route(call)
        if call.operation not in self.open_operations:
            call.access = self.authorize(call)
        if refusal:
            raise refusal
        operation: Operation = getattr(self, call.operation)
        return await operation(call)

    async def pause(self, call: Call, place: str) -> None:
        """Let other requests run: on "arrival", and in each operation between reading and writing."""
        del call
        await asyncio.sleep(self.delay_seconds if place == "arrival" else 0)

    def limit_rate(self, call: Call) -> None:
        """Refuse requests beyond the number allowed in one second."""
        if self.calls_per_second is None:
            return
        slot = (call.headers.get("authorization", ""), int(self.clock.now()))
        self._calls[slot] += 1
        if self._calls[slot] > self.calls_per_second:
            raise Refusal("limited", "too many requests", retry_after=str(self.retry_after_seconds))

    def find_route(self, call: Call) -> Refusal | None:
        """Set the operation and the path parameters.

        Return the refusal of an unknown route, for an authorized client.
        """
        methods = []
        for method, pattern, operation in self.routes:
            params = match(pattern, call.path)
            if params is None:
                continue
            if method == call.method:
                call.operation, call.params = operation, params
                return None
            methods.append(method)
        return self.no_route(methods)

    def no_route(self, methods: list[str]) -> Refusal:
        """Return the refusal of an unknown path (`methods` empty), or of a method that the path does not have."""
        if methods:
            return Refusal("method", "method not allowed", allow=", ".join(methods))
        return Refusal("missing", "route not found")

    def authorize(self, call: Call) -> Any:
        """Return the account and environment of the request; each API overrides it."""
        raise NotImplementedError

    def error_body(self, refusal: Refusal) -> Any:
        """Return the body of an error response; each API overrides it."""
        raise NotImplementedError

    def error_status(self, refusal: Refusal) -> int:
        """Return the status of an error response; each API overrides it."""
        raise NotImplementedError

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Return the response to a refused request."""
        del call
        return Answer(self.error_status(refusal), self.error_body(refusal), dict(refusal.headers))

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Return the final response. Every response passes here; `call.operation` is empty for unknown routes."""
        del call
        return answer

    async def headers_sent(self, call: Call) -> None:
        """Do what is left when the headers of a response are sent; its body is sent next."""
        del call

    def json_body(self, call: Call) -> Any:
        """Return the parsed body. Raises Refusal for a wrong content type or malformed JSON."""
        if self.checks_content_type and not self.is_json(call.headers.get("content-type", "")):
            raise self.unreadable("Content-Type must be application/json")
        if call.body is None or len(call.body) > self.largest_body:
            raise self.unreadable("body is too large")
        try:
            return parse(call.body, refuse_duplicates=self.refuses_duplicate_keys, deepest=self.deepest_body)
        except UnreadableError as error:
            raise self.unreadable(str(error)) from error

    def is_json(self, content_type: str) -> bool:
        """Return whether a Content-Type is application/json; its parameters are ignored."""
        return content_type.partition(";")[0].strip().lower() == "application/json"

    def unreadable(self, words: str) -> Refusal:
        """Return the refusal of a body that is not JSON or too large."""
        return Refusal("invalid", words)

    def encode(self, call: Call, body: Any) -> bytes:
        """Return the bytes of a response body."""
        del call
        return json.dumps(body, ensure_ascii=False, indent=2 if self.pretty else None).encode()

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Return all headers of a response except Content-Length."""
        del call
        closing = {"connection": "close"} if self.closes_connection else {}
        return {"content-type": self.content_type} | self.extra_headers | closing | answer.headers

    def header_name(self, name: str) -> str:
        """Return the spelling of a header name."""
        return name.lower()


def match(pattern: str, path: tuple[str, ...]) -> dict[str, str] | None:
    """Return the path parameters if the path matches the pattern, else None. An empty parameter does not match."""
    parts = pattern.strip("/").split("/")
    if len(parts) != len(path):
        return None
    params = {}
    for part, text in zip(parts, path, strict=True):
        if part.startswith("{") and text:
            params[part.strip("{}")] = text
        elif part != text:
            return None
    return params
