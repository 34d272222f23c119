"""The preflight: before the tests, each credential is tried with one or two requests.

If the address is wrong or a login is refused, the tests of that API do not run, and one sentence says why. This happens
only if two requests agree that nothing responds, that another service responds, or that the credential is refused.
Every other error of a service is judged by the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pix_conformance.harness.clients.client import Client
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import Run
from pix_conformance.harness.transport.proxies import Proxy
from pix_conformance.harness.transport.recording import UNSENDABLE
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import MISSING
from pix_conformance.model.undecided import SERVER_ERROR, UNAVAILABLE, is_page
from pix_conformance.model.vocabulary import Role

REFUSED = frozenset({401, 403})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NO_ROUTE = frozenset({404, 405, 410})
PAUSE_S, LONGEST_PAUSE_S = 1.0, 5.0
"""Seconds before the second request to a target that did not respond, or was not available."""
ADDRESS = "check PIX_BASE_URL"
PLACE_IN_SSL = re.compile(r" \(_ssl\.c:\d+\)$")
"""Where in Python's source a TLS error arose."""


def try_credentials(run: Run) -> None:
    """Try every credential; record in `run.access` and `run.unusable` which ones work."""
    test = run.recorder.test
    run.recorder.test, run.recorder.is_first_look = "preflight", True
    run.access += [f"requests go through the proxy {run.line.proxy}"] if run.line.proxy else []
    try:
        for (api, role), client in run.clients.items():
            if (api, role) not in run.unusable:
                _probe(run, client)
            state = run.unusable.get((api, role), "accepted")
            run.access.append(f"{api}, {role.replace('_', ' ')} ({client.profile.names(role)}): {state}")
    finally:
        run.recorder.test, run.recorder.is_first_look = test, False


def _probe(run: Run, client: Client) -> None:
    """Try one credential. If it cannot be used, store the reason in `run.unusable`."""
    asked: list[Exchange] = []

    def ask(send: Callable[[], Exchange]) -> Exchange:
        asked.append(send())
        return asked[-1]

    try:
        result = _found(client, ask)
    except (Inconclusive, NotApplicable) as why:
        result = str(why), frozenset({client.role})
    if result is None:
        for exchange in asked:
            run.recorder.passive.see(exchange)
        return
    reason, roles = result
    everywhere = not asked or (asked[-1].status is None and roles == EVERY_ROLE)
    for api, role in run.clients:
        if everywhere or (api is client.api and role in roles):
            run.unusable[api, role] = reason
    if client.role in roles and Role.MERCHANT in roles:
        run.recorder.unusable |= dict.fromkeys(run.target.apis if everywhere else [client.api], reason)


Found = tuple[str, frozenset[Role]] | None
"""Why a credential cannot be used, and for which roles that holds. None: the tests decide."""
EVERY_ROLE = frozenset(Role)


def _found(client: Client, ask: Callable[[Callable[[], Exchange]], Exchange]) -> Found:
    first = ask(client.probe)
    if first.ok and not is_page(first):
        return None
    _pause(client, first)
    return _conclusion(client, first, ask(lambda: client.probe_again(first)))


def _pause(client: Client, first: Exchange) -> None:
    """Wait before the second request if the target did not respond, or was not available."""
    wanted = first.header("retry-after") or ""
    if first.status is None or first.status in UNAVAILABLE:
        client.run.waits.pause(min(LONGEST_PAUSE_S, float(wanted)) if wanted.isdecimal() else PAUSE_S)


def _conclusion(client: Client, first: Exchange, second: Exchange) -> Found:
    """Return why the credential cannot be used, if both responses show the same reason."""
    both, url, own = (first, second), first.request.url, frozenset({client.role})
    if first.fault == UNSENDABLE:
        return f"no request can carry {client.profile.names(client.role)}: check its characters", own
    if all(exchange.status is None for exchange in both):
        return _no_answer(first, client.run.target.base_url, client.line.proxy), EVERY_ROLE
    if all(_is_other_service(exchange) for exchange in both) or (client.role is Role.MERCHANT and _have_no_route(both)):
        return _other_service(first, client.probed), EVERY_ROLE
    if all(exchange.status in UNAVAILABLE for exchange in both):
        return f"the service is not available ({first.status} from {url}): run again later", EVERY_ROLE
    if all(exchange.status in REFUSED for exchange in both):
        return _refused(client, first), own
    return None


def _refused(client: Client, first: Exchange) -> str:
    refused = f"{client.attempt} was refused ({first.status}, {first.evidence})"
    return client.why_refused(first) or f"{refused}: check that it belongs to {client.run.target.base_url}"


def _no_answer(exchange: Exchange, base_url: str, proxy: Proxy | None) -> str:
    fault = PLACE_IN_SSL.sub("", exchange.fault or "")
    if proxy:
        return f"no response from {base_url} through the proxy {proxy}: check it, NO_PROXY and PIX_BASE_URL ({fault})"
    if any(words in fault for words in ("getaddrinfo", "Name or service not known", "name resolution", "nodename")):
        return f"the host name in {base_url} cannot be resolved: {ADDRESS} ({fault})"
    if "SSL" in fault or "CERTIFICATE" in fault:
        return f"the TLS connection to {base_url} failed: {ADDRESS}, or set SSL_CERT_FILE ({fault})"
    if fault.startswith("Connect"):
        return f"no connection to {base_url}: {ADDRESS} ({fault})"
    return f"no response from {base_url}: {ADDRESS} ({fault})"


def _other_service(exchange: Exchange, route: str) -> str:
    location = exchange.header("location")
    if exchange.status in REDIRECTS:
        return f"{route} is redirected{f' to {location}' if location else ''}: give the final address in PIX_BASE_URL"
    if is_page(exchange):
        return f"{route} returned a web page ({exchange.status}), so this is not the {exchange.api} API: {ADDRESS}"
    return f"this is another API, or another path of it: it has no {route} ({exchange.status}): {ADDRESS}"


def _is_other_service(exchange: Exchange) -> bool:
    """Return whether a response is not of this API: a redirect, a web page, or a 404 without the API's error field."""
    if exchange.status is None or exchange.status >= SERVER_ERROR:
        return False
    form = exchange.at(PROFILES[exchange.api].error_field)
    unknown_route = exchange.status in NO_ROUTE and (form is MISSING or not isinstance(form, str))
    return exchange.status in REDIRECTS or is_page(exchange) or unknown_route


def _have_no_route(both: tuple[Exchange, Exchange]) -> bool:
    """Whether neither route is there: with a credential that is accepted or refused, each of them answers otherwise."""
    return all(exchange.status in NO_ROUTE for exchange in both)
