"""The waits of a script: where the test waited for something to age, or for its target."""

import math
from collections.abc import Sequence
from itertools import pairwise

from pix_conformance.model.exchange import Exchange
from pix_conformance.report.recorded_exchanges import LOGIN, RecordedExchanges

TOKEN_S = 60.0
"""The life of a token (PAY-AUTH-10)."""
AFTER_END_S = 5.0
"""Seconds after the end of its life at which an object is surely past it."""
NEAR_END = 0.9
"""The share of its life from which on an object was used shortly before its end, or after it."""
LONGEST_S = 15.0
"""A test waits no longer for what has no life: what takes longer is the turn of other tests."""
APPROVED_S = 1.0
"""So old a transfer is when it is completed: it has to leave its approval, for which tests look again and again."""
SHORTEST_S, SHORTEST_IDLE_S = 0.3, 0.05
"""Shorter waits, and shorter times between two requests, are left out."""


def waits(recorded: RecordedExchanges, requests: Sequence[Exchange]) -> list[float]:
    """Return the seconds to wait before each request, by the target's clock as far as it was turned."""
    longest = max((life + AFTER_END_S for request in requests if (life := _life(request))), default=LONGEST_S)
    if [request.operation for request in requests].count(LOGIN) > 1:  # one token after another
        longest = max(longest, TOKEN_S)
    pauses: list[float] = []
    idle = 0.0
    for place, request in enumerate(requests):
        idle += _idle(recorded, requests[place - 1], request, longest) if place else 0.0
        ages = (_age(recorded, maker, request) - sum(pauses[at + 1 :]) for at, maker in enumerate(requests[:place]))
        due = max(idle - sum(pauses), *ages, 0.0)
        pauses.append(math.ceil(due * 10) / 10 if due >= SHORTEST_S else 0.0)
    return pauses


def _idle(recorded: RecordedExchanges, before: Exchange, request: Exchange, longest: float) -> float:
    """Return the seconds that a test sent nothing between two of its requests."""
    if before.test != request.test:
        return 0.0
    sent = [exchange for exchange in recorded.by_test[request.test] if before.id <= exchange.id <= request.id]
    gaps = (recorded.sent_at(b) - recorded.sent_at(a) - a.elapsed_ms / 1000 for a, b in pairwise(sent))
    return min(longest, sum(gap for gap in gaps if gap >= SHORTEST_IDLE_S))


def _age(recorded: RecordedExchanges, maker: Exchange, user: Exchange) -> float:
    """Return how old what a request made has to be when another one uses it; 0 if its age does not matter."""
    life = TOKEN_S if maker.operation == LOGIN else _life(maker)
    names = set(recorded.ids_made(maker.id))
    is_used = user.request.login == maker.id if maker.operation == LOGIN else bool(names & recorded.names(user))
    age = recorded.sent_at(user) - recorded.sent_at(maker)
    if is_used and user.ok and (maker.operation, user.operation) == ("create_transfer", "complete_transfer"):
        return APPROVED_S
    return min(age, life + AFTER_END_S) if life and is_used and age >= NEAR_END * life else 0.0


def _life(maker: Exchange) -> float:
    """Return the seconds after which a charge ends; 0 if it does not, or ends when the documents say."""
    asked = maker.request.json_object.get("expires_in_seconds") if maker.operation == "create_charge" else None
    return float(asked) if isinstance(asked, int) else 0.0
