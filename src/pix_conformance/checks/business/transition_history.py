"""What payments and cancels of a whole run say of the charges that were pending (business.md, lines 79-80)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from pix_conformance.checks.business.exchange_history import ACCEPTED, DEFAULT_S
from pix_conformance.checks.history import Violations, json_body, named, sent
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK, Api, Role

MOVES, FORBIDDEN = ("pay_charge", "cancel_charge"), (403, 409)
LONG_S, SOON_S = 600, 300
"""A life that outlasts a run's clock, and within how many seconds of the creation it surely does."""
Life = tuple[Exchange, list[Exchange]]


def forbidden(exchanges: Iterable[Exchange], operation: str) -> Violations:
    """Give the first payment or cancel of each charge that its owner made, with what is wrong if it was forbidden."""
    for creation, moves in _lives(exchanges):
        first, alone = moves[0], len(moves) == 1 or moves[1].started >= moves[0].ended
        soon = first.started - creation.ended < SOON_S
        plain = not first.request.body.strip(b"{} ") and _caller(first) == _caller(creation)
        if first.operation == operation and alone and soon and plain:
            refused = first.status in FORBIDDEN
            yield first, f"a pending charge is answered with {first.status}" if refused else None


def _lives(exchanges: Iterable[Exchange]) -> list[Life]:
    """Return the charges that live long enough, each with all that was done to it, by time."""
    made: dict[str, Exchange] = {}
    moves: dict[str, list[Exchange]] = defaultdict(list)
    for one in sorted((one for one in exchanges if one.api == Api.BUSINESS), key=attrgetter("started")):
        if one.operation == "create_charge" and one.status in ACCEPTED and one.role != Role.LIVE_MERCHANT:
            if number := _pending(sent(one), json_body(one.body)):
                made.setdefault(number, one)
        elif one.operation in MOVES:
            for number in named(one) & made.keys():
                moves[number].append(one)
    return [(made[number], found) for number, found in moves.items()]


def _pending(wanted: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return the id of a new charge that lives long enough."""
    seconds, number = wanted.get("expires_in_seconds", DEFAULT_S), str(answer.get("id", MASK))
    lives = type(seconds) is int and seconds >= LONG_S and answer.get("status") == "pending"
    return number if wanted and lives and MASK not in number else None


def _caller(one: Exchange) -> list[str]:
    return [one.role, *(value for name, value in one.request.headers if name.lower() == "authorization")]
