"""HTTP/1.1 requests read from a socket with h11: header names and bodies unchanged, with a deadline and limits."""

import re
import socket
import time
from dataclasses import dataclass

import h11

_READ_SIZE = 64 * 1024
_REQUEST_LINE = re.compile(rb"(\S+) (\S+) HTTP/")
_MINOR = {b"1.0": 0, b"1.1": 1}
_FAULT_LENGTH = 120
_BAD_REQUEST, _TIMED_OUT, _TOO_LARGE = 400, 408, 413


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes, times in seconds, other values are counts."""

    body: int = 1024 * 1024
    head: int = 64 * 1024
    deliveries: int = 10_000
    kept_bytes: int = 128 * 1024 * 1024
    connections: int = 512
    handshake_s: float = 10.0
    request_s: float = 20.0
    idle_s: float = 75.0
    linger_s: float = 2.0


class BadRequest(Exception):  # noqa: N818 - a response to the sender, not an error of ours
    """A request that the receiver does not accept: the status to answer and the fault in words."""

    def __init__(self, status: int, fault: str) -> None:
        """`fault` becomes the `fault` of the delivery."""
        super().__init__(status, fault)  # both, so that a relay can hand it on
        self.status = status
        self.fault = fault


@dataclass
class ReceivedRequest:
    """A request as far as it was read. `refusal` says why it was not read completely."""

    method: str = ""
    target: str = ""
    minor: int = 1
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    sender: str = ""
    """The IP address that it came from."""
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
    """A socket with the bytes that no request has used yet, and a deadline for the current request."""

    def __init__(self, sock: socket.socket) -> None:
        """Read from `sock` and set its timeout."""
        self.unused = b""
        self._sock = sock
        self._ends = 0.0

    @property
    def speaks_tls(self) -> bool:
        """Whether the bytes received so far are the start of a TLS handshake."""
        return self.unused.startswith(b"\x16\x03")

    def begin(self, idle_s: float, request_s: float) -> bool:
        """Wait `idle_s` for the first byte of a request; return False if none arrives.

        The whole request must then arrive within `request_s` seconds. Empty lines before it are ignored (RFC 9112,
        section 2.2).
        """
        self._ends = time.monotonic() + idle_s
        try:
            while not self.unused:
                if not (data := self._receive()):
                    return False
                self.unused = data.lstrip(b"\r\n")
        except OSError:
            return False
        self._ends = time.monotonic() + request_s
        return True

    def is_closed_within(self, seconds: float) -> bool:
        """Return whether the sender closes the connection within these seconds."""
        self._ends = time.monotonic() + seconds
        try:
            while data := self._receive():
                self.unused += data
                if len(self.unused) > _READ_SIZE:  # a sender that pipelines without end
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
            while most > 0 and (data := self._receive()):
                most -= len(data)
        except OSError:
            return

    def take(self, place: str) -> bytes:
        """Return the next bytes of a request; `place` names its part in a fault. Raises BadRequest."""
        try:
            data, self.unused = self.unused or self._receive(), b""
        except TimeoutError as error:
            raise BadRequest(_TIMED_OUT, f"timed out in {place}") from error
        except OSError as error:
            raise BadRequest(_BAD_REQUEST, f"cut in {place}: {error}") from error
        if not data:
            raise BadRequest(_BAD_REQUEST, f"cut in {place}")
        return data

    def _receive(self) -> bytes:
        remaining = self._ends - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        self._sock.settimeout(remaining)
        return self._sock.recv(_READ_SIZE)


def read_request(wire: Wire, limits: Limits) -> ReceivedRequest:
    """Read one request. If it is malformed or incomplete, return what was read, with `refusal`."""
    request, http = ReceivedRequest(), h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head)
    try:
        _read_head(wire, http, request, limits.head)
        request.body = _read_body(wire, http, request, limits)
    except h11.RemoteProtocolError as error:
        request.refusal = BadRequest(_BAD_REQUEST, f"malformed: {error}"[:_FAULT_LENGTH])
    except BadRequest as refusal:
        request.refusal = refusal
    wire.unused = http.trailing_data[0].lstrip(b"\r\n")
    return request


def _read_head(wire: Wire, http: h11.Connection, request: ReceivedRequest, limit: int) -> None:
    head = b""
    while not isinstance(event := http.next_event(), h11.Request):
        data = wire.take("the head")
        head += data
        if line := _REQUEST_LINE.match(head):
            request.method, request.target = line[1].decode("latin-1"), line[2].decode("latin-1")
        http.receive_data(data)
    request.headers = tuple((name.decode(), value.decode("latin-1")) for name, value in event.headers.raw_items())
    if len(head) - len(http.trailing_data[0]) > limit:
        raise BadRequest(_BAD_REQUEST, f"malformed: a head over {limit} bytes")
    if event.http_version not in _MINOR:
        raise BadRequest(_BAD_REQUEST, f"malformed: HTTP version {event.http_version.decode()}")
    request.minor = _MINOR[event.http_version]


def _read_body(wire: Wire, http: h11.Connection, request: ReceivedRequest, limits: Limits) -> bytes:
    lengths = request.values("content-length")
    if lengths and request.values("transfer-encoding"):
        raise BadRequest(_BAD_REQUEST, "malformed: content-length beside transfer-encoding")
    _check_size(int(lengths[0]) if lengths else 0, limits.body)
    if http.they_are_waiting_for_100_continue:
        _send_continue(wire, limits.request_s)
    body, size = bytearray(), "".join(f" of {length}" for length in lengths)
    while not isinstance(event := http.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Data):
            body += event.data
            _check_size(len(body), limits.body)
        else:
            http.receive_data(wire.take(f"the body, {len(body)}{size} bytes read"))
    return bytes(body)


def _send_continue(wire: Wire, seconds: float) -> None:
    try:
        wire.send(b"HTTP/1.1 100 Continue\r\n\r\n", seconds)
    except OSError as error:
        raise BadRequest(_BAD_REQUEST, f"cut before the body: {error}") from error


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise BadRequest(_TOO_LARGE, f"body of at least {size} bytes, over {limit}")
