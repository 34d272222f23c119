"""HTTP/1.1 requests read from a socket: header names and bodies unchanged, each read with a deadline and a limit."""

import re
import socket
import time
from dataclasses import dataclass

from pix_conformance.harness.receiver.limits import Limits

_READ_SIZE = 64 * 1024
_REQUEST_LINE = re.compile(rb"([!-~]+) ([!-~\x80-\xff]+) HTTP/1\.([01])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*", re.DOTALL)
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
_BAD_REQUEST, _TIMED_OUT, _TOO_LARGE = 400, 408, 413


class BadRequest(Exception):  # noqa: N818 - a response to the sender, not an error of ours
    """A request that the receiver does not accept: the status to answer and the fault in words."""

    def __init__(self, status: int, fault: str) -> None:
        """`fault` becomes the `fault` of the delivery."""
        super().__init__(fault)
        self.status = status
        self.fault = fault


@dataclass
class Request:
    """A request as far as it was read. `refusal` says why it was not read completely."""

    method: str = ""
    target: str = ""
    minor: int = 1
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    refusal: BadRequest | None = None

    def values(self, name: str) -> list[str]:
        """Return all values of a header; its name is given in lower case."""
        return [value for key, value in self.headers if key.lower() == name]

    @property
    def keeps_alive(self) -> bool:
        """Whether another request may follow on this connection."""
        words = {word.strip().lower() for value in self.values("connection") for word in value.split(",")}
        wanted = "close" not in words if self.minor else "keep-alive" in words
        return wanted and self.refusal is None


class Wire:
    """A socket with a buffer and a deadline for the current request."""

    def __init__(self, sock: socket.socket) -> None:
        """Read from `sock` and set its timeout."""
        self._sock = sock
        self._buffer = bytearray()
        self._ends = 0.0

    @property
    def speaks_tls(self) -> bool:
        """Whether the bytes received so far are the start of a TLS handshake."""
        return self._buffer.startswith(b"\x16\x03")

    def begin(self, idle_s: float, request_s: float) -> bool:
        """Wait `idle_s` for the first byte of a request; return False if none arrives.

        The whole request must then arrive within `request_s` seconds.
        """
        self._ends = time.monotonic() + idle_s
        try:
            if not self._buffer and not self._fill():
                return False
        except OSError:
            return False
        self._ends = time.monotonic() + request_s
        return True

    def is_closed_within(self, seconds: float) -> bool:
        """Return whether the sender closes the connection within these seconds."""
        self._ends = time.monotonic() + seconds
        try:
            while self._fill():
                if len(self._buffer) > _READ_SIZE:  # a sender that pipelines without end
                    return True
        except TimeoutError:
            return False
        except OSError:
            return True
        return True

    def send(self, data: bytes, seconds: float) -> None:
        """Write all data in one call. Raises OSError."""
        self._sock.settimeout(seconds)
        self._sock.sendall(data)

    def discard(self, seconds: float, most: int) -> None:
        """Shut down our side and read on without keeping anything: a TCP reset could destroy our response."""
        self._ends = time.monotonic() + seconds
        try:
            socket.socket.shutdown(self._sock, socket.SHUT_WR)
            while most > 0 and self._fill():
                most -= len(self._buffer)
                self._buffer.clear()
        except OSError:
            return

    def line(self, limit: int) -> bytes:
        """Return one line without its end. Raises BadRequest."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > limit:
                break
            self._more("the head")
        if end < 0 or end > limit:
            raise BadRequest(_BAD_REQUEST, f"malformed: a line over {limit} bytes")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def exactly(self, size: int) -> bytes:
        """Return `size` bytes. Raises BadRequest."""
        while len(self._buffer) < size:
            self._more(f"the body, {len(self._buffer)} of {size} bytes read")
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _more(self, place: str) -> None:
        try:
            if self._fill():
                return
        except TimeoutError as error:
            raise BadRequest(_TIMED_OUT, f"timed out in {place}") from error
        except OSError as error:
            raise BadRequest(_BAD_REQUEST, f"cut in {place}: {error}") from error
        raise BadRequest(_BAD_REQUEST, f"cut in {place}")

    def _fill(self) -> bool:
        remaining = self._ends - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        self._sock.settimeout(remaining)
        data = self._sock.recv(_READ_SIZE)
        self._buffer += data
        return bool(data)


def read_request(wire: Wire, limits: Limits) -> Request:
    """Read one request. If it is malformed or incomplete, return what was read, with `refusal`."""
    request = Request()
    try:
        _read_head(wire, request, limits.head)
        request.body = _read_body(wire, request, limits)
    except BadRequest as refusal:
        request.refusal = refusal
    return request


def _read_head(wire: Wire, request: Request, limit: int) -> None:
    first = wire.line(limit) or wire.line(limit)  # an empty line before a request is ignored (RFC 9112, 2.2)
    if not (parts := _REQUEST_LINE.fullmatch(first)):
        raise BadRequest(_BAD_REQUEST, f"malformed: request line {first[:80]!r}")
    method, target, minor = parts.groups()
    request.method, request.target, request.minor = method.decode(), target.decode("latin-1"), int(minor)
    left = limit - len(first)
    while line := wire.line(left):
        left -= len(line) + 2
        if not (pair := _HEADER.fullmatch(line)):
            raise BadRequest(_BAD_REQUEST, f"malformed: header line {line[:80]!r}")
        request.headers += ((pair[1].decode(), pair[2].decode("latin-1")),)


def _read_body(wire: Wire, request: Request, limits: Limits) -> bytes:
    codings, lengths = request.values("transfer-encoding"), set(request.values("content-length"))
    if codings and (lengths or [coding.lower() for coding in codings] != ["chunked"]):
        raise BadRequest(_BAD_REQUEST, "malformed: transfer-encoding is not chunked alone")
    if len(lengths) > 1 or not all(re.fullmatch("[0-9]{1,15}", length) for length in lengths):
        raise BadRequest(_BAD_REQUEST, "malformed: content-length")
    size = int(lengths.pop()) if lengths else 0
    _check_size(size, limits.body)
    if "100-continue" in [value.lower() for value in request.values("expect")]:
        _send_continue(wire, limits.request_s)
    return _read_chunks(wire, limits) if codings else wire.exactly(size)


def _send_continue(wire: Wire, seconds: float) -> None:
    try:
        wire.send(b"HTTP/1.1 100 Continue\r\n\r\n", seconds)
    except OSError as error:
        raise BadRequest(_BAD_REQUEST, f"cut before the body: {error}") from error


def _read_chunks(wire: Wire, limits: Limits) -> bytes:
    body = bytearray()
    while True:
        line = wire.line(limits.head)
        if not (found := _CHUNK.fullmatch(line)):
            raise BadRequest(_BAD_REQUEST, f"malformed: chunk size {line[:80]!r}")
        if not (size := int(found[1], 16)):
            break
        _check_size(len(body) + size, limits.body)
        body += wire.exactly(size)
        if wire.line(2):
            raise BadRequest(_BAD_REQUEST, "malformed: a chunk longer than its size")
    left = limits.head
    while trailer := wire.line(left):
        left -= len(trailer) + 2
    return bytes(body)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise BadRequest(_TOO_LARGE, f"body of at least {size} bytes, over {limit}")
