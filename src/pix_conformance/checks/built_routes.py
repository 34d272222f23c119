"""Which documented routes a service does not have: each answers every request as if the path did not exist."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.schema import is_sent_as_described
from pix_conformance.model.exchange import ABSENT, Created, Exchange
from pix_conformance.model.operations import Effect, Operation, find, in_order_of_need
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import Subject
from pix_conformance.model.undecided import is_of_proxy, is_undecided
from pix_conformance.model.vocabulary import Api, Role

NOT_FOUND = 404
NAMES_OTHERS = frozenset({"pixKey", "splits"})
"""Fields of bodies that name what a service may not know."""
Owned = Container[tuple[Api, Role, str]]
"""The objects that the run created, each with its API and the role whose account has it."""


@dataclass(frozen=True)
class UnbuiltRoute:
    """A route that answered each request of a run with 404, 405 or 501, also one that it must not answer so."""

    operation: Operation
    shown_by: Exchange
    """The request that is the most like a valid one: a route of the service answers it otherwise."""
    answers: str
    """The statuses, and of how many requests."""

    def __str__(self) -> str:
        return f"{self.operation.route} is not built: {self.answers}"

    @property
    def name(self) -> str:
        """The operation as `api.operation`."""
        return f"{self.operation.api}.{self.operation.name}"


@dataclass(frozen=True)
class IsBuilt(Matcher):
    """The response is that of a route of the service; `answers` says what all requests of the route were answered."""

    word = "built"
    route: str
    answers: str

    def mismatch(self, subject: Subject) -> str | None:
        """Look at the status; that of the other requests is known already."""
        return f"{self.route} is not built: {self.answers}" if subject.status in ABSENT else None


def unbuilt_routes(exchanges: Iterable[Exchange], created: Iterable[Created]) -> list[UnbuiltRoute]:
    """Return the routes that are not built, those first that others need.

    A request of which the status says nothing of the route, such as 401, is not counted. A 404 to an id that no object
    has is an answer of a route that is built, so one request must have been sent to which that is no right answer.
    """
    owned = {(row.api, row.role, row.id) for row in created}
    answered: dict[tuple[Api, str], list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        if exchange.operation and not exchange.by_integration and not _says_nothing(exchange):
            answered[exchange.api, exchange.operation].append(exchange)
    routes: list[UnbuiltRoute] = []
    for row in in_order_of_need():
        makers = (route.operation for route in routes if route.operation.effect is Effect.CREATES)
        has_objects = (row.api, row.kind) not in {(maker.api, maker.kind) for maker in makers}
        if route := _unbuilt(row, answered[row.api, row.name], owned, has_objects=has_objects):
            routes.append(route)
    return routes


def _says_nothing(exchange: Exchange) -> bool:
    return is_undecided(exchange) or is_of_proxy(exchange)


def _unbuilt(row: Operation, answered: list[Exchange], owned: Owned, *, has_objects: bool) -> UnbuiltRoute | None:
    counts = Counter(exchange.status for exchange in answered)
    is_shown = any(_shows_absence(row, exchange, owned, has_objects=has_objects) for exchange in answered)
    if counts.keys() - ABSENT or not is_shown:
        return None
    total = f"each of {len(answered):,} requests" if len(answered) > 1 else "the only request"
    statuses = " or ".join(map(str, sorted(filter(None, counts))))
    return UnbuiltRoute(
        row, max(answered, key=lambda exchange: _validity(row, exchange, owned)), f"{statuses} to {total}"
    )


def _shows_absence(row: Operation, exchange: Exchange, owned: Owned, *, has_objects: bool) -> bool:
    """Return whether no service that has the route answers the request so.

    It answers none with 405 or 501, one without a credential with 401, and one about an object of the same account
    with what the object is. A 404 in the API's own form to a valid body may be about something that the body names, if
    it names any; one in another form, while no object can be created, is that of an unknown path.
    """
    if exchange.status not in ABSENT or exchange.role is Role.LIVE_MERCHANT:
        return False
    if exchange.status != NOT_FOUND or (row.needs_credential and not exchange.request.authorization):
        return True
    is_error = isinstance(exchange.at(PROFILES[row.api].error_field), str)
    if row.id_parameter:
        is_own = (row.api, exchange.role, _id_in(row, exchange)) in owned
        return is_own or not (is_error or has_objects)
    names_others = row.takes_body and not NAMES_OTHERS.isdisjoint(exchange.request.json_object)
    return not (names_others and is_error and is_sent_as_described(row.api, row.name, exchange))


def _validity(row: Operation, exchange: Exchange, owned: Owned) -> tuple[bool, bool, bool]:
    """Count what a request has of a valid one: the object in its path, a body as described, a credential."""
    is_own = not row.id_parameter or (row.api, exchange.role, _id_in(row, exchange)) in owned
    has_body = not row.takes_body or is_sent_as_described(row.api, row.name, exchange)
    return is_own, has_body, bool(exchange.request.authorization)


def _id_in(row: Operation, exchange: Exchange) -> str:
    """Return the id in the path of a request of an operation; empty where it is not of that form."""
    form = re.escape(row.path_of("\0")).replace("\0", "([^/]+)")
    match = re.search(f"{form}$", urlsplit(exchange.request.url).path)
    return unquote(match[1]) if match else ""


def route_of(exchange: Exchange, routes: Mapping[str, UnbuiltRoute]) -> UnbuiltRoute | None:
    """Return the route that a request was sent to, if it is one of these, by `api.operation`."""
    return routes.get(f"{exchange.api}.{exchange.operation}") if find(exchange.api, exchange.operation) else None
