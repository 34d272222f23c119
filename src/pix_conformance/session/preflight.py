"""The preflight: before the tests, each credential is tried with one or two requests.

If the address is wrong or a login is refused, the tests of that API do not run, and one sentence says why. This happens
only if two requests agree that nothing responds, that another service responds, or that the credential is refused.
Every other error of a service is judged by the tests.
"""

import re
from collections.abc import Callable, Iterator
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pix_conformance.checks.clocks import clock_ahead, in_words, wanted_wait
from pix_conformance.harness.clients.client import Client
from pix_conformance.harness.current_test import PREFLIGHT
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import Run
from pix_conformance.harness.transport.faults import NOT_HTTP, OF_PROXY, UNCONNECTED, UNSENDABLE
from pix_conformance.model.exchange import NO_ROUTE, Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.reach import Reach
from pix_conformance.model.subject import MISSING
from pix_conformance.model.undecided import SERVER_ERROR, TOO_MANY, UNAUTHORIZED, UNAVAILABLE, is_page
from pix_conformance.model.vocabulary import Role
from pix_conformance.recording.facts import Unusable
from pix_conformance.session.diagnoses import Diagnosis, Problem
from pix_conformance.session.doubtful_values import doubtful_credential, doubtful_values
from pix_conformance.session.first_connection import look_at, speaks_http, speaks_tls

REFUSED = frozenset({401, 403})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PROXY_LOGIN = 407
PAUSE_S, LONGEST_PAUSE_S = 1.0, 5.0
"""Seconds before the second request to a target that did not respond, or was not available."""
PLACE_IN_SSL = re.compile(r" \(_ssl\.c:\d+\)$")
"""Where in Python's source a TLS error arose."""


def try_credentials(run: Run) -> list[Problem]:
    """Try every credential, and each route of an API of which none seems to be built. Return what is wrong."""
    return list(look_at_credentials(run, tries_routes=True))


def look_at_credentials(run: Run, *, tries_routes: bool = False) -> Iterator[Problem]:
    """Try every credential; record in `run.clients` which ones work. Yield what is wrong."""
    test = run.current_test
    node, requirements = test.node, test.requirements
    test.begin(PREFLIGHT)
    run.clients.access += [f"requests go through the proxy {run.sender.proxy}"] if run.sender.proxy else []
    try:
        for (api, role), client in run.clients.by_role.items():
            if (api, role) not in run.clients.unusable:
                yield from _probe(run, client, tries_routes=tries_routes)
            state = run.clients.unusable.get((api, role), "accepted")
            run.clients.access.append(f"{api}, {role.replace('_', ' ')} ({client.profile.names(role)}): {state}")
    finally:
        test.begin(node, requirements)
    further = [*doubtful_values(run.settings)]
    if ahead := clock_ahead(run.sender.facts.exchanges):
        further.append(Diagnosis.CLOCK.of(ahead=in_words(ahead)))
    run.clients.access += map(str, further)
    yield from further


def _probe(run: Run, client: Client, *, tries_routes: bool) -> list[Problem]:
    """Try one credential. If it cannot be used, store the reason in `run.clients.unusable` and return it."""
    asked: list[Exchange] = []

    def ask(send: Callable[[], Exchange]) -> Exchange:
        asked.append(send())
        return asked[-1]

    own = frozenset({client.role})
    try:
        result = _found(client, ask, tries_routes=tries_routes)
    except (Inconclusive, NotApplicable) as why:
        result = Diagnosis.NOT_ASKED.of(why=why), own if asked or isinstance(why, NotApplicable) else EVERY_ROLE
    if result is None:
        for exchange in asked:
            run.sender.recorder.judge(exchange)
        return []
    problem, roles = result
    everywhere = roles == EVERY_ROLE and not any(exchange.status for exchange in asked[-1:])
    for api, role in run.clients.by_role:
        if everywhere or (api is client.api and role in roles):
            run.clients.unusable[api, role] = str(problem)
    if client.role in roles and Role.MERCHANT in roles:
        apis = run.target.apis if everywhere else [client.api]
        for api in apis:
            run.sender.facts.add(Unusable(api, str(problem)))
    return [problem]


Found = tuple[Problem, frozenset[Role]] | None
"""Why a credential cannot be used, and for which roles that holds. None: the tests decide."""
EVERY_ROLE = frozenset(Role)


def _found(client: Client, ask: Callable[[Callable[[], Exchange]], Exchange], *, tries_routes: bool) -> Found:
    first = ask(client.probe)
    if first.ok and not is_page(first):
        return None
    if first.status is None or first.status in {*UNAVAILABLE, TOO_MANY}:
        wanted = wanted_wait(first)
        client.sender.waits.pause(PAUSE_S if wanted is None else min(LONGEST_PAUSE_S, max(0.0, wanted)))
    second = ask(lambda: client.probe_again(first))
    if {first.status, second.status} <= NO_ROUTE:
        is_decided = client.role is not Role.MERCHANT or _has_route(client, ask, tries_all=tries_routes)
        return None if is_decided else (_no_route(client, first), EVERY_ROLE)
    return _conclusion(client, first, second)


def _has_route(client: Client, ask: Callable[[Callable[[], Exchange]], Exchange], *, tries_all: bool) -> bool:
    """Return whether a route of this API answers, if asked without a credential, as one that is built."""
    questions = client.questions_to_routes()
    return any(ask(question).status not in NO_ROUTE for question in (questions if tries_all else questions[:1]))


