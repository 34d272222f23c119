"""History checks of transitions: payments and cancels of pending charges (BUS-CAN-16, BUS-PAY-26)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from pix_conformance.checks.business.exchange_history import ACCEPTED, DEFAULT_S
from pix_conformance.checks.history import Judged, named, sent
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import MASK, Api, Role

MOVES, FORBIDDEN = {row.name for row in of(Api.BUSINESS, Effect.CHANGES)}, (403, 409)
LONG_S, SOON_S = 600, 300
"""A lifetime that is longer than a run; seconds after the creation within which such a charge has not expired."""
ChargeWithTransitions = tuple[Exchange, list[Exchange]]


@relation("the status is neither 403 nor 409, for the charge is pending")
def is_not_refused_for_state(answer: Exchange) -> str | None:
    """Expect a pending charge not to be refused as one that is not pending."""
    return f"status is {answer.status} for a pending charge" if answer.status in FORBIDDEN else None


def judged_by_state(exchanges: Iterable[Exchange], operation: str) -> Judged:
    """Yield the first payment or cancel of each pending charge by its own account."""
    for creation, moves in _long_lived(exchanges):
        first, alone = moves[0], len(moves) == 1 or moves[1].started >= moves[0].ended
        soon = first.started - creation.ended < SOON_S
        plain = not first.request.body.strip(b"{} ") and _caller(first) == _caller(creation)
        if first.operation == operation and alone and soon and plain:
            yield first, is_not_refused_for_state()


def _long_lived(exchanges: Iterable[Exchange]) -> list[ChargeWithTransitions]:
    """Return the charges with a long lifetime, each with its payments and cancels in order."""
    creations: dict[str, Exchange] = {}
    moves: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in sorted(
        (exchange for exchange in exchanges if exchange.api == Api.BUSINESS), key=attrgetter("started")
    ):
        if (
            exchange.operation == "create_charge"
            and exchange.status in ACCEPTED
            and exchange.role != Role.LIVE_MERCHANT
        ):
            if number := _pending(sent(exchange), exchange.json_object):
                creations.setdefault(number, exchange)
        elif exchange.operation in MOVES:
            for number in named(exchange) & creations.keys():
                moves[number].append(exchange)
    return [(creations[number], changes) for number, changes in moves.items()]


def _pending(wanted: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return the id of a new charge with a long lifetime; None otherwise."""
    seconds, number = wanted.get("expires_in_seconds", DEFAULT_S), str(answer.get("id", MASK))
    is_pending = type(seconds) is int and seconds >= LONG_S and answer.get("status") == "pending"
    return number if wanted and is_pending and MASK not in number else None


def _caller(exchange: Exchange) -> list[str]:
    return [exchange.role, *(value for name, value in exchange.request.headers if name.lower() == "authorization")]
