"""What payments and cancels of a whole run say of the charges that were pending (business.md, lines 79-80)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from pix_conformance.checks.business.exchange_history import ACCEPTED, DEFAULT_S
from pix_conformance.checks.history import Looked, Recorded, ended, named, sent, started, status_of, told
from pix_conformance.model.vocabulary import MASK, Api, Role

MOVES, FORBIDDEN = ("pay_charge", "cancel_charge"), (403, 409)
LONG_S, SOON_S = 600, 300
"""A life that outlasts a run's clock, and within how many seconds of the creation it surely does."""
Life = tuple[Recorded, list[Recorded]]


def forbidden(exchanges: Iterable[Recorded], operation: str) -> Looked:
    """Give the first payment or cancel of each charge that its owner made, with what is wrong if it was forbidden."""
    for creation, moves in _lives(exchanges):
        first, alone = moves[0], len(moves) == 1 or started(moves[1]) >= ended(moves[0])
        soon = started(first) - ended(creation) < SOON_S
        plain = not (first["request"].get("body") or "").strip("{} ") and _caller(first) == _caller(creation)
        if first["operation"] == operation and alone and soon and plain:
            refused = status_of(first) in FORBIDDEN
            yield first, f"a pending charge is answered with {status_of(first)}" if refused else None


def _lives(exchanges: Iterable[Recorded]) -> list[Life]:
    """Return the charges that live long enough, each with all that was done to it, by time."""
    made: dict[str, Recorded] = {}
    moves: dict[str, list[Recorded]] = defaultdict(list)
    for one in sorted((one for one in exchanges if one["api"] == Api.BUSINESS), key=started):
        if one["operation"] == "create_charge" and status_of(one) in ACCEPTED and one["role"] != Role.LIVE_MERCHANT:
            if number := _pending(sent(one), told(one["response"])):
                made.setdefault(number, one)
        elif one["operation"] in MOVES:
            for number in named(one) & made.keys():
                moves[number].append(one)
    return [(made[number], found) for number, found in moves.items()]


def _pending(wanted: Recorded, answer: Recorded) -> str | None:
    """Return the id of a new charge that lives long enough."""
    seconds, number = wanted.get("expires_in_seconds", DEFAULT_S), str(answer.get("id", MASK))
    lives = type(seconds) is int and seconds >= LONG_S and answer.get("status") == "pending"
    return number if wanted and lives and MASK not in number else None


def _caller(one: Recorded) -> list[str]:
    return [one["role"], *(value for name, value in one["request"]["headers"] if name.lower() == "authorization")]
