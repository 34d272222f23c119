"""What comes of a connection to an address: how far it gets, and what ends it."""

import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.harness.transport.recording import new_context
from pix_conformance.model.reach import Reach, reach_of

SECONDS = 1.0
QUESTION = b"HEAD / HTTP/1.0\r\n\r\n"
ALERT_S = 0.3
"""Seconds for an alert after a handshake."""
ALERT, HANDSHAKE, CERTIFICATE_REQUEST = 21, 22, 13
"""Two types of content, and the handshake message by which a server asks for a client certificate (RFC 8446)."""
NO_PROTOCOL = "no application protocol"
"""The alert with which a server refuses HTTP/1.1 (RFC 7301)."""
LINE = 64
"""Bytes that are read of a response."""
FRAME_HEAD, SETTINGS, GOAWAY = 9, 4, 7
"""Bytes of the head of a frame of HTTP/2, and the frames with which a server begins or refuses (RFC 9113)."""


@dataclass(frozen=True)
class Look:
    """How far a connection came, and the TLS alert that ended it, by its name in RFC 8446; empty without one."""

    reach: Reach
    alert: str = ""
    begins: str = ""
    """The first line of a response that is not HTTP; empty without one."""


@dataclass
class _Handshake:
    """What the server said in a handshake."""

    is_asked: bool = False
    """Whether it asked for a client certificate: its alert may not say that it misses one."""
    alert: str = ""

    def listen(self, context: ssl.SSLContext) -> None:
        """Note what comes in connections of this context."""

        def note(*message: Any) -> None:
            _, direction, _, content, kind, _ = message
            if direction == "read" and content == ALERT and kind.name != "CLOSE_NOTIFY":
                self.alert = kind.name.lower().replace("_", " ")
            self.is_asked |= direction == "read" and content == HANDSHAKE and kind == CERTIFICATE_REQUEST

        context._msg_callback = note  # type: ignore[attr-defined]  # noqa: SLF001  # Python has no other way to see it


def look_at(base_url: str, client_certificate: str = "") -> Look:
    """Return how far a connection comes: SILENT if only the response is missing."""
    handshake = _Handshake()
    try:
        with _connected(base_url) as connection:
            if urlsplit(base_url).scheme != "https":
                return _look_at_response(connection)
            context = new_context(client_certificate)
            context.set_alpn_protocols(["http/1.1"])
            handshake.listen(context)
            with context.wrap_socket(connection, server_hostname=urlsplit(base_url).hostname) as encrypted:
                _wait_for_alert(encrypted)
                return _look_at_response(encrypted)
    except ssl.SSLCertVerificationError as reason:
        return Look(reach_of(reason))
    except (OSError, ValueError) as reason:
        return _refused(base_url, handshake, client_certificate) if handshake.alert else Look(reach_of(reason))


def _refused(base_url: str, handshake: _Handshake, client_certificate: str) -> Look:
    """Say why the server ended a TLS connection, by its alert and by what it asked before."""
    if handshake.alert == NO_PROTOCOL and _chosen_protocol(base_url) == "h2":
        return Look(Reach.HTTP2_ONLY)
    if handshake.is_asked:
        return Look(Reach.CERTIFICATE_REFUSED if client_certificate else Reach.CERTIFICATE_WANTED, handshake.alert)
    return Look(Reach.ALERT, handshake.alert)


def _wait_for_alert(connection: ssl.SSLSocket) -> None:
    """Read what comes after a handshake: in TLS 1.3 only then the client hears of its certificate."""
    connection.settimeout(ALERT_S)
    with suppress(TimeoutError):
        connection.recv(1)


def _look_at_response(connection: socket.socket) -> Look:
    """Ask for a page, and return what the first bytes of the response show."""
    connection.settimeout(SECONDS)
    connection.sendall(QUESTION)
    with suppress(TimeoutError, ConnectionResetError):
        head = connection.recv(LINE)
        frame = head[:FRAME_HEAD]
        if len(frame) == FRAME_HEAD and frame[3] in {SETTINGS, GOAWAY} and not any(frame[5:]):
            return Look(Reach.HTTP2_ONLY)
        if head and not head.startswith(b"HTTP/"):
            return Look(Reach.SILENT, begins=head.partition(b"\n")[0].decode("latin-1").strip())
    return Look(Reach.SILENT)


def _chosen_protocol(base_url: str) -> str | None:
    """Return what a server chooses if it is offered HTTP/2 as well."""
    context = _trusting()
    context.set_alpn_protocols(["h2", "http/1.1"])
    host = urlsplit(base_url).hostname
    with (
        suppress(OSError),
        _connected(base_url) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        return encrypted.selected_alpn_protocol()
    return None


def speaks_tls(base_url: str) -> bool:
    """Return whether the port of an http address speaks TLS. A handshake is made, and nothing sent."""
    with suppress(OSError), _connected(base_url) as connection:
        _trusting().wrap_socket(connection).close()
        return True
    return False


def speaks_http(base_url: str) -> bool:
    """Return whether the port of an https address answers HTTP without TLS."""
    with suppress(OSError), _connected(base_url) as connection:
        connection.sendall(QUESTION)
        return connection.recv(5) == b"HTTP/"
    return False


def _trusting() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _connected(base_url: str) -> socket.socket:
    parts = urlsplit(base_url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    return socket.create_connection((parts.hostname, port), SECONDS)
