"""The requests with each idempotency key of a run, as a history that some order of them explains.

A key is unused until a request with it creates something; from then on it stands for that, and for the body. Two bodies
count as different if their amounts differ, and as the same if their bytes are equal; which others are the same is open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from pix_conformance.checks.history import SETTLED_S, Judged, body_sent
from pix_conformance.checks.object_histories import (
    CLOCK_S,
    SANDBOX,
    History,
    ObjectModel,
    are_simultaneous,
    drawing,
    histories,
    shown_object,
)
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange, key_of
from pix_conformance.model.operations import Effect, by_name
from pix_conformance.model.operations import of as rows_of
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.undecided import is_decided
from pix_conformance.model.vocabulary import MASK, Api
from pix_conformance.oracles.linearizability import StateMachine, TimedOperation

REMEMBERED_S = 45.0
"""How old a key may be for a verdict to rest on its being remembered; no document states a period."""
IN_PROGRESS_S = 30.0
"""Seconds after which a service no longer executes a request whose connection was cut."""
CONFLICT = 409
Use = tuple[str, str] | None
"""The body for which a key stands, and the id of what it created, empty where that is not known; None of a new key."""


class Repetition(StrEnum):
    """How two requests with one key relate to each other."""

    SAME_AT_ONCE = "simultaneous requests with the same body"
    OTHER_AT_ONCE = "simultaneous requests with different bodies"
    SAME_LATER = "a later request with the same body"
    OTHER_LATER = "a later request with another body"


@dataclass(frozen=True)
class KeyModel:
    """What one key stands for after each request; `amounts` are those of the bodies."""

    amounts: Mapping[str, float]

    def step(self, use: Use, operation: TimedOperation) -> Iterable[Use]:
        """Return for what the key may stand after a request."""
        body, shown_id = str(operation.sent), str(operation.seen or "")
        if use is None:
            return {None} if operation.changes_nothing and operation.end is not None else {(body, shown_id)}
        first, created = use
        if operation.changes_nothing:
            return () if first == body else {use}
        is_original = self.amounts[first] == self.amounts[body] and (not created or created == shown_id)
        return {(first, shown_id)} if is_original and operation.end is not None else ()


def unexplained(history: History) -> History:
    """Return the shortest part of the requests with one key that no order explains; empty if some order does."""
    amounts = {exchange.request.text: amount_of(exchange) for exchange in history}
    known = {text: amount for text, amount in amounts.items() if amount is not None}
    read = (_operation(exchange, history) for exchange in history if exchange.request.text in known)
    part = StateMachine[Use](None, KeyModel(known).step).unexplained(filter(None, read))
    missed = {operation.name for operation in part}
    return [exchange for exchange in history if exchange.evidence in missed]


def amount_of(exchange: Exchange) -> float | None:
    """Return the amount in the body of a creation; None if it is no number."""
    amount = body_sent(exchange).get(PROFILES[exchange.api].keyed_amount)
    return amount if type(amount) in {int, float} else None


def _operation(exchange: Exchange, history: History) -> TimedOperation | None:
    """Read an exchange; None if it tells nothing, as a refusal does.

    Where the original response is due, a 409 to a creation tells that its key stands for another body.
    """
    began, ended = exchange.started - CLOCK_S, exchange.ended + CLOCK_S
    shown_id, name, body = shown_object(exchange).get("id"), exchange.evidence, exchange.request.text
    if not is_decided(exchange) or (exchange.ok and (not isinstance(shown_id, str) or MASK in shown_id)):
        return TimedOperation(name, began, None, body)
    if exchange.ok:
        return TimedOperation(name, began, ended, body, shown_id)
    is_due = exchange.status == CONFLICT and not PROFILES[exchange.api].may_refuse_replay
    in_progress = any(_may_overlap(other, exchange) for other in history if other is not exchange)
    return TimedOperation(name, began, ended, body, changes_nothing=True) if is_due and not in_progress else None


def _may_overlap(other: Exchange, exchange: Exchange) -> bool:
    """Return whether another request may be in progress while one is answered; one that was lost is so for long."""
    longer = CLOCK_S if is_decided(other) else IN_PROGRESS_S
    return other.started <= exchange.ended + CLOCK_S and exchange.started <= other.ended + longer


def has_repetition(history: History, repetition: Repetition) -> bool:
    """Return whether two of the requests, one of which was accepted, relate to each other so."""
    pairs = combinations(filter(is_decided, history), 2)
    return any(_repetition(first, other) is repetition for first, other in pairs if first.ok or other.ok)


def _repetition(first: Exchange, other: Exchange) -> Repetition:
    is_same = first.request.body == other.request.body
    if are_simultaneous([first, other]):
        return Repetition.SAME_AT_ONCE if is_same else Repetition.OTHER_AT_ONCE
    return Repetition.SAME_LATER if is_same else Repetition.OTHER_LATER


@relation("some order of this request and of {history}, which have its idempotency key, explains their answers")
def has_one_use_of_key_with(last: Exchange, history: History, repetition: str) -> str | None:
    """Search an order in which the first body that is accepted takes the key, and nothing else is created with it.

    A part that no order explains is judged if its requests relate to each other as `repetition` says.
    """
    missed = unexplained([*history, last])
    is_asked = has_repetition(missed, Repetition(repetition))
    return f"no order explains these answers:\n{drawing(missed, 'id')}" if is_asked else None


def key_histories(
    exchanges: Iterable[Exchange], api: Api, target_time: Callable[[float], float] = float
) -> list[History]:
    """Return the requests with each key, not of production, in the order of their start, while it is surely known.

    `target_time` returns the target's time at a moment of this machine.
    """
    keyed = {row.name for row in by_name(api).values() if row.takes_key}
    by_key: dict[tuple[str, str], list[Exchange]] = defaultdict(list)
    for exchange in sorted(exchanges, key=lambda exchange: exchange.started):
        if exchange.api == api and exchange.operation in keyed and exchange.role in SANDBOX:
            by_key[exchange.role, key_of(exchange.request)].append(exchange)
    remembered = (
        [
            exchange
            for exchange in history
            if target_time(exchange.ended) - target_time(history[0].started) <= REMEMBERED_S
        ]
        for (_, key), history in by_key.items()
        if key
    )
    return [history for history in remembered if len(history) > 1]


def judged_keys(
    exchanges: Sequence[Exchange], api: Api, target_time: Callable[[float], float], repetition: Repetition
) -> Judged:
    """Yield the last request with each key that has such a repetition, with the relation that judges its history."""
    for history in key_histories(exchanges, api, target_time):
        if has_repetition(history, repetition):
            *earlier, last = history
            yield last, has_one_use_of_key_with(earlier, repetition)


def explained_in_words(exchanges: Sequence[Exchange]) -> str:
    """Say how many histories of charges, transfers and keys some order explains, and of how many requests they are."""
    kinds = {(api, row.kind) for api in Api for row in rows_of(api, Effect.CHANGES) if row.kind}
    of_objects = [
        (history, ObjectModel(*kind).unexplained(history, SETTLED_S))
        for kind in kinds
        for history in histories(exchanges, *kind)
    ]
    of_keys = [(history, unexplained(history)) for api in Api for history in key_histories(exchanges, api)]
    parts = [_explained("charge or transfer", of_objects), _explained("idempotency key", of_keys)]
    return f"some order explains {' and '.join(parts)}"


def _explained(kind: str, searched: Sequence[tuple[History, History]]) -> str:
    """Say the same of the histories of one kind, each with the part of it that no order explains."""
    missed = sum(bool(part) for _, part in searched)
    count = sum(len(history) for history, _ in searched)
    words = f"{len(searched)} histories of one {kind} each, {count} requests in all"
    return f"{f'all but {missed} of' if missed else 'the'} {words}"
