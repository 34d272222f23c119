"""A look at an address without a credential, for a target that did not answer: name, port, TLS, the other scheme."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from urllib.parse import urlsplit

from pix_conformance.harness.transport.recording import authorities
from pix_conformance.model.reach import Reach, reach_of

SECONDS = 1.0
QUESTION = b"HEAD / HTTP/1.0\r\n\r\n"


def look_at(base_url: str) -> Reach:
    """Return how far a connection comes: SILENT if only the response is missing."""
    parts = urlsplit(base_url)
    try:
        with _connected(base_url) as connection:
            if parts.scheme == "https":
                authorities().wrap_socket(connection, server_hostname=parts.hostname).close()
    except (OSError, ValueError) as reason:
        return reach_of(reason)
    return Reach.SILENT


def speaks_tls(base_url: str) -> bool:
    """Return whether the port of an http address speaks TLS. A handshake is made, and nothing sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with suppress(OSError), _connected(base_url) as connection:
        context.wrap_socket(connection).close()
        return True
    return False


def speaks_http(base_url: str) -> bool:
    """Return whether the port of an https address answers HTTP without TLS."""
    with suppress(OSError), _connected(base_url) as connection:
        connection.sendall(QUESTION)
        return connection.recv(5) == b"HTTP/"
    return False


def _connected(base_url: str) -> socket.socket:
    parts = urlsplit(base_url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    return socket.create_connection((parts.hostname, port), SECONDS)
