"""The connections to the receiver: a thread that accepts, and one for each that does the TLS handshake and serves."""

import selectors
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.client import responses
from threading import Lock, Thread, current_thread
from typing import Protocol

from pix_conformance.receiver.certificates import PROBE_PROTOCOL
from pix_conformance.receiver.http import Limits, ReceivedRequest, Wire, read_request

_NO_CONTENT = 204
_DISCARD_BYTES = 8 * 1024 * 1024
_BACKLOG = 512
_STOP_S = 10.0
_FAREWELL_S = 0.2


@dataclass(frozen=True)
class Reply:
    """The response to a request. `status` None closes the connection without a response."""

    status: int | None
    delay_s: float = 0
    body: bytes = b""
    delivery: int | None = None
    """The id of the delivery that it answers."""


class Notes(Protocol):
    """Takes what happened to connections: the log of a receiver, or a relay."""

    def note_left(self, delivery: int, seconds: float) -> None:
        """Note that the sender of a delivery closed the connection before the response, so many seconds after it."""

    def note_handshake(self, words: str) -> None:
        """Note the reason of a failed TLS handshake."""

    def note_refused_connection(self) -> None:
        """Count a connection that was closed because too many were open."""


@dataclass(frozen=True)
class ConnectionContext:
    """What all connections to one port share.

    `take` returns the reply to a request whose first byte arrived at a time (epoch seconds).
    """

    take: Callable[[ReceivedRequest, float], Reply]
    notes: Notes
    limits: Limits


def shake_hands(tls: ssl.SSLSocket, context: ConnectionContext) -> bool:
    """Do the TLS handshake. If it fails, log the reason and return False."""
    tls.settimeout(context.limits.handshake_s)
    try:
        tls.do_handshake()
    except OSError as error:
        _note_handshake(tls, context, _why(error, context.limits.handshake_s))
        return False
    return True


def _note_handshake(tls: ssl.SSLSocket, context: ConnectionContext, words: str) -> None:
    """Log a failed handshake, unless the receiver's own probe refused the certificate."""
    if tls.selected_alpn_protocol() != PROBE_PROTOCOL:
        context.notes.note_handshake(words)


def _why(error: OSError, seconds: float) -> str:
    """Return the reason of a failed handshake in words, without OpenSSL's file and line."""
    if isinstance(error, TimeoutError):
        return f"the handshake was not finished within {seconds:g} s"
    if isinstance(error, ssl.SSLEOFError | ConnectionError):
        return "the sender closed the connection during the handshake"
    reason = (getattr(error, "reason", None) or str(error)).lower().replace("_", " ")
    return "the sender used plain HTTP, but the receiver expects TLS" if reason == "http request" else reason


class Connection:
    """Serves the requests of one connection in the thread that calls `serve`."""

    def __init__(self, sock: socket.socket, context: ConnectionContext) -> None:
        self._wire = Wire(sock)
        self._context = context
        self._sock = sock
        self._sender = ""
        with suppress(OSError):  # the sender has gone already
            self._sender = str(sock.getpeername()[0])

    def serve(self) -> None:
        """Answer requests until the sender, a limit or a reply ends the connection."""
        limits = self._context.limits
        served = 0
        while self._wire.begin(limits.idle_s, limits.request_s):
            if self._wire.speaks_tls:
                self._context.notes.note_handshake(
                    "the sender used TLS, but the receiver expects plain HTTP (TLS is off)"
                )
                return
            served += 1
            if not self._exchange():
                return
        if isinstance(self._sock, ssl.SSLSocket) and not served:
            # Some clients look at the certificate only after the handshake.
            _note_handshake(self._sock, self._context, "the sender closed the connection after the handshake")

    def _exchange(self) -> bool:
        """Serve one request. Return whether another one may follow."""
        received, began = time.time(), time.monotonic()
        request = read_request(self._wire, self._context.limits)
        request.sender = self._sender
        reply = self._context.take(request, received)
        if reply.delay_s and self._wire.is_closed_within(reply.delay_s):
            self._left(reply, began)
            return False
        if reply.status is None:
            return False
        try:
            self._wire.send(_answer(reply, request.keeps_alive), self._context.limits.request_s)
        except OSError:
            self._left(reply, began)
            return False
        if request.refusal:
            self._wire.discard(self._context.limits.linger_s, _DISCARD_BYTES)
        return request.keeps_alive

    def _left(self, reply: Reply, began: float) -> None:
        """Record that the sender closed the connection before its response."""
        if reply.delivery is not None:
            self._context.notes.note_left(reply.delivery, round(time.monotonic() - began, 3))


