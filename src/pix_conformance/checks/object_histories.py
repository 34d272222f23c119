"""The requests about each object of a run, as a history that some order of them explains: charges and transfers.

The model of an object is its table in `states.toml`. Where the document leaves an answer open, both are explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.history import SETTLED_S, Judged, named, visible_id
from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, by_name, query_of
from pix_conformance.model.operations import of as rows_of
from pix_conformance.model.states import States, states_of
from pix_conformance.model.undecided import is_decided
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why
from pix_conformance.oracles.linearizability import StateMachine, TimedOperation

OPEN = "open"
"""Stands for every status that no row of the table leads to."""
ACCEPTED = 202
"""The status of a request that is not yet executed (RFC 9110, section 15.3.3), unless its response shows the effect."""
CLOCK_S = 0.001
"""How much the times of a request may be rounded."""
SANDBOX = (Role.MERCHANT, Role.OTHER_MERCHANT)
"""The roles whose requests are sent to the environment for tests, not to production."""
WIDTH = 40
"""Characters of the longest bar of a drawing."""
History = Sequence[Exchange]


@dataclass(frozen=True)
class ObjectModel:
    """The states of one kind of object, for the operations about it."""

    api: Api
    kind: str

    @property
    def states(self) -> States:
        """The table of the kind."""
        return states_of(self.api)[self.kind]

    def step(self, state: str, operation: TimedOperation) -> Iterable[str]:
        """Return the statuses that may follow an operation."""
        row, seen = by_name(self.api)[str(operation.sent)], operation.seen
        if operation.changes_nothing or (row.reads and seen is None):
            return {state} if seen in {None, state} else ()
        if row.reads:
            return {str(seen)} if state in {OPEN, seen} else ()
        if state == OPEN:
            return {str(row.status), *(self.by_itself if seen not in {None, row.status} else ())}
        contradicts = state != row.status and (seen == row.status or self.states.refusal(state, row.name))
        return () if contradicts or operation.end is None else {state}

    @property
    def by_itself(self) -> frozenset[str]:
        """The statuses that an object may have reached when a query shows it, without another request."""
        return _by_itself(self.api, self.kind)

    def operation(self, exchange: Exchange, slack_s: float) -> TimedOperation | None:
        """Read an exchange; None if it tells nothing. `slack_s` is for how long a query may show what was before."""
        row, status = by_name(self.api)[str(exchange.operation)], shown_object(exchange).get("status")
        began, ended = exchange.started - CLOCK_S, exchange.ended + CLOCK_S
        if row.reads and (not exchange.ok or not isinstance(status, str)):
            return None
        if not is_decided(exchange) or (exchange.status == ACCEPTED and not isinstance(status, str)):
            return TimedOperation(exchange.evidence, began, None, row.name)
        if not exchange.ok:
            return TimedOperation(exchange.evidence, began, ended, row.name, changes_nothing=True)
        if not row.reads:
            return TimedOperation(exchange.evidence, began, ended, row.name, str(status))
        known = str(status) if status in _targets(self.api, self.kind) | self.by_itself else OPEN
        changes_nothing = known not in self.by_itself
        return TimedOperation(exchange.evidence, began - slack_s, ended, row.name, known, changes_nothing)

    def unexplained(self, history: History, slack_s: float) -> History:
        """Return the shortest part that no order explains; empty if some order explains all answers."""
        operations = filter(None, (self.operation(exchange, slack_s) for exchange in history))
        missed = {operation.name for operation in StateMachine(OPEN, self.step).unexplained(operations)}
        return [exchange for exchange in history if exchange.evidence in missed]


@cache
def _targets(api: Api, kind: str) -> frozenset[str]:
    """Return the statuses that requests lead to."""
    return frozenset(row.status for row in rows_of(api, Effect.CHANGES) if row.kind == kind and row.status)


@cache
def _by_itself(api: Api, kind: str) -> frozenset[str]:
    query = query_of(api, kind).name
    rows = (row for row in states_of(api)[kind].transitions if row.trigger == query)
    return frozenset(row.target for row in rows if row.target)


def shown_object(exchange: Exchange) -> Mapping[str, object]:
    """Return the object that a response shows."""
    body = exchange.json_object
    data = body.get("data", body)
    return data if isinstance(data, dict) else {}


@relation("some order of this request and of {history} explains their answers")
def has_one_order_with(last: Exchange, history: History, kind: str) -> Problem:
    """Search an order of simultaneous requests in which a right object gives these answers; Unknown without any.

    A query may show what was 5 seconds before. A part without simultaneous requests is a matter of other rules.
    """
    if not are_simultaneous([*history, last]):
        return Unknown(Why.NOT_SHOWN, "no two of the requests were simultaneous")
    missed = ObjectModel(last.api, kind).unexplained([*history, last], SETTLED_S)
    return f"no order explains these answers:\n{drawing(missed)}" if are_simultaneous(missed) else None


@relation("some order of this request and of {history} explains their answers, each query showing the latest state")
def has_one_order_of_current_states_with(last: Exchange, history: History, kind: str) -> str | None:
    """Search an order in which each query shows what the answers before it have stated.

    A history that no order explains either if a query may show what was 5 seconds before is a matter of other rules.
    """
    model, requests = ObjectModel(last.api, kind), [*history, last]
    missed = model.unexplained(requests, 0)
    if not missed or model.unexplained(requests, SETTLED_S):
        return None
    return f"a query shows an earlier state than the answer before it:\n{drawing(missed)}"


def are_simultaneous(exchanges: History) -> bool:
    """Return whether two of the requests were being answered at the same time."""
    return any(
        first.started < other.ended and other.started < first.ended for first, other in combinations(exchanges, 2)
    )


def drawing(exchanges: History, field: str = "status") -> str:
    """Draw each request as a bar, from its sending to its response, with its status and a field that it shows."""
    begin, end = min(exchange.started for exchange in exchanges), max(exchange.ended for exchange in exchanges)
    scale = WIDTH / max(end - begin, CLOCK_S)
    return "\n".join(_bar(exchange, begin, scale, field) for exchange in exchanges)


def _bar(exchange: Exchange, begin: float, scale: float, field: str) -> str:
    first = min(int((exchange.started - begin) * scale), WIDTH - 1)
    length = max(1, round((exchange.ended - exchange.started) * scale))
    bar = f"{' ' * first}{'█' * length}"[:WIDTH].ljust(WIDTH)
    answer = " ".join(str(part) for part in (exchange.status or "lost", shown_object(exchange).get(field)) if part)
    from_ms, to_ms = ((moment - begin) * 1000 for moment in (exchange.started, exchange.ended))
    return f"{bar} {exchange.operation} {answer}, {from_ms:.0f} to {to_ms:.0f} ms ({exchange.evidence})"


def histories(exchanges: Iterable[Exchange], api: Api, kind: str) -> list[History]:
    """Return the requests about each sandbox object of a kind that the run created, in the order of their start."""
    creation = states_of(api)[kind].creation.trigger
    about = {row.name for row in rows_of(api, Effect.CHANGES, Effect.SHOWS) if row.kind == kind}
    sent = sorted((exchange for exchange in exchanges if exchange.api == api), key=lambda exchange: exchange.started)
    by_object: dict[tuple[str, str], list[Exchange]] = {}
    for exchange in sent:
        name = visible_id(shown_object(exchange).get("id")) if exchange.operation == creation else None
        if name and exchange.ok and exchange.role in SANDBOX:
            by_object.setdefault((exchange.role, name), [])
    for exchange in sent:
        if exchange.operation in about:
            for name in named(exchange):
                if (exchange.role, name) in by_object:
                    by_object[exchange.role, name].append(exchange)
    return [history for history in by_object.values() if len(history) > 1]


def judged_histories(
    exchanges: Iterable[Exchange], api: Api, kind: str, order: Callable[[History, str], Matcher]
) -> Judged:
    """Yield the last request about each object, with the relation that judges its history."""
    for *history, last in histories(exchanges, api, kind):
        yield last, order(history, kind)
