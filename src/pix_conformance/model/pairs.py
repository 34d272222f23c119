"""The pairs of operations of one API that a run sends at the same time, derived from the rows of `operations`.

One of the two changes something, or both are the same query. Simultaneous requests have a connection each: HTTP/1.1
carries one request of a connection at a time. So what a service keeps for a connection is asked by requests that follow
each other on one, of two accounts in turn: `is_asked_in_turn`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations_with_replacement

from pix_conformance.model.operations import Effect, Operation, of
from pix_conformance.model.vocabulary import Api


class Meeting(StrEnum):
    """What two simultaneous requests are about."""

    ONE_OBJECT = "one object"
    TWO_OBJECTS = "two objects of one account"
    TWO_ACCOUNTS = "two accounts"
    TWO_ENVIRONMENTS = "sandbox and production"


class Visible(StrEnum):
    """Where the effect of a request is looked at afterwards, for each object."""

    ANSWER = "its own answer"
    QUERY = "a query of it by its account, and by another one"
    LIST = "its line in the list"
    EVENT = "its event"
    MONEY = "its amount in the balance or the ledger"
    NEXT = "the next request with its token"


@dataclass(frozen=True)
class Pair:
    """Two operations that may be sent at the same time, and why they are not, where they are not."""

    first: Operation
    second: Operation
    meeting: Meeting
    left_out: str = ""

    @property
    def is_asked_in_turn(self) -> bool:
        """Whether the two are also sent one after the other on one connection: requests of two accounts are."""
        return not self.left_out and self.meeting is Meeting.TWO_ACCOUNTS

    @property
    def looked_at(self) -> frozenset[Visible]:
        """Where the effects of both are looked at."""
        return effects_of(self.first) | effects_of(self.second)


def effects_of(row: Operation) -> frozenset[Visible]:
    """Return where the effect of an operation is looked at; of a query that is the answer alone."""
    lists = any(other.kind == row.kind for other in of(row.api, Effect.LISTS))
    shows = any(other.kind == row.kind and other.id_parameter for other in of(row.api, Effect.SHOWS))
    seen = {
        Visible.ANSWER: True,
        Visible.QUERY: shows and not row.reads and row.kind is not None,
        Visible.LIST: lists and not row.reads and row.kind is not None,
        Visible.EVENT: row.event is not None,
        Visible.MONEY: row.moves_money,
        Visible.NEXT: row.effect is Effect.LOGS_IN,
    }
    return frozenset(place for place, is_seen in seen.items() if is_seen)


def pairs(api: Api) -> Iterator[Pair]:
    """Yield each pair of the table, with the reason where it is left out."""
    for first, second in combinations_with_replacement(of(api), 2):
        if not (first.reads and second.reads) or first is second:
            for meeting in Meeting:
                yield Pair(first, second, meeting, WHY_LEFT_OUT[meeting](first, second))


def _no_common_object(first: Operation, second: Operation) -> str:
    if any(row.moves_money and other.shows_balance for row, other in ((first, second), (second, first))):
        return ""
    if (first.reads and second.reads) or None in {first.kind, second.kind}:
        return "neither changes what the other is about"
    if first.kind != second.kind:
        return "they are about objects of different kinds"
    creation = next((row for row in (first, second) if row.effect is Effect.CREATES), None)
    if creation is None or Effect.LISTS in {first.effect, second.effect}:
        return ""
    if first is second:
        return "" if creation.takes_key else "without an idempotency key two creations have no object in common"
    return "no request names an object before the response to its creation"


def _no_two_objects(first: Operation, second: Operation) -> str:
    is_of_account = first is second and first.reads and not first.id_parameter
    return "an account has one balance and one list" if is_of_account else ""


def _two_accounts(_first: Operation, _second: Operation) -> str:
    return ""


def _no_production(first: Operation, second: Operation) -> str:
    if is_sent_in_production(first) or is_sent_in_production(second):
        return ""
    shows_transfer = any(row.reads for row in (first, second))
    changes = "transfer in production" if shows_transfer else "such request in production, but for one charge"
    return f"a run sends no {changes}"


def is_sent_in_production(row: Operation) -> bool:
    """Return whether a run sends such requests in production: those that change nothing; there is no transfer."""
    return row.effect is Effect.LOGS_IN or (row.reads and not (row.kind == "transfer" and row.id_parameter))


WHY_LEFT_OUT = {
    Meeting.ONE_OBJECT: _no_common_object,
    Meeting.TWO_OBJECTS: _no_two_objects,
    Meeting.TWO_ACCOUNTS: _two_accounts,
    Meeting.TWO_ENVIRONMENTS: _no_production,
}
"""By what two requests are about, the reason why two operations are not sent so; empty if they are."""
