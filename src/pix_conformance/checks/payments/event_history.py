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
        ours = [exchange for exchange in exchanges if exchange.api == Api.PAYMENTS]
        for exchange in ours:
            if exchange.operation in MADE and exchange.status == OK:
                self._read_creation(exchange)
        for shared in [name for name, object_ in self._objects.items() if len(object_.roles) > 1]:
            del self._objects[shared]
        for exchange in ours:
            if exchange.operation in ENDED:
                self._read_end(exchange)
            elif exchange.operation in QUERIES and exchange.status == OK:
                self._read_query(exchange)
        self._deliveries = list(deliveries)
        self.events = list(self._events(self._deliveries))

    def change_without_event(self, event: str, deliveries: Sequence[Delivery], since: float) -> Lost | None:
        """Return a change without an event at a webhook registered at `since`, although later events arrived there.

        If events of several kinds are missing, the sender may wait to repeat an event that the receiver refused.
        """
        missing = {kind: violation for kind in self._due if (violation := self._lost(kind, deliveries, since))}
        return None if len(missing) > 1 and self._in_line() else missing.get(event)

    def _lost(self, event: str, deliveries: Sequence[Delivery], since: float) -> Lost | None:
        first = self._first if event == UPDATED else {}
        known = {name: cause for name, cause in self._due[event].items() if name in self._objects}
        causes = {name: cause for name, cause in known.items() if first.get(name, cause).ended > since}
        due = {name: cause.ended for name, cause in causes.items()}
        came: dict[Named, Delivery] = {}
        for delivery, kind, name in self._events(deliveries):
            if kind == event and name in due:
                came.setdefault(name, delivery)
        if len(came) < FEW:
            return None
        delays = (delivery.received - due[name] for name, delivery in came.items())
        ends = delivery_horizon(max(delivery.received for delivery in came.values()), delays)
        missing = next((name for name, done in due.items() if name not in came and done < ends), None)
        if missing is None:
            return None
        return Lost(causes[missing], self._bodies[missing], self._in_line(), f"no {event} arrived for {missing[1]}")

    def _in_line(self) -> bool:
        """Any refused delivery may hold up others, also one about an object that is not judged."""
        events = _named_events(self._deliveries)
        return has_unacknowledged_delivery(
            ((delivery.path, event, name), delivery.answered) for delivery, event, name in events
        )

    def paid_event_of_refused_payments(self) -> Found:
        """Return a transaction_paid event of a charge of which every payment was refused."""
        for delivery, event, name in self.events:
            charge = self._objects[name]
            if event == "transaction_paid" and charge.was_requested and not charge.may_have_ended:
                return delivery, f"a {event} arrived for {name[1]}, but every payment of it was refused"
        return None

    def misstated(self, kind: str) -> Found:
        """Return an event with an amount that its charge or transfer does not have."""
        for delivery, _, name in self.events:
            amount, due = at(delivery.json, f"{kind}.amount"), self._objects[name].amounts
            if name[0] == kind and type(amount) is int and amount not in due and due.isdisjoint({None}):
                return delivery, f"{kind}.amount is {amount}, {' or '.join(map(shown, due))} was sent"
        return None

    def misnamed(self, event: str) -> Found:
        """Return an event whose endToEndId is not that of the response to the payment or completion."""
        for delivery, kind, name in self.events:
            number, ids = at(delivery.json, f"{name[0]}.pix.endToEndId"), self._objects[name].e2e_ids
            if kind == event and ids and all(map(_is_visible_id, [number, *ids])) and number not in ids:
                return delivery, f"endToEndId is {shown(number)}, the response has {' or '.join(map(shown, ids))}"
        return None

    def undone(self, kind: str) -> Found:
        """Return an event whose status says that its object has failed, although a later query shows otherwise."""
        for delivery, event, name in self.events:
            status, after = at(delivery.json, f"{kind}.status"), delivery.received + SETTLED_S
            later = [state for begun, state in self._objects[name].queried if name[0] == kind and begun > after]
            if isinstance(status, str) and status in ENDS and later and LOST.isdisjoint(later):
                return delivery, f"a {event} has the status {status}, but later queries show {later[-1]}"
        return None

    def foreign(self, deliveries: Iterable[Delivery], role: Role) -> Found:
        """Return an event that a webhook of one account received about an object of another account."""
        for delivery, event, name in self._events(deliveries):
            if self._objects[name].roles & (ACCOUNTS - {role}):
                return delivery, f"a {event} arrived for {name[1]}, which another account made"
        return None

    def _events(self, deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, str, Named]]:
        """Yield each delivery about an object of this run, with its event and the kind and id of the object."""
        for delivery, event, name in _named_events(deliveries):
            if name in self._objects:
                yield delivery, event, name

    def _read_creation(self, creation: Exchange) -> None:
        kind = MADE[str(creation.operation)]
        number, amount = at(creation.json_object, "data.id"), sent(creation).get(AMOUNT[kind])
        if not _is_visible_id(number):
            return
        name = kind, str(number)
        self._objects[name].roles.add(creation.role)
        self._objects[name].amounts.add(amount if type(amount) is int else None)
        if creation.role == Role.MERCHANT:
            self._due[f"{kind}_created"].setdefault(name, creation)
            self._bodies.setdefault(name, sent(creation))

    def _read_end(self, exchange: Exchange) -> None:
        event, status = ENDED[str(exchange.operation)], exchange.status
        kind = event.partition("_")[0]
        for name in [(kind, number) for number in named(exchange) if (kind, number) in self._objects]:
            known = self._objects[name]
            known.was_requested = True
            known.may_have_ended = known.may_have_ended or not is_refusal(status)
            if status == OK and known.roles == {exchange.role}:
                known.e2e_ids.append(at(exchange.json_object, "data.endToEndId"))
                if exchange.role == Role.MERCHANT:
                    self._due[event].setdefault(name, exchange)

    def _read_query(self, query: Exchange) -> None:
        answer = query.json_object
        name, status = (QUERIES[str(query.operation)], str(at(answer, "data.id"))), at(answer, "data.status")
        if name in self._objects and self._objects[name].roles == {query.role} and isinstance(status, str):
            self._objects[name].queried.append((query.started, status))
            if query.role == Role.MERCHANT and name[0] == "transfer" and status in UNDER_WAY:
                first = self._first.setdefault(name, query)
                if at(first.json_object, "data.status") != status:
                    self._due[UPDATED].setdefault(name, query)


def _named_events(deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, str, Named]]:
    """Yield each delivery of an event, with the event and the kind and id of its object."""
    for delivery in deliveries:
        if event := event_of(delivery, Api.PAYMENTS):
            kind = event.partition("_")[0]
            yield delivery, event, (kind, str(at(delivery.json, f"{kind}.id")))


def _is_visible_id(number: object) -> bool:
    """Return whether the value is an id that is not masked."""
    return isinstance(number, str) and MASK not in number
