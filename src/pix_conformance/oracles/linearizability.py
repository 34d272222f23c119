"""Whether some order of operations, one after the other, explains what they saw; the search of Wing, Gong and Lowe.

An operation took effect at one moment between its start and its end. One whose answer was lost took effect at a moment
after its start, or never. A model says what an operation may do in a state: it returns the states that may follow, none
if no right object in that state gives this answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)
MOST_STEPS = 20_000
"""Configurations of one history after which the search gives up."""


@dataclass(frozen=True)
class TimedOperation:
    """One request about one object. `seen` is what its answer showed; it and `end` are None where that was lost.

    `changes_nothing` says that it never changes the state.
    """

    name: str
    start: float
    end: float | None
    sent: Hashable
    seen: Hashable = None
    changes_nothing: bool = False

    @property
    def lost(self) -> TimedOperation:
        """The same operation, if its answer had been lost."""
        return replace(self, end=None, seen=None)


@dataclass(frozen=True)
class StateMachine(Generic[State]):
    """The states of an object: the first one, and which states may follow an operation."""

    first: State
    step: Callable[[State, TimedOperation], Iterable[State]]

    def is_explained(self, operations: Iterable[TimedOperation]) -> bool | None:
        """Return whether some order explains the answers; None if too many orders are possible to search them all.

        >>> def step(paid, pay):
        ...     return {True} if pay.seen is None or not paid else set()
        >>> pays = TimedOperation("a", 0, 2, "pay", "once"), TimedOperation("b", 1, 3, "pay", "once")
        >>> [StateMachine(False, step).is_explained([pays[0], other]) for other in (pays[1], pays[1].lost)]
        [False, True]
        """
        history = sorted(operations, key=lambda operation: operation.start)
        ends = [math.inf if operation.end is None else operation.end for operation in history]
        answered = sum(1 << place for place, end in enumerate(ends) if end < math.inf)
        waiting = [((1 << len(history)) - 1, self.first)]
        visited = set(waiting)
        while waiting:
            left, state = waiting.pop()
            if not left & answered:
                return True
            if len(visited) > MOST_STEPS:
                return None
            following = self._following(history, ends, left, state)
            waiting += (entry for entry in following if entry not in visited)
            visited.update(following)
        return False

    def _following(
        self, history: Sequence[TimedOperation], ends: Sequence[float], left: int, state: State
    ) -> list[tuple[int, State]]:
        """Return what may be left, and the state, after one more operation.

        A read that is explained now may always be the next one. Of equal ones, the one that ends first is.
        """
        places = sorted((place for place in range(len(history)) if left >> place & 1), key=ends.__getitem__)
        first_end = ends[places[0]]
        following: list[tuple[int, State]] = []
        tried: set[tuple[Hashable, Hashable]] = set()
        for place in places:
            operation = history[place]
            if operation.start > first_end or (operation.sent, operation.seen) in tried:
                continue
            tried.add((operation.sent, operation.seen))
            states = set(self.step(state, operation))
            if states and operation.changes_nothing and operation.end is not None:
                return [(left & ~(1 << place), state)]
            following += ((left & ~(1 << place), after) for after in states)
        return following

    def unexplained(self, operations: Iterable[TimedOperation]) -> list[TimedOperation]:
        """Return the shortest part of a history that no order explains, in the order of the starts; empty without one.

        It ends with the first answer that nothing explains. An operation is not part of it if the others would not be
        explained either if it had been answered otherwise, or at another time.
        """
        history = sorted(operations, key=lambda operation: operation.start)
        if self.is_explained(history) is not False:
            return []
        ends = sorted({operation.end for operation in history if operation.end is not None})
        low, high = 0, len(ends) - 1
        while low < high:
            middle = (low + high) // 2
            if self.is_explained(_until(history, ends[middle])) is False:
                high = middle
            else:
                low = middle + 1
        part = {operation.name: operation for operation in _until(history, ends[low])}
        for operation in list(part.values()):
            freed = part | {operation.name: replace(operation.lost, start=-math.inf)}
            if self.is_explained(freed.values()) is False:
                part = freed
        return [operation for operation in history if operation.name in part and part[operation.name].start > -math.inf]


def _until(history: Sequence[TimedOperation], moment: float) -> list[TimedOperation]:
    """Return what was known of a history at one moment: later answers are lost."""
    begun = (operation for operation in history if operation.start < moment)
    return [operation if (operation.end or math.inf) <= moment else operation.lost for operation in begun]
