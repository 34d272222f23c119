"""A forward proxy: it passes on requests for http addresses, and tunnels connections (CONNECT) for https."""

import contextlib
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.support.servers import pass_on, serving


@dataclass
class ProxyRequest:
    """The address of a proxy, and the request lines that it was sent."""

    url: str = ""
    lines: list[str] = field(default_factory=list)
    credentials: list[str | None] = field(default_factory=list)


@contextmanager
def proxy(host: str, upstream: str) -> Iterator[ProxyRequest]:
    """Serve a proxy for the block that knows one host, at `upstream` (host:port)."""
    asked = ProxyRequest()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.lines.append(f"{handler.command} {handler.path}")
        asked.credentials.append(handler.headers.get("proxy-authorization"))
        if handler.command == "CONNECT":
            _tunnel(handler, host, upstream)
        else:
            where = urlsplit(handler.path)
            if where.netloc != host:
                return handler.send_error(502)
            pass_on(handler, upstream, where.path + (f"?{where.query}" if where.query else ""))
        return None

    with serving(answer) as asked.url:
        yield asked


def _tunnel(handler: BaseHTTPRequestHandler, host: str, upstream: str) -> None:
    if handler.path.partition(":")[0] != host:
        return handler.send_error(502)
    name, _, port = upstream.partition(":")
    with socket.create_connection((name, int(port))) as far:
        handler.send_response_only(200)
        handler.end_headers()
        near: socket.socket = handler.connection
        with contextlib.suppress(OSError):
            while ready := select.select([near, far], [], [], 20)[0]:
                for end in ready:
                    data = end.recv(65_536)
                    if not data:
                        return None
                    (far if end is near else near).sendall(data)
    return None
