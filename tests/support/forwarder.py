"""A plain TCP forwarder, as a tunnel is one."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def forwarder(port: int) -> Iterator[int]:
    """Forward connections to that port of this machine for the block; yield the forwarder's own port."""
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepting = threading.Thread(target=_accept, args=(server, port, threads))
        accepting.start()
        try:
            yield int(server.getsockname()[1])
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join(5)


def _accept(server: socket.socket, port: int, threads: list[threading.Thread]) -> None:
    with suppress(OSError):  # the end of the forwarder
        while True:
            near, _ = server.accept()
            try:
                far = socket.create_connection(("127.0.0.1", port), 2)
            except OSError:  # nothing listens yet
                near.close()
                continue
            threads.append(threading.Thread(target=_bridge, args=(near, far), daemon=True))
            threads[-1].start()


def _bridge(near: socket.socket, far: socket.socket) -> None:
    with near, far:
        back = threading.Thread(target=_copy, args=(far, near), daemon=True)
        back.start()
        _copy(near, far)
        back.join()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
