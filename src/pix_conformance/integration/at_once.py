"""Sends several requests so that they arrive at the same moment: all but the last byte of each, then these bytes."""

import ssl
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from pix_conformance.model.exchange import Request, Response

LONGEST_ANSWER = 10_000
LONGEST_MEANWHILE_S = 1.0
LEAST_S = 0.001


@dataclass(frozen=True)
class HookAnswer:
    """What came of a request: the response, or None and why there is none."""

    response: Response | None
    fault: str | None = None
    is_late: bool = False
    """Whether there is none because it did not come in time."""


def late(seconds: float) -> HookAnswer:
    """Return the answer of an endpoint that gave none in time."""
    return HookAnswer(None, f"the endpoint did not answer within {seconds:g} s", is_late=True)


def not_sent(reason: Exception) -> HookAnswer:
    """Return the answer of an endpoint whose connection failed."""
    return HookAnswer(None, f"{type(reason).__name__}: {reason}")


def send_at_once(requests: Sequence[Request], verify: ssl.SSLContext, seconds: float) -> list[HookAnswer]:
    """Send requests that have a body; return what came of each. All answers together have `seconds`."""
    ends = time.monotonic() + seconds
    connections = [_begun(request, verify, seconds) for request in requests]
    for connection, request in zip(connections, requests, strict=True):
        if isinstance(connection, HTTPConnection):
            with suppress(OSError):
                connection.send(request.body[-1:])
    return [_answer(connection, seconds, ends) for connection in connections]


def send_within(
    request: Request, other: Callable[[], HookAnswer], verify: ssl.SSLContext, seconds: float
) -> tuple[HookAnswer, HookAnswer]:
    """Send all of a request but its last byte, then `other`, then the byte; return what came of both.

    The byte follows when `other` was answered, or LONGEST_MEANWHILE_S later: an endpoint may do one thing at a time.
    """
    connection = _begun(request, verify, seconds)
    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(other)
        wait([answering], LONGEST_MEANWHILE_S)
        if isinstance(connection, HTTPConnection):
            with suppress(OSError):
                connection.send(request.body[-1:])
        return _answer(connection, seconds, time.monotonic() + seconds), answering.result()


def _begun(request: Request, verify: ssl.SSLContext, seconds: float) -> HTTPConnection | HookAnswer:
    """Send a request but for its last byte; return the connection, or why it could not be sent."""
    at = urlsplit(request.url)
    host, path = at.hostname or "", f"{at.path or '/'}{f'?{at.query}' if at.query else ''}"
    connection = (
        HTTPSConnection(host, at.port, timeout=seconds, context=verify)
        if at.scheme == "https"
        else HTTPConnection(host, at.port, timeout=seconds)
    )
    try:
        connection.putrequest(request.method, path, skip_accept_encoding=True)
        for name, value in request.headers:
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body[:-1])
    except OSError as reason:
        connection.close()
        return not_sent(reason)
    return connection


def _answer(connection: HTTPConnection | HookAnswer, seconds: float, ends: float) -> HookAnswer:
    if isinstance(connection, HookAnswer):
        return connection
    try:
        if connection.sock:
            connection.sock.settimeout(max(LEAST_S, ends - time.monotonic()))
        answer = connection.getresponse()
        body = answer.read()
        return HookAnswer(Response(answer.status, tuple(answer.getheaders()), body[:LONGEST_ANSWER], len(body)))
    except TimeoutError:
        return late(seconds)
    except (OSError, HTTPException) as reason:
        return not_sent(reason)
    finally:
        connection.close()