def _no_route(client: Client, first: Exchange) -> Problem:
    url = client.sender.target.base_url
    if client.sender.proxy is None and _is_https(url):
        return Diagnosis.IS_HTTPS.of(url=url, other=_with_scheme(url, "https"))
    return Diagnosis.NOTHING_BUILT.of(url=url, route=client.probed, status=first.status, api=client.api)


def _conclusion(client: Client, first: Exchange, second: Exchange) -> Found:
    """Return why the credential cannot be used, if both responses show the same reason."""
    own, statuses = frozenset({client.role}), {first.status, second.status}
    if first.fault == UNSENDABLE:
        return Diagnosis.UNSENDABLE.of(names=client.profile.names(client.role)), own
    if statuses == {None} or (client.sender.proxy and statuses == {PROXY_LOGIN}):
        return _no_answer(client, first), EVERY_ROLE
    if all(map(is_other_service, (first, second))):
        return _other_service(client, first), EVERY_ROLE
    if statuses <= UNAVAILABLE:
        proxy = client.sender.proxy
        unavailable = Diagnosis.PROXY_UNAVAILABLE if proxy else Diagnosis.UNAVAILABLE
        return unavailable.of(status=first.status, url=first.request.url, proxy=proxy), EVERY_ROLE
    if statuses == {TOO_MANY}:
        seconds = wanted_wait(first)
        wait = "some minutes" if seconds is None else f"{max(0.0, seconds):.0f} s"
        return Diagnosis.LIMITED.of(route=client.probed, wait=wait), own
    return (_refused(client, first), own) if statuses <= REFUSED else None


def _refused(client: Client, first: Exchange) -> Problem:
    if doubt := next(doubtful_credential(client.profile, client.role, client.credential), None):
        return doubt
    if client.is_swapped(first):
        return Diagnosis.SWAPPED.of(names=client.profile.names(client.role))
    url, evidence = client.sender.target.base_url, first.evidence
    refused = Diagnosis.REFUSED if first.status == UNAUTHORIZED else Diagnosis.FORBIDDEN
    refused = Diagnosis.REFUSED_AT_PATH if urlsplit(url).path else refused
    return refused.of(attempt=client.attempt, status=first.status, evidence=evidence, url=url)


def _no_answer(client: Client, exchange: Exchange) -> Problem:
    target = client.sender.target
    url, fault = target.base_url, PLACE_IN_SSL.sub("", exchange.fault or "")
    if client.sender.proxy:
        return _of_proxy(exchange, fault).of(url=url, proxy=client.sender.proxy, fault=fault)
    look = look_at(url, target.client_cert)
    if look.reach is Reach.NO_TLS and speaks_http(url):
        return Diagnosis.IS_HTTP.of(url=url, other=_with_scheme(url, "http"))
    if look.reach is Reach.SILENT and _is_https(url):
        return Diagnosis.IS_HTTPS.of(url=url, other=_with_scheme(url, "https"))
    diagnosis = Diagnosis[look.reach.name]
    if look.begins and not fault.startswith(NOT_HTTP):  # such as a line alone, which may be the first of a response
        fault = f"{NOT_HTTP}it begins with {look.begins!r}"
    if look.reach is Reach.SILENT and fault.startswith(NOT_HTTP):
        diagnosis = Diagnosis.NO_HTTP_CAME
    return diagnosis.of(url=url, fault=fault, alert=look.alert)


def _of_proxy(exchange: Exchange, fault: str) -> Diagnosis:
    if exchange.status == PROXY_LOGIN or fault.startswith(f"{OF_PROXY}{PROXY_LOGIN}"):
        return Diagnosis.PROXY_LOGIN
    if fault.startswith(UNCONNECTED):
        return Diagnosis.PROXY_CLOSED
    return Diagnosis.PROXY_REFUSED if fault.startswith(OF_PROXY) else Diagnosis.PROXY


def _is_https(url: str) -> bool:
    return urlsplit(url).scheme == "http" and speaks_tls(url)


def _with_scheme(url: str, scheme: str) -> str:
    return urlunsplit(urlsplit(url)._replace(scheme=scheme))


def _other_service(client: Client, exchange: Exchange) -> Problem:
    url, route, location = client.sender.target.base_url, client.probed, exchange.header("location") or ""
    moved, base = _split(location), urlsplit(url)
    if exchange.status in REDIRECTS and (moved.scheme, base.scheme, moved.hostname) == ("https", "http", base.hostname):
        address = urlunsplit(base._replace(scheme="https", netloc=moved.netloc))
        return Diagnosis.MOVED_TO_HTTPS.of(url=url, other=address)
    if exchange.status in REDIRECTS:
        return Diagnosis.REDIRECTED.of(route=route, to=f" to {location}" if location else "")
    if client.sender.proxy is None and _is_https(url):
        return Diagnosis.IS_HTTPS.of(url=url, other=_with_scheme(url, "https"))
    other = Diagnosis.PAGE if is_page(exchange) else Diagnosis.NOTHING_BUILT
    return other.of(url=url, route=route, status=exchange.status, api=exchange.api)


def _split(location: str) -> SplitResult:
    """Split an address that the target names; one that cannot be split is as an empty one."""
    try:
        return urlsplit(location)
    except ValueError:
        return urlsplit("")


def is_other_service(exchange: Exchange) -> bool:
    """Return whether a response is not of this API: a redirect, a web page, or a 404 without the API's error field."""
    if exchange.status is None or exchange.status >= SERVER_ERROR:
        return False
    form = exchange.at(PROFILES[exchange.api].error_field)
    unknown_route = exchange.status in NO_ROUTE and (form is MISSING or not isinstance(form, str))
    return exchange.status in REDIRECTS or is_page(exchange) or unknown_route
