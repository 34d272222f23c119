"""The recording transport: sends each request and records the exchange. It follows no redirect and keeps no cookie."""

import ssl
import time
from collections.abc import Callable, Container, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import httpcore
import httpx

from pix_conformance.checks.clocks import clock_ahead, wanted_wait
from pix_conformance.checks.conclusion import Undecided, Unknown, why_undecided
from pix_conformance.checks.unanswered import DROPPED
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.transport import environment
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.transport.deadline import BoundedBackend, Deadline
from pix_conformance.harness.transport.faults import LONGEST_READ_S, fault_of
from pix_conformance.harness.transport.gateway import ATTEMPTS, FIRST_PAUSE_S, GatewayResponses
from pix_conformance.harness.transport.network_faults import FaultyBackend
from pix_conformance.harness.transport.pacing import Pacer
from pix_conformance.harness.transport.proxies import Proxy
from pix_conformance.harness.transport.silence import Silence
from pix_conformance.model.exchange import Exchange, NetworkFault, Request, Response, key_of
from pix_conformance.model.operations import Effect, find
from pix_conformance.model.undecided import TOO_MANY, is_not_passed_on, is_of_gateway
from pix_conformance.model.vocabulary import Api, Role, Secret
from pix_conformance.model.why import Why

LARGEST_ANSWER = 8_388_608
LONGEST_ANSWER_S = 20.0
LONGEST_FAULT = 300
TIMEOUT = httpx.Timeout(LONGEST_READ_S, connect=5.0)
IDLE_CONNECTION_S = 1.0
AFTER_CUT_S = 0.3
"""Seconds from a request with a fault to the next one: most services have noticed by then that the connection broke."""
PROBE = "probe"
"""What the exchanges have in the place of a test that ask whether the target still answers."""
CONFLICT = 409
HEADER_OF_SETTING = "<PIX_HEADERS>"
"""What is recorded in place of the value of a header that the settings name."""


def authorities(client_certificate: str = "") -> ssl.SSLContext:
    """Return a TLS context with the authorities that httpx trusts, and with a client certificate if one is named.

    Each choice is loaded once, since that is slow. Raises UsageError for a file that cannot be used.
    """
    return _loaded(environment.read(), client_certificate)


@cache
def _loaded(variables: environment.ConnectionVariables, client_certificate: str) -> ssl.SSLContext:
    variables.check()
    return new_context(client_certificate)


def new_context(client_certificate: str) -> ssl.SSLContext:
    """Return such a context of which nothing is shared. Raises UsageError for a client certificate without use."""
    context = httpx.create_ssl_context()
    if client_certificate:
        environment.load_client_certificate(context, client_certificate)
    return context


