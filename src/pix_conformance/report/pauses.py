"""How long the lines that show a failure again have to wait: until what was meant to age is old enough, no longer."""

import math
from collections.abc import Sequence

from pix_conformance.model.exchange import Exchange
from pix_conformance.report.dependency_chain import LOGIN, RecordedExchanges

TOKEN_S = 60.0
"""The life of a token (PAY-AUTH-10)."""
AFTER_END_S = 3.0
"""Seconds after the end of its life at which an object is surely past it."""
NEAR_END = 0.9
"""The share of its life from which on an object was asked shortly before its end."""
SHORTEST_S = 1
SHORTEST_IDLE_S, LONGEST_IDLE_S = 0.2, 10.0
"""A test that sent nothing for so long waited for something; what takes longer is the turn of other tests.

Before it is completed, a transfer has to leave its approval, which takes its time while other tests run.
"""


def pauses(recorded: RecordedExchanges, steps: Sequence[Exchange], age: float) -> list[int]:
    """Return the seconds to wait before each step; `age` is what the judged test waits for (0: nothing)."""
    begun = [recorded.sent_at(step) for step in steps]
    waited: list[int] = []
    for place in range(len(steps)):
        due = max(
            (_due(recorded, steps, begun, index, place) - sum(waited[index + 1 :]) for index in range(place)), default=0
        )
        idle = _idle(recorded, steps[place - 1], steps[place]) if place else 0.0
        meant = min(begun[place] - begun[0], math.ceil(age)) - sum(waited)
        gap = begun[place] - begun[place - 1] if place else 0.0
        longest = max(due, math.ceil(idle), meant if gap > SHORTEST_S else 0)
        waited.append(math.ceil(longest) if longest >= SHORTEST_S else 0)
    return waited


def _idle(recorded: RecordedExchanges, before: Exchange, user: Exchange) -> float:
    """Return the seconds that a test waited between two of its requests: for a status, or for an event."""
    beside = (
        exchange
        for exchange in recorded.bundle.exchanges
        if exchange.test == user.test and before.id <= exchange.id < user.id
    )
    idle = recorded.sent_at(user) - recorded.sent_at(before) - sum(exchange.elapsed_ms for exchange in beside) / 1000
    if user.operation == "complete_transfer" and before.operation == "create_transfer":
        return min(max(idle, SHORTEST_S), LONGEST_IDLE_S)
    return idle if before.test == user.test and SHORTEST_IDLE_S <= idle <= LONGEST_IDLE_S else 0.0


def _due(
    recorded: RecordedExchanges, steps: Sequence[Exchange], begun: Sequence[float], index: int, place: int
) -> float:
    """Return how old the object of one step has to be at a later one that uses it; 0 if its age does not matter."""
    maker, user = steps[index], steps[place]
    life = _life(maker)
    names = set(recorded.ids_made(maker.id))
    uses = user.request.login == maker.id if maker.operation == LOGIN else bool(names & recorded.names(user))
    old = begun[place] - begun[index]
    if not life or not uses or old < NEAR_END * life:
        return 0
    return min(old, life + AFTER_END_S) if old >= life else math.floor(old)


def _life(maker: Exchange) -> float:
    """Return the seconds after which what a request made ends; 0 if it does not."""
    if maker.operation == LOGIN:
        return TOKEN_S
    asked = maker.request.json_object.get("expires_in_seconds") if maker.operation == "create_charge" else None
    return float(asked) if isinstance(asked, int) else 0.0
