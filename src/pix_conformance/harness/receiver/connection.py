"""One connection to the receiver: the TLS handshake, then requests and their answers until it ends."""

import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.client import responses

from pix_conformance.harness.receiver.certificates import PROBE_PROTOCOL
from pix_conformance.harness.receiver.http import Request, Wire, read_request
from pix_conformance.harness.receiver.limits import Limits
from pix_conformance.harness.receiver.log import DeliveryLog
from pix_conformance.model.delivery import Delivery

_NO_CONTENT = 204
_DISCARD_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Reply:
    """What to do with a request: `status` None closes the connection without an answer."""

    status: int | None
    delay_s: float = 0
    body: bytes = b""
    delivery: Delivery | None = None


@dataclass(frozen=True)
class ConnectionContext:
    """What every connection of one receiver shares; `take` decides a request that began at an epoch time."""

    take: Callable[[Request, float], Reply]
    log: DeliveryLog
    limits: Limits


def shake_hands(tls: ssl.SSLSocket, site: ConnectionContext) -> bool:
    """Do the TLS handshake; False, with the reason in the log, where it fails."""
    tls.settimeout(site.limits.handshake_s)
    try:
        tls.do_handshake()
    except OSError as error:
        _note_handshake(tls, site, _why(error, site.limits.handshake_s))
        return False
    return True


def _note_handshake(tls: ssl.SSLSocket, site: ConnectionContext, words: str) -> None:
    """Keep a failed handshake, unless it was the receiver's own probe that refused the certificate."""
    if tls.selected_alpn_protocol() != PROBE_PROTOCOL:
        site.log.note_handshake(words)


def _why(error: OSError, seconds: float) -> str:
    """Name the reason of a failed handshake in words, without OpenSSL's file and line."""
    if isinstance(error, TimeoutError):
        return f"the handshake was not finished within {seconds:g} s"
    if isinstance(error, ssl.SSLEOFError | ConnectionError):
        return "the sender closed the connection during the handshake"
    reason = (getattr(error, "reason", None) or str(error)).lower().replace("_", " ")
    return "plain HTTP was spoken where TLS was awaited" if reason == "http request" else reason


class Connection:
    """Serves the requests of one connection, in the thread that calls `serve`."""

    def __init__(self, sock: socket.socket, site: ConnectionContext) -> None:
        """Take an accepted socket, after its handshake where there is one."""
        self._wire = Wire(sock)
        self._site = site
        self._sock = sock

    def serve(self) -> None:
        """Answer requests until the sender, a limit or an answer ends the connection."""
        limits = self._site.limits
        served = 0
        while self._wire.begin(limits.idle_s, limits.request_s):
            if self._wire.speaks_tls:
                self._site.log.note_handshake("TLS was spoken where plain HTTP was awaited (TLS is off)")
                return
            served += 1
            if not self._exchange():
                return
        if isinstance(self._sock, ssl.SSLSocket) and not served:
            # Some clients look at the certificate only after the handshake.
            _note_handshake(self._sock, self._site, "the sender left after the handshake without a request")

    def _exchange(self) -> bool:
        """Serve one request; whether another may follow."""
        received, began = time.time(), time.monotonic()
        request = read_request(self._wire, self._site.limits)
        reply = self._site.take(request, received)
        if reply.delay_s and self._wire.hangs_up_within(reply.delay_s):
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
        """Record that the sender did not stay for its answer."""
        if reply.delivery:
            left = round(time.monotonic() - began, 3)
            self._site.log.revise(replace(reply.delivery, answered=None, left_s=left))


def _answer(reply: Reply, keep: bool) -> bytes:  # noqa: FBT001 - one caller, one flag
    status = reply.status or 0
    phrase = responses.get(status, "")
    length = "" if status == _NO_CONTENT else f"Content-Length: {len(reply.body)}\r\n"
    kept = "keep-alive" if keep else "close"
    return f"HTTP/1.1 {status} {phrase}\r\n{length}Connection: {kept}\r\n\r\n".encode() + reply.body