@dataclass
class RequestContext:
    """What the client knows about a request beyond HTTP."""

    api: Api
    role: Role
    operation: str | None
    credential: str
    group: str | None = None
    """Names the simultaneous requests of which it is one."""
    formula: str = ""
    """How its credential was computed, for the line that sends it again."""
    login: int = 0
    """The number of the exchange that gave its token."""
    refused_before: int = 0
    """The number of the exchange in which its token was refused before."""
    asks_about_credential: bool = False
    """Whether a test chose the credential: the request shows whether that is accepted, not the balance."""
    network_fault: NetworkFault | None = None
    """What is done to the request on purpose."""
    is_foreign: bool = False
    """Whether it queries an object that this run did not create."""
    before_sending: Callable[[], None] | None = None
    """Called once the connection is open, before the first byte of the request."""

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Take an event of httpcore, of which this is the trace; the CONNECT of a proxy is not the request."""
        is_head = event.endswith("send_request_headers.started")
        if self.before_sending and is_head and info["request"].method != b"CONNECT":
            self.before_sending()


@dataclass(frozen=True)
class Way:
    """By what way requests go to a target."""

    proxy: Proxy | None = None
    client_certificate: str = ""
    headers: Mapping[str, Secret] = field(default_factory=dict)
    """The headers that the settings name, in lower case; their values are not recorded."""


class RecordingTransport:
    """Sends requests by httpx's transport and records every exchange."""

    def __init__(self, test: CurrentTest, pacer: Pacer, allowance: Allowance, way: Way) -> None:
        """Record what a test sends at the rate of `pacer`, within `allowance`.

        TLS is verified; SSL_CERT_FILE names other authorities.
        """
        self._way = way
        self._test, self._pacer, self._allowance = test, pacer, allowance
        self._gateway = GatewayResponses()
        self._deadline = Deadline()
        self._backend = BoundedBackend(self._deadline)
        self._inner = self._transport(self._backend)
        self._interruption = pacer.waits.interruption
        self._interruption.cuts.append(self._backend.cut)
        self.silence = Silence(self._ask_again, pacer.waits, self._backend.cut)
        """Whether the target has stopped; looked for once `silence.watch` is called."""

    def _transport(self, backend: httpcore.NetworkBackend) -> httpx.HTTPTransport:
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=32, keepalive_expiry=IDLE_CONNECTION_S)
        proxy = self._way.proxy.url if self._way.proxy else None
        transport = httpx.HTTPTransport(verify=authorities(self._way.client_certificate), limits=limits, proxy=proxy)
        transport._pool._network_backend = backend  # noqa: SLF001  # httpx has no option for the backend
        return transport

    def send(self, request: httpx.Request, context: RequestContext) -> Exchange:
        """Send the request, again after each 429, and once more if the connection was closed before a response.

        The latter only if it neither moves money nor changes an object. After a timeout it is not sent again: the
        exchange without a response is returned, and `expect` makes its requirements inconclusive.
        A request that a gateway answered is sent again up to ATTEMPTS times if the target did not get it, or if a
        second one does no harm: a GET, one with an idempotency key, a login, a charge of the sandbox.

        Raises Undecided if the last response is that of a rate limit or of a gateway, unless the request is one of
        simultaneous ones, which are compared with each other; while the target is not asked because of several faults
        in a row; and if the request would exceed what the run may send. A request with a network fault is sent as that
        says, and not again.
        """
        if context.network_fault:
            cut = self._send(request, context)
            if not cut.network_fault:
                raise Undecided(Why.NO_ANSWER, f"the request could not be sent ({cut.evidence}): {cut.fault}")
            if cut.is_cut:
                self._pacer.waits.pause(AFTER_CUT_S)
            return cut
        first: Exchange | None = None
        for attempt in range(1_000):
            exchange = self._send_again_if_dropped(request, context)
            self._gateway.note(exchange)
            if is_of_gateway(exchange) and self._may_be_repeated(exchange, context, attempt):
                first = first or (None if is_not_passed_on(exchange) else exchange)
                self._pacer.waits.pause(FIRST_PAUSE_S * 2**attempt)
            elif exchange.status != TOO_MANY or not self._pacer.wait_or_give_up(self._wanted_wait(exchange), attempt):
                break
        if unknown := self._undecided(exchange, context, first):
            raise Undecided(unknown.why, unknown.sentence)
        return exchange

    def _wanted_wait(self, exchange: Exchange) -> float | None:
        """Return the seconds that a response asks to wait for, by the clock of the target as far as it shows it."""
        return wanted_wait(exchange, clock_ahead(self._test.facts.exchanges))

    def _may_be_repeated(self, exchange: Exchange, context: RequestContext, attempt: int) -> bool:
        """Return whether a request that a gateway answered is sent again."""
        if attempt + 1 >= ATTEMPTS or self._test.is_first_look:
            return False
        if exchange.request.method == "GET" or is_not_passed_on(exchange):
            return True
        row = find(context.api, context.operation)
        harmless = row is not None and row.is_repeatable and context.role is not Role.LIVE_MERCHANT
        return context.group is None and (harmless or bool(key_of(exchange.request)))

    def _undecided(self, exchange: Exchange, context: RequestContext, first: Exchange | None) -> Unknown | None:
        """Return why a response decides nothing; `first` is the first of a gateway that may have passed it on.

        None if there is no response: tests of a lost response need the exchange.
        """
        if self._test.is_first_look or context.group is not None:
            return None
        if first and exchange.status == CONFLICT and (of_gateway := why_undecided(first)):
            after = f"it may have passed it on, so the 409 to a second one says nothing ({exchange.evidence})"
            return Unknown(Why.GATEWAY, f"{of_gateway.sentence}; {after}")
        if exchange.status is None or self._gateway.count_as_the_targets(exchange):
            return None
        return why_undecided(exchange, self._pacer.why_given_up)

    def _send_again_if_dropped(self, request: httpx.Request, context: RequestContext) -> Exchange:
        exchange = self._send(request, context)
        is_dropped = (exchange.fault or "").startswith(DROPPED)
        row = find(context.api, context.operation)
        if is_dropped and not (row and (row.moves_money or row.effect is Effect.CHANGES)):
            return self._send(request, context)
        return exchange

    def _send(self, request: httpx.Request, context: RequestContext) -> Exchange:
        self._interruption.check()
        if stop := self.silence.stops.get(context.api):
            raise Undecided(Why.NO_ANSWER, stop.words)
        if self._pacer.is_paused(context.operation):
            raise Undecided(Why.NO_ANSWER, f"the target does not answer ({self._pacer.last_fault}); see its log")
        self._allowance.take(context.operation, request.content)
        self._pacer.wait_for_slot()
        number, test = self._test.recorder.next_id(), self._test.node
        started, begun = time.time(), time.monotonic()
        with self.silence.waiting(number, context.api):
            faulty = context.network_fault
            response, fault = self._send_with_fault(request, faulty) if faulty else self._response_or_fault(request)
        elapsed = time.monotonic() - begun
        exchange = Exchange(
            id=number,
            api=context.api,
            role=context.role,
            operation=context.operation,
            test=test,
            started=started,
            elapsed_ms=elapsed * 1000,
            request=_sent(request, context, self._way.headers),
            response=response,
            fault=fault,
            group=context.group,
            is_foreign=context.is_foreign,
            current_test=self._test,
        )
        self._test.recorder.record(exchange, is_judged=not self._test.is_first_look)
        self._pacer.waits.on_progress()
        refused = response is not None and not exchange.ok
        self._allowance.settle(context.operation, request.content, refused=refused)
        if response:
            self.silence.note_response(exchange)
            self._pacer.record_answer(context.operation, elapsed, limited=response.status == TOO_MANY)
        else:
            if not exchange.network_fault:
                self._pacer.record_fault(fault or "", context.operation, elapsed)
                self.silence.explain_loss(exchange)
            self._interruption.check()
        return exchange

    def _ask_again(self, query: Exchange, seconds: float) -> Exchange:
        """Send a query once more and record it; its response is judged by nothing."""
        given = {name: value.reveal() for name, value in self._way.headers.items()}
        headers = [(name, given.get(name.lower(), value)) for name, value in query.request.headers]
        request = httpx.Request(query.request.method, query.request.url, headers=headers)
        request.extensions["timeout"] = TIMEOUT.as_dict()
        number, started, begun = self._test.recorder.next_id(), time.time(), time.monotonic()
        response, fault = self._response_or_fault(request, seconds=seconds)
        probe = replace(
            query,
            id=number,
            test=PROBE,
            started=started,
            elapsed_ms=(time.monotonic() - begun) * 1000,
            response=response,
            fault=fault,
            group=None,
        )
        self._test.recorder.record(probe, is_judged=False)
        if response:
            self.silence.note_response(probe)
        return probe

    def _send_with_fault(self, request: httpx.Request, fault: NetworkFault) -> tuple[Response | None, str | None]:
        """Send a request with a fault; return the response, if it is not cut, and the fault, or what kept it back."""
        is_tls = request.url.scheme == "https"
        backend = FaultyBackend(fault, self._backend, self._pacer.waits.pause, is_tls=is_tls)
        with closing(self._transport(backend)) as transport:
            response, other = self._response_or_fault(request, transport)
        return response, fault if response or backend.has_cut else other

    def _response_or_fault(
        self, request: httpx.Request, transport: httpx.HTTPTransport | None = None, seconds: float = LONGEST_ANSWER_S
    ) -> tuple[Response | None, str | None]:
        self._deadline.at = time.monotonic() + self._interruption.longest(seconds)
        answer: httpx.Response | None = None
        try:
            answer = (transport or self._inner).handle_request(request)
            body, fault = _read(answer)
            if fault:
                return None, fault
            headers = tuple((k.decode("latin-1"), v.decode("latin-1")) for k, v in answer.headers.raw)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError, ValueError) as reason:
            if time.monotonic() >= self._deadline.at:
                return None, f"the response was not complete after {seconds:.0f} s"
            return None, fault_of(reason, has_head=answer is not None)[:LONGEST_FAULT]
        return Response(answer.status_code, headers, body, len(body)), None

    def close(self) -> None:
        """Close every connection to the target."""
        self._inner.close()


def _read(answer: httpx.Response) -> tuple[bytes, str | None]:
    """Read and decode a body of at most LARGEST_ANSWER bytes. Nested content codings are refused."""
    body = bytearray()
    try:
        if "," in (coding := answer.headers.get("content-encoding", "")):
            return b"", f"the response has several content codings: {coding}"[:LONGEST_FAULT]
        for chunk in answer.iter_bytes():
            body += chunk
            if len(body) > LARGEST_ANSWER:
                return b"", f"the response body is larger than {LARGEST_ANSWER} bytes"
    finally:
        answer.close()
    return bytes(body), None


def _sent(request: httpx.Request, context: RequestContext, secret_headers: Container[str]) -> Request:
    headers = tuple(
        (name, HEADER_OF_SETTING if name.lower() in secret_headers else value) for name, value in _headers(request)
    )
    words = (context.credential, context.formula, context.login, context.refused_before)
    return Request(request.method, str(request.url), headers, request.content, *words)


def _headers(request: httpx.Request) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw)
