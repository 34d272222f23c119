"""One connection to the receiver: the TLS handshake, then requests and responses until it ends."""

import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.client import responses

from pix_conformance.model.delivery import Delivery
from pix_conformance.receiver.certificates import PROBE_PROTOCOL
from pix_conformance.receiver.http import ReceivedRequest, Wire, read_request
from pix_conformance.receiver.limits import Limits
from pix_conformance.receiver.log import DeliveryLog

_NO_CONTENT = 204
_DISCARD_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Reply:
    """The response to a request. `status` None closes the connection without a response."""

    status: int | None
    delay_s: float = 0
    body: bytes = b""
    delivery: Delivery | None = None


@dataclass(frozen=True)
class ConnectionContext:
    """What all connections of one receiver share. `take` returns the reply to a request and its time of arrival."""

    take: Callable[[ReceivedRequest, float], Reply]
    log: DeliveryLog
    limits: Limits


def shake_hands(tls: ssl.SSLSocket, site: ConnectionContext) -> bool:
    """Do the TLS handshake. If it fails, log the reason and return False."""
    tls.settimeout(site.limits.handshake_s)
    try:
        tls.do_handshake()
    except OSError as error:
        _note_handshake(tls, site, _why(error, site.limits.handshake_s))
        return False
    return True


def _note_handshake(tls: ssl.SSLSocket, site: ConnectionContext, words: str) -> None:
    """Log a failed handshake, unless the receiver's own probe refused the certificate."""
    if tls.selected_alpn_protocol() != PROBE_PROTOCOL:
        site.log.note_handshake(words)


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

    def __init__(self, sock: socket.socket, site: ConnectionContext) -> None:
        self._wire = Wire(sock)
        self._site = site
        self._sock = sock

    def serve(self) -> None:
        """Answer requests until the sender, a limit or a reply ends the connection."""
        limits = self._site.limits
        served = 0
        while self._wire.begin(limits.idle_s, limits.request_s):
            if self._wire.speaks_tls:
                self._site.log.note_handshake("the sender used TLS, but the receiver expects plain HTTP (TLS is off)")
                return
            served += 1
            if not self._exchange():
                return
        if isinstance(self._sock, ssl.SSLSocket) and not served:
            # Some clients look at the certificate only after the handshake.
            _note_handshake(self._sock, self._site, "the sender closed the connection after the handshake")

    def _exchange(self) -> bool:
        """Serve one request. Return whether another one may follow."""
        received, began = time.time(), time.monotonic()
        request = read_request(self._wire, self._site.limits)
        reply = self._site.take(request, received)
        if reply.delay_s and self._wire.is_closed_within(reply.delay_s):
            self._left(reply, began)
            return False
        if reply.status is None:
            return False
        try:
            self._wire.send(_answer(reply, request.keeps_alive), self._site.limits.request_s)
        except OSError:
            self._left(reply, began)
            return False
        if request.refusal:
            self._wire.discard(self._site.limits.linger_s, _DISCARD_BYTES)
        return request.keeps_alive

    def _left(self, reply: Reply, began: float) -> None:
        """Record that the sender closed the connection before its response."""
        if reply.delivery:
            left = round(time.monotonic() - began, 3)
            self._site.log.revise(replace(reply.delivery, answered=None, left_s=left))


def _answer(reply: Reply, keep: bool) -> bytes:  # noqa: FBT001 - one caller, one flag
    status = reply.status or 0
    phrase = responses.get(status, "")
    length = "" if status == _NO_CONTENT else f"Content-Length: {len(reply.body)}\r\n"
    connection = "keep-alive" if keep else "close"
    return f"HTTP/1.1 {status} {phrase}\r\n{length}Connection: {connection}\r\n\r\n".encode() + reply.body
