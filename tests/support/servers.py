"""Small servers that answer every request in the same way."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Serve on a free loopback port for the block; yield the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            answer(self)

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_CONNECT = handle_one  # noqa: N815  # the names that http.server asks for

        def log_message(self, *_: object) -> None:
            """Be silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def always(status: int, body: bytes, content_type: str = "application/json", **headers: str) -> Answer:
    """Answer every request with one status and body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("content-length") or 0))
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ncontent-length: {len(body)}\r\n"
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        handler.wfile.write((head + more + "\r\n").encode() + body)

    return answer


def by_api(payments: bytes, business: bytes, status: int) -> Answer:
    """Answer each API with its own body."""
    ways = {True: always(status, business), False: always(status, payments)}
    return lambda handler: ways[handler.path.startswith("/v1/")](handler)


def pass_on(handler: BaseHTTPRequestHandler, upstream: str, path: str) -> None:
    """Send the request to `upstream` (host:port) and answer with its response, as a proxy or a gateway does.

    One whose body was cut is not sent on.
    """
    size = int(handler.headers.get("content-length") or 0)
    body = handler.rfile.read(size)
    if len(body) < size:
        handler.close_connection = True
        return
    headers = {name: value for name, value in handler.headers.items() if not name.lower().startswith(("proxy", "conn"))}
    with closing(http.client.HTTPConnection(upstream, timeout=20)) as connection:
        connection.request(handler.command, path, body or None, headers)
        response = connection.getresponse()
        content = response.read()
    handler.send_response_only(response.status)
    for name, value in response.getheaders():
        if name.lower() not in {"connection", "transfer-encoding", "content-length", "server"}:
            handler.send_header(name, value)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)
