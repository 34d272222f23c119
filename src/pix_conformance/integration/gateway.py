"""The server between an integration's client and the sandbox: it records each request, and may lose or refuse some."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import httpx

from pix_conformance.model import operations
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import MISSING, at, parsed
from pix_conformance.model.vocabulary import Api, Role

HOP_BY_HOP = frozenset({"host", "connection", "content-length", "transfer-encoding", "keep-alive", "accept-encoding"})
SCHEMES = {"basic", "bearer"}
HELD_S = 2.0
"""How long a response is held at most: less than clients wait for one."""
UNANSWERED_S = 11.0
"""How long a request is left without a response: longer than most clients wait for one."""
UPSTREAM_S = 10.0


class Fault(StrEnum):
    """What happens to a request of the client. The value is the fault that its exchange has, if it has no response."""

    LOST = "the suite lost the response"
    CUT = "the suite cut the response in its body"
    UNANSWERED = "the suite kept the response back until the client gave up"
    BAD_GATEWAY = "answered 502 by the suite: the service did not get it"
    TOO_MANY = "answered 429 by the suite: the service did not get it"
    CONFLICT = "answered 409 by the suite, as for a key that was used: the service did not get it"
    UNAUTHORIZED = "answered 401 by the suite, as with a token that has expired: the service did not get it"
    HELD = "held by the suite until something else has happened"


DROPPED = frozenset({Fault.LOST, Fault.CUT, Fault.UNANSWERED})
"""Faults of which the service does its work, and the client gets no response that it can read."""
ANSWERS = {
    Fault.BAD_GATEWAY: (502, b"Bad Gateway"),
    Fault.TOO_MANY: (429, b'{"error": "RATE_LIMITED", "message": "too many requests", "detail": "too many requests"}'),
    Fault.UNAUTHORIZED: (401, b'{"error": "UNAUTHORIZED", "message": "invalid or expired token", "detail": "token"}'),
    Fault.CONFLICT: (
        409,
        b'{"error": "IDEMPOTENCY_CONFLICT", "message": "key already used; operation not duplicated", "detail": "used"}',
    ),
}


@dataclass
class Faults:
    """The faults to come: for each operation, or for every one that reads, the next requests have them in turn."""

    _queues: dict[tuple[str, int | None], deque[Fault]] = field(default_factory=dict)
    """By operation and amount of the requests, in cents; the amount is None if all have them."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _held: threading.Event = field(default_factory=threading.Event)
    """Set when a response is held."""
    _released: threading.Event = field(default_factory=threading.Event)

    def expect(self, operation: str, *faults: Fault, cents: int | None = None) -> None:
        """Have the next requests of this operation, or those of one amount, meet these faults, and no others.

        Those of one amount are kept until they come: a client may repeat minutes later what was lost.
        """
        self._released.clear()
        with self._lock:
            self._queues[operation, cents] = deque(faults)

    def clear(self) -> None:
        """Let all further requests through but those of one amount, and those that are held."""
        with self._lock:
            self._queues = {key: faults for key, faults in self._queues.items() if key[1] is not None}
        self.release()

    def hold_response_of(self, operation: str) -> None:
        """Hold the next response of an operation until `release`, for HELD_S at most."""
        self._held.clear()
        self.expect(operation, Fault.HELD)

    def is_held_within(self, seconds: float) -> bool:
        """Wait until a response is held; return whether that came true."""
        return self._held.wait(seconds)

    def release(self) -> None:
        """Let a response go that is held."""
        self._released.set()

    def hold(self) -> None:
        """Return when the response of the caller may go."""
        self._held.set()
        self._released.wait(HELD_S)

    def outwait_client(self) -> None:
        """Return when the connection of the caller may be closed without a response."""
        self._released.wait(UNANSWERED_S)

    def take(self, operation: str | None, body: Mapping[str, Any]) -> Fault | None:
        """Return the fault of a request of this operation; None if it has none."""
        with self._lock:
            for (name, cents), faults in self._queues.items():
                if faults and name == operation and (cents is None or _is_of(body, cents)):
                    return faults.popleft()
        return None


def _is_of(body: Mapping[str, Any], cents: int) -> bool:
    """Return whether a body has an amount, or one that a float has made a cent less or more."""
    return any(isinstance(value, int) and abs(value - cents) <= 1 for value in body.values())


