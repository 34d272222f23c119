"""The listening socket and its threads: one that accepts and one for each connection; none after `stop`."""

import selectors
import socket
import ssl
from contextlib import suppress
from threading import Lock, Thread, current_thread

from pix_conformance.receiver.connection import Connection, ConnectionContext, shake_hands

_BACKLOG = 512
_STOP_S = 10.0
_FAREWELL_S = 0.2


class Listener:
    """Listens from its creation until `stop`."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None, site: ConnectionContext) -> None:
        """Listen. Raises OSError if the address cannot be used."""
        self._context = context
        self._site = site
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
        if len(self._open) >= self._site.limits.connections:
            self._site.log.note_refused_connection()
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
        if self._context:
            sock.settimeout(self._site.limits.handshake_s)
            if not sock.recv(1, socket.MSG_PEEK):
                return  # a connection without any byte, as monitoring opens them, is not a failed handshake
            sock = self._encrypt(sock, self._context)
            if not shake_hands(sock, self._site):
                return
        Connection(sock, self._site).serve()
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
