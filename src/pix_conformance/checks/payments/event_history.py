"""History checks of events: all events of a run against its charges and transfers (PAY-EVT)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pix_conformance.checks.history import (
    FEW,
    SETTLED_S,
    delivery_horizon,
    has_unacknowledged_delivery,
    named,
    sent,
)
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of, query_of
from pix_conformance.model.payments_states import UNDER_WAY
from pix_conformance.model.subject import at, shown
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import MASK, Api, Role

OK = 200
MADE = {row.name: row.event.partition("_")[0] for row in of(Api.PAYMENTS, Effect.CREATES) if row.event}
"""By operation, the first word of the events about what it creates."""
ENDED = {row.name: row.event for row in of(Api.PAYMENTS, Effect.CHANGES) if row.event}
UPDATED = "transfer_updated"
QUERIES = {
    query_of(Api.PAYMENTS, row.kind).name: MADE[row.name] for row in of(Api.PAYMENTS) if row.kind and row.name in MADE
}
ENDS = frozenset({"canceled", "refunded"})
"""Final statuses. Transfers with other failures may still be completed (PAY-CMP-11, PAY-CMP-12)."""
LOST = ENDS | {"refused", "banking_refused", "banking_error", "error"}
"""Statuses of failed objects. A query and an event may use different ones of them."""
AMOUNT = {"transaction": "amountInCents", "transfer": "amount"}
ACCOUNTS = {Role.MERCHANT, Role.OTHER_MERCHANT}
Named = tuple[str, str]
"""Kind and id of a charge or transfer."""
Found = tuple[Delivery, str] | None
"""The delivery that shows a problem, and the problem; None if there is none."""


class Lost(NamedTuple):
    """A missing event: the exchange that caused it, the request body of its object, and the problem."""

    cause: Exchange
    body: dict[str, Any]
    in_line: bool
    """Whether the sender may wait to repeat an event that the receiver refused."""
    problem: str


@dataclass
class Object:
    """A charge or a transfer: its accounts, its amounts, and the responses to its payment or completion."""

    roles: set[str] = field(default_factory=set)
    amounts: set[Any] = field(default_factory=set)
    was_requested: bool = False
    """Whether its payment or completion was requested."""
    may_have_ended: bool = False
    """Whether a payment or completion was not refused."""
    e2e_ids: list[Any] = field(default_factory=list)
    queried: list[tuple[float, Any]] = field(default_factory=list)
    """The begin of each query (epoch seconds) and the status that it showed."""


class Histories:
    """The charges and transfers of a run, and the events about them."""

    def __init__(self, exchanges: Iterable[Exchange], deliveries: Iterable[Delivery]) -> None:
        """Read the exchanges and the deliveries of a run."""
        self._objects: dict[Named, Object] = defaultdict(Object)
        self._due: dict[str, dict[Named, Exchange]] = defaultdict(dict)
        """By event, the objects about which it must be sent, and the exchange that causes it."""
        self._bodies: dict[Named, dict[str, Any]] = {}
        self._first: dict[Named, Exchange] = {}
        """The first query of a transfer that shows a status that is not final."""
        ours = [one for one in exchanges if one.api == Api.PAYMENTS]
        for one in ours:
            if one.operation in MADE and one.status == OK:
                self._read_creation(one)
        for shared in [name for name, one in self._objects.items() if len(one.roles) > 1]:
            del self._objects[shared]
        for one in ours:
            if one.operation in ENDED:
                self._read_end(one)
            elif one.operation in QUERIES and one.status == OK:
                self._read_query(one)
        self._deliveries = list(deliveries)
        self.events = list(self._events(self._deliveries))

    def change_without_event(self, event: str, there: Sequence[Delivery], since: float) -> Lost | None:
        """Return a change without an event at a webhook registered at `since`, although later events arrived there.

        If events of several kinds are missing, the sender may wait to repeat an event that the receiver refused.
        """
        lost = {kind: found for kind in self._due if (found := self._lost(kind, there, since))}
        return None if len(lost) > 1 and self._in_line() else lost.get(event)

    def _lost(self, event: str, there: Sequence[Delivery], since: float) -> Lost | None:
        first = self._first if event == UPDATED else {}
        known = {name: one for name, one in self._due[event].items() if name in self._objects}
        causes = {name: one for name, one in known.items() if first.get(name, one).ended > since}
        due = {name: one.ended for name, one in causes.items()}
        came: dict[Named, Delivery] = {}
        for one, kind, name in self._events(there):
            if kind == event and name in due:
                came.setdefault(name, one)
        if len(came) < FEW:
            return None
        delays = (one.received - due[name] for name, one in came.items())
        ends = delivery_horizon(max(one.received for one in came.values()), delays)
        lost = next((name for name, done in due.items() if name not in came and done < ends), None)
        if lost is None:
            return None
        return Lost(causes[lost], self._bodies[lost], self._in_line(), f"no {event} arrived for {lost[1]}")

    def _in_line(self) -> bool:
        """Any refused delivery may hold up others, also one about an object that is not judged."""
        events = _named_events(self._deliveries)
        return has_unacknowledged_delivery(((one.path, event, name), one.answered) for one, event, name in events)

    def paid_event_of_refused_payments(self) -> Found:
        """Return a transaction_paid event of a charge of which every payment was refused."""
        for one, event, name in self.events:
            charge = self._objects[name]
            if event == "transaction_paid" and charge.was_requested and not charge.may_have_ended:
                return one, f"a {event} arrived for {name[1]}, but every payment of it was refused"
        return None

    def misstated(self, kind: str) -> Found:
        """Return an event with an amount that its charge or transfer does not have."""
        for one, _, name in self.events:
            amount, due = at(one.json, f"{kind}.amount"), self._objects[name].amounts
            if name[0] == kind and type(amount) is int and amount not in due and due.isdisjoint({None}):
                return one, f"{kind}.amount is {amount}, {' or '.join(map(shown, due))} was sent"
        return None

    def misnamed(self, event: str) -> Found:
        """Return an event whose endToEndId is not that of the response to the payment or completion."""
        for one, kind, name in self.events:
            number, ids = at(one.json, f"{name[0]}.pix.endToEndId"), self._objects[name].e2e_ids
            if kind == event and ids and all(map(_is_visible_id, [number, *ids])) and number not in ids:
                return one, f"endToEndId is {shown(number)}, the response has {' or '.join(map(shown, ids))}"
        return None

    def undone(self, kind: str) -> Found:
        """Return an event whose status says that its object has failed, although a later query shows otherwise."""
        for one, event, name in self.events:
            status, after = at(one.json, f"{kind}.status"), one.received + SETTLED_S
            later = [found for begun, found in self._objects[name].queried if name[0] == kind and begun > after]
            if isinstance(status, str) and status in ENDS and later and LOST.isdisjoint(later):
                return one, f"a {event} has the status {status}, but later queries show {later[-1]}"
        return None

    def foreign(self, there: Iterable[Delivery], role: Role) -> Found:
        """Return an event that a webhook of one account received about an object of another account."""
        for one, event, name in self._events(there):
            if self._objects[name].roles & (ACCOUNTS - {role}):
                return one, f"a {event} arrived for {name[1]}, which another account made"
        return None

    def _events(self, deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, str, Named]]:
        """Yield each delivery about an object of this run, with its event and the kind and id of the object."""
        for delivery, event, name in _named_events(deliveries):
            if name in self._objects:
                yield delivery, event, name

    def _read_creation(self, one: Exchange) -> None:
        kind = MADE[str(one.operation)]
        number, amount = at(one.json_object, "data.id"), sent(one).get(AMOUNT[kind])
        if not _is_visible_id(number):
            return
        name = kind, str(number)
        self._objects[name].roles.add(one.role)
        self._objects[name].amounts.add(amount if type(amount) is int else None)
        if one.role == Role.MERCHANT:
            self._due[f"{kind}_created"].setdefault(name, one)
            self._bodies.setdefault(name, sent(one))

    def _read_end(self, one: Exchange) -> None:
        event, status = ENDED[str(one.operation)], one.status
        kind = event.partition("_")[0]
        for name in [(kind, each) for each in named(one) if (kind, each) in self._objects]:
            known = self._objects[name]
            known.was_requested = True
            known.may_have_ended = known.may_have_ended or not is_refusal(status)
            if status == OK and known.roles == {one.role}:
                known.e2e_ids.append(at(one.json_object, "data.endToEndId"))
                if one.role == Role.MERCHANT:
                    self._due[event].setdefault(name, one)

    def _read_query(self, one: Exchange) -> None:
        answer = one.json_object
        name, status = (QUERIES[str(one.operation)], str(at(answer, "data.id"))), at(answer, "data.status")
        if name in self._objects and self._objects[name].roles == {one.role} and isinstance(status, str):
            self._objects[name].queried.append((one.started, status))
            if one.role == Role.MERCHANT and name[0] == "transfer" and status in UNDER_WAY:
                first = self._first.setdefault(name, one)
                if at(first.json_object, "data.status") != status:
                    self._due[UPDATED].setdefault(name, one)


def _named_events(deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, str, Named]]:
    """Yield each delivery of an event, with the event and the kind and id of its object."""
    for delivery in deliveries:
        if event := event_of(delivery, Api.PAYMENTS):
            kind = event.partition("_")[0]
            yield delivery, event, (kind, str(at(delivery.json, f"{kind}.id")))


def _is_visible_id(number: object) -> bool:
    """Return whether the value is an id that is not masked."""
    return isinstance(number, str) and MASK not in number