def _answer(reply: Reply, keep: bool) -> bytes:  # noqa: FBT001 - one caller, one flag
    status = reply.status or 0
    phrase = responses.get(status, "")
    length = "" if status == _NO_CONTENT else f"Content-Length: {len(reply.body)}\r\n"
    connection = "keep-alive" if keep else "close"
    return f"HTTP/1.1 {status} {phrase}\r\n{length}Connection: {connection}\r\n\r\n".encode() + reply.body


class Listener:
    """Listens from its creation until `stop`."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None, context: ConnectionContext) -> None:
        """Listen. Raises OSError if the address cannot be used."""
        self._tls = tls
        self._context = context
        self._lock = Lock()
        self._open: dict[Thread, socket.socket] = {}
        self._stopping = False
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        self._socket.setblocking(False)  # noqa: FBT003 - the socket module's own signature
        self.port: int = self._socket.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._accepting = Thread(target=self._accept_all, name="receiver", daemon=True)
        self._accepting.start()

    def stop(self) -> None:
        """Close the port and all connections and join their threads. Raises RuntimeError if a thread does not end."""
        self._wake.close()
        self._accepting.join(_STOP_S)
        with self._lock:
            self._stopping = True
            threads = list(self._open)
            for sock in self._open.values():
                _shut(sock)
        for thread in threads:
            thread.join(_STOP_S)
        if self._accepting.is_alive() or any(thread.is_alive() for thread in threads):
            raise RuntimeError("a thread of the receiver did not end")

    def _accept_all(self) -> None:
        with self._socket, self._woken, selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not any(key.fileobj is self._woken for key, _ in selector.select()):
                # The sender may have closed the connection before it is accepted.
                with suppress(OSError):
                    self._admit(self._socket.accept()[0])

    def _admit(self, sock: socket.socket) -> None:
        if len(self._open) >= self._context.limits.connections:
            self._context.notes.note_refused_connection()
            sock.close()
            return
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        thread = Thread(target=self._run, args=(sock,), name="receiver connection", daemon=True)
        with self._lock:
            self._open[thread] = sock
        thread.start()

    def _run(self, sock: socket.socket) -> None:
        try:
            # A connection may break at any call; its deliveries are already in the log.
            with suppress(OSError):
                self._serve(sock)
        finally:
            with self._lock:
                self._open.pop(current_thread()).close()

    def _serve(self, sock: socket.socket) -> None:
        if self._tls:
            sock.settimeout(self._context.limits.handshake_s)
            if not sock.recv(1, socket.MSG_PEEK):
                return  # a connection without any byte, as monitoring opens them, is not a failed handshake
            sock = self._encrypt(sock, self._tls)
            if not shake_hands(sock, self._context):
                return
        Connection(sock, self._context).serve()
        if isinstance(sock, ssl.SSLSocket):
            # close_notify tells a sender with persistent connections that this one ended properly (RFC 8446, 6.1).
            sock.settimeout(_FAREWELL_S)
            sock.unwrap()

    def _encrypt(self, sock: socket.socket, context: ssl.SSLContext) -> ssl.SSLSocket:
        tls = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        with self._lock:
            self._open[current_thread()] = tls
            if self._stopping:
                _shut(tls)
        return tls


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):
        # The plain socket's method: the TLS one would let the connection's thread go on unencrypted.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
