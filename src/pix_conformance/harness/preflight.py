"""The first look: one probe for each credential before the tests.

A wrong address or a refused login ends the tests of its API with one sentence, after a few requests. Whatever else a
service answers wrongly is for the tests to judge: the look stops only where two probes agree that nothing answers,
that another thing answers, or that the credential is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clients.client import NO_AUTHORIZATION
from pix_conformance.harness.clients.payments import AUTH, Payments
from pix_conformance.harness.run import Run
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING
from pix_conformance.model.target import credentials
from pix_conformance.model.vocabulary import Api, Role

REFUSED = frozenset({401, 403})
UNAVAILABLE = frozenset({502, 503, 504})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NO_ROUTE = frozenset({404, 405, 410})
SERVER_ERROR = 500
PAUSE_S, LONGEST_PAUSE_S = 1.0, 5.0
"""Seconds before what did not answer, or was not available, is asked once more."""
ERROR_FIELD = {Api.PAYMENTS: "error", Api.BUSINESS: "detail"}
"""The field by which an error body of the API is known (payments.md, line 363; business.md, line 174)."""
ADDRESS = "check PIX_BASE_URL"


def look(run: Run) -> None:
    """Probe every credential, and enter into the run which ones are accepted and which ones cannot be used."""
    test = run.ledger.test
    run.ledger.test, run.ledger.judges_passively = "first look", False
    try:
        for (api, role), client in run.clients.items():
            if (api, role) not in run.unusable:
                _probe(run, client)
            state = run.unusable.get((api, role), "accepted")
            run.access.append(f"{api}, {role.replace('_', ' ')} ({credentials(api, role)}): {state}")
    finally:
        run.ledger.test, run.ledger.judges_passively = test, True


def _probe(run: Run, client: Payments | Business) -> None:
    """Ask with one credential; where that shows why it cannot be used, the reason goes into the run."""
    asked: list[Exchange] = []

    def ask(send: Callable[[], Exchange]) -> Exchange:
        asked.append(send())
        return asked[-1]

    try:
        found = _payments(client, ask) if isinstance(client, Payments) else _business(client, ask)
    except Inconclusive as why:
        found = str(why), frozenset({client.role})
    if found is None:
        for one in asked:
            run.ledger.passive.see(one)
        return
    reason, roles = found
    everywhere = not asked or asked[-1].status is None
    for api, role in run.clients:
        if everywhere or (api is client.api and role in roles):
            run.unusable[api, role] = reason
    if client.role in roles and Role.MERCHANT in roles:
        run.ledger.unusable |= dict.fromkeys(run.target.apis if everywhere else [client.api], reason)


Found = tuple[str, frozenset[Role]] | None
"""Why a credential cannot be used, and the roles for which that holds; None if the tests have to find out."""
EVERY_ROLE = frozenset(Role)


def _payments(client: Payments, ask: Callable[[Callable[[], Exchange]], Exchange]) -> Found:
    first = ask(client.log_in)
    if first.ok and not _is_page(first):
        return None
    if first.status in REFUSED and not _is_page(first):
        second = ask(client.log_in)
    else:
        _pause(client, first)
        second = ask(lambda: client.get_balance(authorization=NO_AUTHORIZATION))
    return _conclusion(client, first, second, f"POST {AUTH}")


def _business(client: Business, ask: Callable[[Callable[[], Exchange]], Exchange]) -> Found:
    first = ask(client.list_charges)
    if first.ok and not _is_page(first):
        return None
    _pause(client, first)
    return _conclusion(client, first, ask(client.get_finance), "GET /v1/business/pix-charges")


def _pause(client: Payments | Business, first: Exchange) -> None:
    """Give a service that does not answer now, or is not available, a moment."""
    wanted = first.header("retry-after") or ""
    if first.status is None or first.status in UNAVAILABLE:
        client.run.waits.pause(min(LONGEST_PAUSE_S, float(wanted)) if wanted.isdecimal() else PAUSE_S)


def _conclusion(client: Payments | Business, first: Exchange, second: Exchange, route: str) -> Found:
    """Say why the credential cannot be used, where both probes agree."""
    both, url = (first, second), first.request.url
    if all(one.status is None for one in both):
        return _no_answer(first, client.run.target.base_url), EVERY_ROLE
    if all(_is_elsewhere(one) for one in both):
        return _elsewhere(first, route), EVERY_ROLE
    if all(one.status in UNAVAILABLE for one in both):
        return f"the service is not available ({first.status} from {url}): run again when it is", EVERY_ROLE
    if all(one.status in REFUSED for one in both):
        names = credentials(client.api, client.role).replace(" and ", " / ")
        what = f"login with {names}" if client.api is Api.PAYMENTS else names
        refused = f"{what} was refused ({first.status}, {first.evidence})"
        return f"{refused}: check that it belongs to {client.run.target.base_url}", frozenset({client.role})
    return None


def _no_answer(exchange: Exchange, base_url: str) -> str:
    fault = exchange.fault or ""
    if any(words in fault for words in ("getaddrinfo", "Name or service not known", "name resolution", "nodename")):
        return f"the host name in {base_url} is not known: {ADDRESS} ({fault})"
    if "SSL" in fault or "CERTIFICATE" in fault:
        return f"the TLS connection to {base_url} failed: {ADDRESS}, or name the authority in SSL_CERT_FILE ({fault})"
    if fault.startswith("Connect"):
        return f"nothing answers at {base_url}: {ADDRESS} ({fault})"
    return f"the target does not answer at {base_url}: {ADDRESS} ({fault})"


def _elsewhere(exchange: Exchange, route: str) -> str:
    location = exchange.header("location")
    if exchange.status in REDIRECTS:
        return f"{route} is redirected{f' to {location}' if location else ''}: give the final address in PIX_BASE_URL"
    if _is_page(exchange):
        return f"a web page answers {route} ({exchange.status}), and not the {exchange.api} API: {ADDRESS}"
    return f"another API answers: it has no {route} ({exchange.status}): {ADDRESS}"


def _is_elsewhere(exchange: Exchange) -> bool:
    """Whether a response is none of this API: a redirect, a web page, or no such route in an error form of another."""
    if exchange.status is None or exchange.status >= SERVER_ERROR:
        return False
    form = exchange.at(ERROR_FIELD[exchange.api])
    strange = exchange.status in NO_ROUTE and (form is MISSING or not isinstance(form, str))
    return exchange.status in REDIRECTS or _is_page(exchange) or strange


def _is_page(exchange: Exchange) -> bool:
    return exchange.body.lstrip()[:1] == b"<"
