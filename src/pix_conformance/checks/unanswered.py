"""The history checks of routes: whether one leaves requests without a response while others respond."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from pix_conformance.checks.history import Judged
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import of
from pix_conformance.model.undecided import is_decided
from pix_conformance.model.vocabulary import Api

FEWEST = 3
"""Requests without a response that show that a route never responds."""
NEAR_S = 10.0
"""Seconds before or after a request within which another route has to have responded."""

DROPPED = ("RemoteProtocolError: Server disconnected", "ReadError", "WriteError")
"""How the fault of a request begins whose connection the target closed without a response."""


@relation("while this route responds, no other one leaves all of its requests without a response: {unanswered}")
def is_not_alone_in_responding(answer: Exchange, unanswered: Sequence[Exchange]) -> str | None:
    """Expect no requests without a response, all those of one operation."""
    if not unanswered:
        return None
    last = unanswered[-1]
    return (
        f"{last.operation} never responds: none of {len(unanswered)} requests had a response ({last.evidence}: "
        f"{last.fault}), while {answer.operation} responded within {NEAR_S:.0f} s of it"
    )


def unanswered_routes(exchanges: Iterable[Exchange], api: Api) -> Judged:
    """Yield the responses of each operation of an API; of one without any, a response of another near its requests.

    Nothing is yielded for one with too few requests, or if no other operation responded near them. Requests that the
    suite cut do not count.
    """
    own = [exchange for exchange in exchanges if exchange.api == api and not exchange.is_cut]
    decided = [exchange for exchange in own if is_decided(exchange)]
    for row in of(api):
        asked = [exchange for exchange in own if exchange.operation == row.name]
        if any(exchange.status is not None for exchange in asked):
            yield from ((exchange, is_not_alone_in_responding([])) for exchange in asked if is_decided(exchange))
            continue
        pairs = [(exchange, neighbor) for exchange in asked if (neighbor := _neighbor(exchange, decided))]
        if len(pairs) >= FEWEST:
            yield pairs[-1][1], is_not_alone_in_responding([exchange for exchange, _ in pairs])


@relation("while this route responds, none closes the connection of the same request twice: {dropped}")
def is_not_beside_dropped_requests(answer: Exchange, dropped: Sequence[Exchange]) -> str | None:
    """Expect no request that lost its connection, and lost it again when it was sent once more."""
    if not dropped:
        return None
    last = dropped[-1]
    return (
        f"{last.operation} closes the connection without a response, twice for one request ({last.evidence}: "
        f"{last.fault}), while {answer.operation} responded within {NEAR_S:.0f} s of it"
    )


@relation("requests of other operations are answered after this response: {probes}")
def is_not_the_last_response(last: Exchange, probes: Sequence[Exchange]) -> str | None:
    """Expect no queries that had no response after this one, and nothing else that had one."""
    if not probes:
        return None
    names = ", ".join(dict.fromkeys(str(probe.operation) for probe in probes))
    return (
        f"since {last.evidence} (status {last.status}) nothing answers: {len(probes)} queries that had been answered "
        f"before had no response ({names}; {probes[-1].evidence}: {probes[-1].fault})"
    )


def dropped_requests(exchanges: Iterable[Exchange], api: Api) -> Judged:
    """Yield the responses of an API; beside a request that lost its connection twice in a row, with that.

    Requests that the suite cut do not count.
    """
    own = [exchange for exchange in exchanges if exchange.api == api and not exchange.is_cut]
    decided = [exchange for exchange in own if is_decided(exchange)]
    yield from ((exchange, is_not_beside_dropped_requests([])) for exchange in decided)
    named = [exchange for exchange in own if exchange.operation]
    for first, second in pairwise(named):
        if not (_is_dropped(first) and _is_dropped(second) and _is_same_request(first, second)):
            continue
        if neighbor := _neighbor(second, decided):
            yield neighbor, is_not_beside_dropped_requests([first, second])


def _is_dropped(exchange: Exchange) -> bool:
    return (exchange.fault or "").startswith(DROPPED)


def _is_same_request(first: Exchange, second: Exchange) -> bool:
    sent = [(exchange.request.method, exchange.request.url, exchange.request.body) for exchange in (first, second)]
    return sent[0] == sent[1]


def _neighbor(exchange: Exchange, others: Iterable[Exchange]) -> Exchange | None:
    """Return a response that came within NEAR_S seconds of a request."""
    begin, end = exchange.started - NEAR_S, exchange.ended + NEAR_S
    return next((other for other in others if other.started <= end and other.ended >= begin), None)
