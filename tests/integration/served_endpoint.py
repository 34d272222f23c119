"""A webhook endpoint for the tests of the tool, served by this process."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answers = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def endpoint(answer: Answers, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve a webhook endpoint on a free port; give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            answer(self)

        def log_message(self, *_words: object) -> None:
            """Write no log."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

    server = Server((host, 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}/hook"
    server.shutdown()
    server.server_close()
