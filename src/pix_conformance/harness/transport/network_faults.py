"""A network that fails on purpose: connections that cut, repeat or slow the request that they carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from ssl import SSLContext
from typing import Any

import httpcore

from pix_conformance.model.exchange import MISSING_BYTES, NetworkFault

CONTINUED = range(0x80, 0xC0)
"""The bytes of UTF-8 that continue a character."""
PIECES, PAUSE_S = 5, 0.1
"""Into how many pieces a slow upload parts a body, and the seconds after each."""


def pieces_of(body: bytes) -> list[bytes]:
    """Part a body into pieces, each of which ends within the next character that has several bytes.

    >>> [len(piece) for piece in pieces_of("ab\u20ac".encode() * 2)]
    [3, 5, 2]
    """
    size, ends = -(-len(body) // PIECES), [0]
    while ends[-1] < len(body):
        end = min(ends[-1] + size, len(body))
        ends.append(next((place for place in range(end, len(body)) if is_continued(body[place])), end))
    return [body[begin:end] for begin, end in pairwise(ends)]


def is_continued(byte: int) -> bool:
    """Return whether a byte of UTF-8 continues the character of the byte before it."""
    return byte in CONTINUED


class FaultyBackend(httpcore.NetworkBackend):
    """Opens connections on which one request has a fault. `has_cut` says whether it came to that."""

    def __init__(
        self, fault: NetworkFault, inner: httpcore.NetworkBackend, pause: Callable[[float], None], *, is_tls: bool
    ) -> None:
        """Open connections by `inner`. What `is_tls` sends before the handshake goes to a proxy, and is whole."""
        self.fault, self.pause, self.is_tls = fault, pause, is_tls
        self.has_cut = False
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Open one connection, or two for a request that is sent twice."""
        count = 2 if self.fault is NetworkFault.SENT_TWICE else 1
        address = host, port, timeout, local_address
        return _Faulty(self, [self._inner.connect_tcp(*address, socket_options) for _ in range(count)])


class _Faulty(httpcore.NetworkStream):
    """Carries one request, and raises httpcore.ReadError in place of its response, unless it is only slow."""

    def __init__(self, backend: FaultyBackend, streams: Sequence[httpcore.NetworkStream]) -> None:
        self._backend, self._streams = backend, streams
        self._is_whole = backend.is_tls
        self._has_sent = False

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        is_body = bool(self._has_sent and buffer)  # httpcore writes the head, the body, and nothing at the end
        if is_body and self._backend.fault is NetworkFault.IN_BODY:
            self._write(buffer[:-MISSING_BYTES], timeout)
            raise self._cut()
        if is_body and self._backend.fault is NetworkFault.SLOW_UPLOAD:
            for piece in pieces_of(buffer):
                self._write(piece, timeout)
                self._backend.pause(PAUSE_S)
        else:
            self._write(buffer, timeout)
        self._has_sent = not self._is_whole

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._is_whole or self._backend.fault is NetworkFault.SLOW_UPLOAD:
            first, *_ = [stream.read(max_bytes, timeout) for stream in self._streams]
            return first
        if self._backend.fault is not NetworkFault.AFTER_REQUEST:
            for stream in self._streams:
                stream.read(max_bytes, timeout)
        raise self._cut()

    def _write(self, buffer: bytes, timeout: float | None) -> None:
        for stream in self._streams:
            stream.write(buffer, timeout)

    def _cut(self) -> httpcore.ReadError:
        self.close()
        self._backend.has_cut = True
        return httpcore.ReadError(self._backend.fault)

    def close(self) -> None:
        for stream in self._streams:
            stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        self._streams = [stream.start_tls(ssl_context, server_hostname, timeout) for stream in self._streams]
        self._is_whole = False
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._streams[0].get_extra_info(info)
