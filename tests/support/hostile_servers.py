"""Servers that break HTTP: each is a raw socket that treats every connection in the same way."""

import gzip
import os
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import trustme

Treatment = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
CHUNK = 65_536


@contextmanager
def raw(treatment: Treatment, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Accept connections on a free loopback port and treat each in a thread; yield host:port."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        threading.Thread(target=_accept, args=(listening, treatment, tls), daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def _accept(listening: socket.socket, treatment: Treatment, tls: ssl.SSLContext | None) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_treat, args=(connection, treatment, tls), daemon=True).start()


def _treat(connection: socket.socket, treatment: Treatment, tls: ssl.SSLContext | None) -> None:
    with suppress(OSError), connection:
        connection.settimeout(60)
        with tls.wrap_socket(connection, server_side=True) if tls else connection as used:
            treatment(used)


def asked(connection: socket.socket) -> bytes:
    """Read one request, at most 64 KiB of it."""
    received = connection.recv(CHUNK)
    while b"\r\n\r\n" not in received and (more := connection.recv(CHUNK)):
        received += more
    return received


def saying(answer: bytes, *, reads_head: bool = True) -> Treatment:
    """Answer one request, or any bytes, HTTP or not, with these bytes, then close."""

    def treat(connection: socket.socket) -> None:
        if reads_head:
            asked(connection)
        else:
            connection.recv(CHUNK)
        connection.sendall(answer)

    return treat


def endless(connection: socket.socket) -> None:
    """Send a body without end, as fast as it is read."""
    asked(connection)
    connection.sendall(OK + b"\r\n")
    while True:
        connection.sendall(b"x" * CHUNK)


def huge(connection: socket.socket) -> None:
    """Send a body of 100 MB with its Content-Length."""
    asked(connection)
    connection.sendall(OK + b"content-length: 100000000\r\n\r\n")
    for _ in range(100_000_000 // CHUNK + 1):
        connection.sendall(b" " * CHUNK)


def dripping(head: bytes) -> Treatment:
    """Send this head at once, then a byte every 0.2 s, for longer than any timeout."""

    def treat(connection: socket.socket) -> None:
        asked(connection)
        connection.sendall(head)
        for _ in range(1_500):
            connection.sendall(b"x")
            time.sleep(0.2)

    return treat


def mute(connection: socket.socket) -> None:
    """Read the request and never answer."""
    asked(connection)
    connection.recv(1)


def reset(connection: socket.socket) -> None:
    """Reset the connection in the middle of a response."""
    asked(connection)
    connection.sendall(OK + b'content-length: 1000\r\n\r\n{"id": "')
    time.sleep(0.01)  # so that the reset does not overtake the bytes
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def echo(connection: socket.socket) -> None:
    """Send the request back, as the body of a response."""
    body = asked(connection).partition(b"\r\n\r\n")[2]
    connection.sendall(OK + b"content-length: %d\r\n\r\n" % len(body) + body)


def noise(connection: socket.socket) -> None:
    """Send bytes that are not HTTP."""
    asked(connection)
    connection.sendall(os.urandom(2_000))


def bomb(megabytes: int) -> bytes:
    """Return that many megabytes of spaces, compressed twice."""
    return gzip.compress(gzip.compress(b" " * 1_048_576 * megabytes))


def closing(status: str, body: bytes, *headers: str) -> Treatment:
    """Answer with a status line, headers and a complete body."""
    lines = "".join(f"{header}\r\n" for header in headers)
    return saying(f"HTTP/1.1 {status}\r\n{lines}content-length: {len(body)}\r\n\r\n".encode() + body)


def self_signed() -> ssl.SSLContext:
    """Return a TLS context with a certificate for 127.0.0.1 of an untrusted authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context
