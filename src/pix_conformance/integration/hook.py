"""The webhook endpoint of an integration: sends it requests, and waits for its answers, so that the run ends."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import httpx

from pix_conformance.harness.transport.recording import authorities
from pix_conformance.integration.at_once import LONGEST_ANSWER, HookAnswer, late, not_sent, send_at_once, send_within
from pix_conformance.model.exchange import CLOSED_BEFORE_ANSWER, NOT_AWAITED, Request, Response
from pix_conformance.model.target import is_loopback

ANSWER_S = 10.0
"""Seconds that an endpoint has for its answer (BUS-HOOK-02)."""
LATE_S, LEAST_S = 1.0, 0.1
"""Seconds that it has at least after one answer that was late, and after many of them."""
NEVER_ANSWERED_S = 0.02
"""Seconds that it has then if it never answered, and is on this machine, where a request arrives at once."""
LATE_ANSWERS = 2
CONNECT_S = 5.0


class AnswerWait:
    """How long an answer of one endpoint is waited for; each wait that was in vain counts once."""

    def __init__(self, silent: float = LEAST_S) -> None:
        """Take the seconds that an endpoint has after many answers that did not come, if none ever did."""
        self._lock, self._late, self._longest, self._silent = threading.Lock(), 0, 0.0, silent

    @property
    def seconds(self) -> float:
        """The seconds that the next answer has: ANSWER_S, until one was late; then by the longest that came in time."""
        if not self._late:
            return ANSWER_S
        usual = 2 * self._longest
        if self._late <= LATE_ANSWERS:
            return min(ANSWER_S, max(LATE_S, usual))
        return min(LATE_S, max(LEAST_S, usual)) if self._longest else self._silent

    def count(self, answers: Sequence[HookAnswer], seconds: float) -> None:
        """Count what came of one wait, for one answer or for several at the same time, which took so many seconds."""
        with self._lock:
            is_late = any(answer.is_late for answer in answers)
            self._late += is_late
            if any(answer.response for answer in answers):
                self._longest = max(self._longest, LEAST_S / 2 if is_late else seconds)


class Hook:
    """The webhook endpoint for one API."""

    def __init__(self, address: str) -> None:
        """Take its address. On this machine its certificate may be self-signed."""
        self._wait, self._verification = AnswerWait(_shortest_wait(address)), _verification(address)
        limits = httpx.Limits(max_connections=16, max_keepalive_connections=0)
        self._http = httpx.Client(verify=self._verification, trust_env=False, follow_redirects=False, limits=limits)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def post(self, request: Request) -> HookAnswer:
        """Send a request, and wait for its answer."""
        (answer,) = self._awaited(lambda seconds: [self._posted(request, seconds)])
        return answer

    def post_at_once(self, requests: Sequence[Request]) -> list[HookAnswer]:
        """Send requests so that they arrive at the same moment; return the answer to each."""
        return self._awaited(lambda seconds: send_at_once(requests, self._verification, seconds))

    def post_within(self, request: Request, other: Request) -> list[HookAnswer]:
        """Send a request whose last byte comes when another one has been sent, and answered; return both answers."""
        return self._awaited(
            lambda seconds: send_within(request, lambda: self._posted(other, seconds), self._verification, seconds)
        )

    def _awaited(self, send: Callable[[float], Sequence[HookAnswer]]) -> list[HookAnswer]:
        """Send with the seconds that an answer has now, which the next one has fewer of if it was late."""
        begun, seconds = time.monotonic(), self._wait.seconds
        answers = send(seconds)
        self._wait.count(answers, time.monotonic() - begun)
        return [_as_awaited(answer, seconds) for answer in answers]

    def post_and_close(self, request: Request) -> HookAnswer:
        """Send a request, and close the connection before the endpoint can have answered."""
        at = urlsplit(request.url)
        host, port = at.hostname or "", at.port or (443 if at.scheme == "https" else 80)
        lines = [f"POST {at.path or '/'}{f'?{at.query}' if at.query else ''} HTTP/1.1", f"Host: {at.netloc}"]
        lines += [f"{name}: {value}" for name, value in request.headers]
        content = "\r\n".join([*lines, f"Content-Length: {len(request.body)}", "", ""]).encode() + request.body
        try:
            with socket.create_connection((host, port), CONNECT_S) as plain:
                if at.scheme == "https":
                    with self._verification.wrap_socket(plain, server_hostname=host) as secure:
                        secure.sendall(content)
                else:
                    plain.sendall(content)
        except OSError as reason:
            return not_sent(reason)
        return HookAnswer(None, CLOSED_BEFORE_ANSWER)

    def _posted(self, request: Request, seconds: float) -> HookAnswer:
        ends, content = time.monotonic() + seconds, b""
        try:
            with self._http.stream(
                "POST", request.url, content=request.body, headers=request.headers, timeout=seconds
            ) as answer:
                for part in answer.iter_bytes():
                    content += part
                    if time.monotonic() > ends:
                        return late(seconds)
                    if len(content) > LONGEST_ANSWER:
                        break
        except httpx.TimeoutException:
            return late(seconds)
        except httpx.HTTPError as reason:
            return not_sent(reason)
        given = tuple(answer.headers.items())
        return HookAnswer(Response(answer.status_code, given, content[:LONGEST_ANSWER], len(content)))


def _as_awaited(answer: HookAnswer, seconds: float) -> HookAnswer:
    """Say of an answer that did not come whether it had less time than an endpoint may take."""
    return replace(answer, fault=NOT_AWAITED) if answer.is_late and seconds < ANSWER_S else answer


def _shortest_wait(address: str) -> float:
    at = urlsplit(address)
    return NEVER_ANSWERED_S if at.scheme == "http" and is_loopback(at.hostname or "") else LEAST_S


def _verification(address: str) -> ssl.SSLContext:
    """Return how the certificate of an endpoint is verified: on this machine it may be self-signed."""
    if not is_loopback(urlsplit(address).hostname or ""):
        return authorities()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
