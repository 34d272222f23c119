"""A gateway before a right server: it answers a share of the requests itself."""

from __future__ import annotations

import http.client
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.support.servers import Answer, always, serving

PAGE = b"<html><head><title>503 Service Temporarily Unavailable</title></head></html>"
NOT_PASSED_ON = frozenset({"connection", "transfer-encoding", "content-length", "date", "server"})
Asked = Callable[[str, str], Answer | None]
"""What the gateway answers to a method and a path instead of the server; None to ask the server."""


@contextmanager
def gateway(upstream: str, asked: Asked, *, is_passed_on: bool = False) -> Iterator[str]:
    """Serve the upstream address behind a gateway for the block; yield the gateway's address.

    `is_passed_on`: the server also gets the requests that the gateway answers itself, as before a time-out.
    """
    where = urlsplit(upstream)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        own = asked(handler.command, handler.path)
        if own and not is_passed_on:
            return own(handler)
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
        headers = {name: value for name, value in handler.headers.items() if name.lower() != "connection"}
        connection.request(handler.command, handler.path, body or None, headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if own:
            handler.headers["content-length"] = "0"
            del handler.headers["content-length"]
            return own(handler)
        handler.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in NOT_PASSED_ON - {"date"}:
                handler.send_header(name, value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
        return None

    with serving(answer) as url:
        yield url


def share(percent: float, seed: int, status: int = 503) -> Asked:
    """Answer this share of the requests with a web page."""
    chance, lock, page = random.Random(seed), threading.Lock(), always(status, PAGE, "text/html")  # noqa: S311  # a test

    def asked(_method: str, _path: str) -> Answer | None:
        with lock:
            return page if chance.random() * 100 < percent else None

    return asked
