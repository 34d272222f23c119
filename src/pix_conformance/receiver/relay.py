"""One listening port for the receivers of all workers: a relay hands each request on to the worker of its path.

The relay is in the process that started the workers. A random path of the second worker and of later ones has its
number; what comes to any other path is for the first worker.
"""

import re
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, wait
from threading import Lock, Thread
from typing import Any

from pix_conformance.model.reception import RelayAddress
from pix_conformance.receiver.connection import ConnectionContext, Reply
from pix_conformance.receiver.http import Limits, ReceivedRequest
from pix_conformance.receiver.listening_port import ListeningPort

_MARK = "worker-{}-"
_WORKER = re.compile("/" + _MARK.format(r"(\d+)"))
_ENDED = Reply(200)
"""The response to what comes for a worker that has ended, or has not begun: no test waits for it."""


@dataclass(frozen=True)
class Arrived:
    """A request arrived, and its first byte at `received` (epoch seconds). A worker answers with a Reply."""

    request: ReceivedRequest
    received: float


@dataclass(frozen=True)
class Left:
    """The sender of a delivery closed the connection before the response, so many seconds after its first byte."""

    delivery: int
    seconds: float


@dataclass(frozen=True)
class FailedHandshake:
    """A TLS handshake failed, for this reason."""

    words: str


@dataclass(frozen=True)
class RefusedConnection:
    """A connection was closed because too many were open."""


Message = Arrived | Left | FailedHandshake | RefusedConnection


class Relay:
    """The port of a run with workers, in the process that started them."""

    def __init__(self, port: ListeningPort) -> None:
        self._port = port
        self._workers: dict[int, _Worker] = {}
        self._key = secrets.token_bytes(32)
        self._is_stopped = False

    def start(self) -> RelayAddress:
        """Listen. Return what a worker has to know. Raises OSError if the port cannot be used."""
        self._port.open(ConnectionContext(self._take, self, Limits()))
        self._joining = Listener(authkey=self._key)
        Thread(target=self._join_workers, name="relay", daemon=True).start()
        return RelayAddress(
            self._port.url, self._port.listening_url, self._port.certificate, self._joining.address, self._key
        )

    def stop(self) -> None:
        """Close the port."""
        self._is_stopped = True
        self._port.close()
        self._joining.close()

    def note_left(self, delivery: int, seconds: float) -> None:
        """Tell the worker that has the delivery that its sender has gone."""
        self._tell_all(Left(delivery, seconds))

    def note_handshake(self, words: str) -> None:
        """Tell all workers of a failed TLS handshake: for which of them it was is not known."""
        self._tell_all(FailedHandshake(words))

    def note_refused_connection(self) -> None:
        """Tell all workers of a connection that was closed because too many were open."""
        self._tell_all(RefusedConnection())

    def _take(self, request: ReceivedRequest, received: float) -> Reply:
        mark = _WORKER.search(request.target)
        worker = self._workers.get(int(mark[1]) if mark else 1)
        reply = worker.answer(Arrived(request, received)) if worker else None
        return reply if isinstance(reply, Reply) else _ENDED

    def _tell_all(self, message: Message) -> None:
        for worker in list(self._workers.values()):
            worker.answer(message)

    def _join_workers(self) -> None:
        """Take the connection of each worker, until the relay is stopped. One that ends meanwhile is no worker."""
        while not self._is_stopped:
            with suppress(OSError, EOFError, AuthenticationError):
                connection = self._joining.accept()
                self._workers[connection.recv()] = _Worker(connection)


class _Worker:
    """The connection to a worker, which answers one message at a time."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self._connection = connection
        self._lock = Lock()

    def answer(self, message: Message) -> Reply | None:
        """Return what the worker answers; None if it has ended, and for a message without an answer."""
        with self._lock, suppress(OSError, EOFError):
            self._connection.send(message)
            reply: Reply | None = self._connection.recv()
            return reply
        return None


class RelayedPort:
    """The port of a worker: its requests come from the relay."""

    def __init__(self, address: RelayAddress, number: int) -> None:
        """Take the address of the relay, and the number of this worker."""
        self.certificate = address.certificate
        self.mark = _MARK.format(number) if number > 1 else ""
        self.url, self.listening_url = address.url, address.listening_url
        self._address, self._number = address, number

    def open(self, context: ConnectionContext) -> None:
        """Take requests from the relay. Raises OSError if there is none."""
        self._connection = Client(self._address.socket, authkey=self._address.key)
        self._connection.send(self._number)
        self._wake, self._woken = socket.socketpair()
        self._thread = Thread(target=self._serve, args=(context,), name="relayed requests", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more requests."""
        self._wake.close()
        self._thread.join()

    def _serve(self, context: ConnectionContext) -> None:
        with self._connection as connection, self._woken as woken, suppress(OSError, EOFError):
            while woken not in wait([connection, woken]):
                message = connection.recv()
                reply: Reply | None = Reply(None)  # closes the connection of a delivery that cannot be recorded
                with suppress(OSError):
                    reply = _answer(message, context)
                connection.send(reply)


def _answer(message: Message, context: ConnectionContext) -> Reply | None:
    match message:
        case Arrived(request, received):
            return context.take(request, received)
        case Left(delivery, seconds):
            context.notes.note_left(delivery, seconds)
        case FailedHandshake(words):
            context.notes.note_handshake(words)
        case RefusedConnection():
            context.notes.note_refused_connection()
    return None