class Gateway:
    """Passes the client's requests on to the sandbox. `record` keeps an exchange."""

    def __init__(
        self, upstream: str, listen: str, record: Callable[[Exchange], Exchange], credentials: dict[str, str]
    ) -> None:
        """Listen at `host:port`. `credentials` are the values of Authorization, each with its words for reports."""
        self.faults, self.exchanges = Faults(), list[Exchange]()
        self.secrets: dict[str, str] = {}
        """The secrets of webhooks that the client has registered, by their address; the latest last."""
        self.statuses: dict[str, str] = {}
        """The statuses that responses show in place of those of the sandbox, by the id of a charge or the operation."""
        self._record, self._credentials = record, credentials
        self._sandbox = httpx.Client(base_url=upstream, timeout=UPSTREAM_S, trust_env=False)
        host, _, port = listen.rpartition(":")
        handler = type("Handler", (_Handler,), {"gateway": self})
        self._server = ThreadingHTTPServer((host, int(port)), handler)
        self._server.daemon_threads = True
        self.url = f"http://{host}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def let_through(self) -> None:
        """Pass all further requests on, those that are held too, and show the sandbox's statuses again."""
        self.faults.clear()
        self.statuses.clear()

    def stop(self) -> None:
        """Close the server and its connections to the sandbox."""
        self._server.shutdown()
        self._server.server_close()
        self._sandbox.close()

    def answer(self, sent: Request) -> tuple[Response | None, Exchange]:
        """Pass a request on, or have it meet its fault; record it. Return what the client gets, None for nothing.

        If the exchange has no response, what the client gets is to be cut in its body.
        """
        api, operation = route_of(sent)
        fault, started, begun = self.faults.take(operation, sent.json_object), time.time(), time.monotonic()
        if fault in ANSWERS:
            status, body = ANSWERS[fault]
            kind = "text/html" if fault is Fault.BAD_GATEWAY else "application/json"
            came: Response | None = Response(status, (("content-type", kind),), body, len(body))
        else:
            came = self._passed_on(sent, operation)
        if fault is Fault.HELD:
            self.faults.hold()
        response = None if fault in DROPPED else came
        lost = f"{fault}: the service had answered {came.status}" if fault in DROPPED and came else None
        exchange = Exchange(
            id=0,
            api=api,
            role=Role.MERCHANT,
            operation=operation,
            test=None,
            started=started,
            elapsed_ms=(time.monotonic() - begun) * 1000,
            request=self._with_words(sent, came),
            response=response,
            fault=lost or (None if response else "the sandbox did not answer"),
        )
        exchange = self._record(exchange)
        self.exchanges.append(exchange)  # before the client sends the next one
        if fault is Fault.UNANSWERED:
            self.faults.outwait_client()
        return came if fault is Fault.CUT else response, exchange

    def _with_words(self, sent: Request, came: Response | None) -> Request:
        """Say in words what the Authorization header was; learn the token that a login was given."""
        token = at(parsed(came.body), "token") if came else None
        if isinstance(token, str):
            self._credentials[f"Bearer {token}"] = "Bearer token of $PIX_CLIENT_ID:$PIX_CLIENT_SECRET"
        given = next((value for name, value in sent.headers if name.lower() == "authorization"), "")
        scheme, _, value = given.partition(" ")
        known = self._credentials.get(f"{scheme.capitalize()} {value.strip()}")
        words = known or (self._of_other_scheme(scheme, value.strip()) if given else "")
        return replace(sent, url=f"{self.url}{sent.url}", credential=words)

    def _of_other_scheme(self, scheme: str, value: str) -> str:
        """Say of a credential that this run did not give so, whether it gave it under another scheme."""
        for given, words in self._credentials.items():
            right, _, secret = given.partition(" ")
            if secret in {scheme, value}:
                name = words.removeprefix(right).strip()
                return f"{scheme} {name}" if secret == value else f"{name} without a scheme"
        of_scheme = f" of the scheme {scheme.capitalize()}" if scheme.lower() in SCHEMES else ""
        return f"an unknown credential{of_scheme}"

    def _passed_on(self, sent: Request, operation: str | None) -> Response | None:
        headers = [(name, value) for name, value in sent.headers if name.lower() not in HOP_BY_HOP]
        try:
            answer = self._sandbox.request(sent.method, sent.url, headers=headers, content=sent.body)
        except httpx.HTTPError:
            return None
        address, secret = sent.json_object.get("url"), at(parsed(answer.content), "data.signatureSecret")
        if operation == "create_webhook" and isinstance(address, str) and isinstance(secret, str):
            self.secrets[address] = secret
        given = tuple((name, value) for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP)
        content = self._with_statuses(operation, answer.content)
        return Response(answer.status_code, given, content, len(content))

    def _with_statuses(self, operation: str | None, body: bytes) -> bytes:
        """Return a body that shows the statuses that a test has chosen."""
        value = parsed(body) if self.statuses else MISSING
        return body if value is MISSING else json.dumps(_with_status(value, operation, self.statuses)).encode()


def _with_status(value: Any, operation: str | None, statuses: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_with_status(item, operation, statuses) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: _with_status(item, operation, statuses) for name, item in value.items()}
    chosen = statuses.get(str(value.get("id")), statuses.get(operation or "")) if "status" in value else None
    return members | {"status": chosen} if chosen else members


def route_of(sent: Request) -> tuple[Api, str | None]:
    """Return the API of a request by its path, and its operation; None for a route that is in no document."""
    path = sent.url.partition("?")[0]
    api = next((api for api in Api if path.startswith(PROFILES[api].routes)), Api.PAYMENTS)
    parts = path.split("/")
    for row in operations.of(api):
        wanted = row.path.split("/")
        if row.method == sent.method and len(parts) == len(wanted):
            pairs = zip(parts, wanted, strict=True)
            if all(given == part or (part.startswith("{") and given) for given, part in pairs):
                return api, row.name
    return api, None


class _Handler(BaseHTTPRequestHandler):
    gateway: ClassVar[Gateway]
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._chunks()
        else:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
        response, exchange = self.gateway.answer(Request(self.command, self.path, tuple(self.headers.items()), body))
        if response is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        if exchange.response is not None:
            self.wfile.write(response.body)
            return
        self.wfile.write(response.body[: len(response.body) // 2])
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815  # the names of http.server

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, *_words: object) -> None:
        """Write no log: the report has all requests."""
