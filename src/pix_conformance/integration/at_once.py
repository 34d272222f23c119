"""Sends several requests so that they arrive at the same moment: all but the last byte of each, then these bytes."""

import ssl
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from pix_conformance.model.exchange import Request, Response

LONGEST_ANSWER = 10_000


def send_at_once(
    requests: Sequence[Request], verify: ssl.SSLContext, seconds: float
) -> list[tuple[Response | None, str | None]]:
    """Send requests that have a body, and return the response to each, or None and why there is none."""
    connections = [_begun(request, verify, seconds) for request in requests]
    for connection, request in zip(connections, requests, strict=True):
        if isinstance(connection, HTTPConnection):
            with suppress(OSError):
                connection.send(request.body[-1:])
    return [_answer(connection) for connection in connections]


def _begun(request: Request, verify: ssl.SSLContext, seconds: float) -> HTTPConnection | str:
    """Send a request but for its last byte; return why it could not be sent."""
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
        return f"{type(reason).__name__}: {reason}"
    return connection


def _answer(connection: HTTPConnection | str) -> tuple[Response | None, str | None]:
    if isinstance(connection, str):
        return None, connection
    try:
        answer = connection.getresponse()
        body = answer.read()
        return Response(answer.status, tuple(answer.getheaders()), body[:LONGEST_ANSWER], len(body)), None
    except TimeoutError:
        return None, f"the endpoint did not answer within {connection.timeout:.0f} s"
    except (OSError, HTTPException) as reason:
        return None, f"{type(reason).__name__}: {reason}"
    finally:
        connection.close()
