"""History checks of events: all events of a run against its charges and transfers (PAY-EVT)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.events import no_second_event_received
from pix_conformance.checks.history import (
    FEW,
    SETTLED_S,
    Judged,
    body_sent,
    delivery_horizon,
    has_unacknowledged_delivery,
    looks_sequential,
    named,
)
from pix_conformance.checks.matchers import Matcher, field_in
from pix_conformance.checks.payments.transfers import FAILED
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of, query_of
from pix_conformance.model.states import UnrequestedTransition, states_of
from pix_conformance.model.subject import at
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import MASK, Api, Role
from pix_conformance.model.why import Why

OK = 200
MADE = {row.name: row.event.partition("_")[0] for row in of(Api.PAYMENTS, Effect.CREATES) if row.event}
"""By operation, the first word of the events about what it creates."""
ENDED = {row.name: row.event for row in of(Api.PAYMENTS, Effect.CHANGES) if row.event}
UNREQUESTED = {
    MADE[states.creation.trigger]: states.unrequested
    for states in states_of(Api.PAYMENTS).values()
    if states.creation.trigger in MADE
}
"""By the first word of the events of an object, its transitions that no request causes."""
QUERIES = {
    query_of(Api.PAYMENTS, row.kind).name: MADE[row.name] for row in of(Api.PAYMENTS) if row.kind and row.name in MADE
}
ENDS = frozenset({"canceled", "refunded"})
"""Final statuses. Transfers with other failures may still be completed (PAY-CMP-11, PAY-CMP-12)."""
LOST = ENDS | FAILED
"""Statuses of failed objects. A query and an event may use different ones of them."""
AMOUNT = {"transaction": "amountInCents", "transfer": "amount"}
ACCOUNTS = {Role.MERCHANT, Role.OTHER_MERCHANT}
Named = tuple[str, str]
"""Kind and id of a charge or transfer."""


class Lost(NamedTuple):
    """A missing event: the exchange that caused it, and the request body of its object."""

    cause: Exchange
    body: dict[str, Any]
    in_line: bool
    """Whether the sender may wait to repeat an event that the receiver refused."""


@dataclass
class Object:
    """A charge or a transfer: the responses that created it and showed it, and the requests of its end."""

    creations: list[Exchange] = field(default_factory=list)
    ends: list[Exchange] = field(default_factory=list)
    """The requests that change it, such as its payment or completion, of any account."""
    queries: list[Exchange] = field(default_factory=list)
    """The queries of its own account that showed a status."""

    @property
    def roles(self) -> set[str]:
        """The accounts that created it."""
        return {creation.role for creation in self.creations}

    def ends_with(self, event: str) -> list[Exchange]:
        """Return the requests that send an event if they succeed."""
        return [end for end in self.ends if ENDED[str(end.operation)] == event]

    def end_to_end_ids(self, event: str) -> list[Any]:
        """Return what the responses to its payment or completion show."""
        ends = (end for end in self.ends_with(event) if end.status == OK and self.roles == {end.role})
        return [at(end.json_object, "data.endToEndId") for end in ends]


@relation("one of {payments}, the payments of its charge, was not refused")
def follows_an_accepted_payment(event: Delivery, payments: Sequence[Exchange]) -> str | None:
    """Expect an event to come of a payment that is not refused."""
    refused = all(is_refusal(payment.status) for payment in payments)
    problem = f"a {event_of(event, Api.PAYMENTS)} arrived, but every payment of its charge was refused"
    return problem if refused else None


@relation("no later query of {queries} shows that {kind}.status was not final")
def is_denied_by_no_query(event: Delivery, kind: str, queries: Sequence[Exchange]) -> Problem:
    """Compare the final status in an event with what queries long after it show; Unknown without one of the two."""
    status, after = at(event.json, f"{kind}.status"), event.received + SETTLED_S
    later = [str(at(query.json_object, "data.status")) for query in queries if query.started > after]
    if status not in ENDS or not later:
        return Unknown(Why.NOT_SHOWN, f"no query came long after an event with a final {kind}.status")
    return f"{kind}.status is {status}, but later queries show {later[-1]}" if LOST.isdisjoint(later) else None


@relation("the event is about what the account {role} created, not about what another created ({creations})")
def is_about_an_object_of(event: Delivery, role: str, creations: Sequence[Exchange]) -> str | None:
    """Expect the creation of what an event is about to be a request of the account of the webhook."""
    others = [creation for creation in creations if creation.role in ACCOUNTS - {role}]
    name = event_of(event, Api.PAYMENTS)
    return f"a {name} is about what another account created ({others[0].evidence})" if others else None


@relation("a {event} came about each change, but for {missing}")
def lacks_no_event(_cause: Exchange, event: str, missing: Sequence[Exchange]) -> str | None:
    """Expect no change without its event."""
    return f"no {event} arrived for {at(missing[0].json_object, 'data.id')}" if missing else None


class Histories:
    """The charges and transfers of a run, and the events about them."""

    def __init__(self, exchanges: Iterable[Exchange], deliveries: Iterable[Delivery]) -> None:
        """Read the exchanges and the deliveries of a run."""
        self._objects: dict[Named, Object] = defaultdict(Object)
        self._due: dict[str, dict[Named, Exchange]] = defaultdict(dict)
        """By event, the objects about which it must be sent, and the exchange that causes it."""
        self._bodies: dict[Named, dict[str, Any]] = {}
        self._first: dict[UnrequestedTransition, dict[Named, Exchange]] = defaultdict(dict)
        """By transition that no request causes, the first query that shows an object in a status before it."""
        self._before: dict[str, dict[Named, Exchange]] = defaultdict(dict)
        """By event, that query of the objects about which it must be sent."""
        asked = [exchange for exchange in exchanges if exchange.api == Api.PAYMENTS]
        for exchange in asked:
            if exchange.operation in MADE and exchange.status == OK:
                self._read_creation(exchange)
        self._leave_out_shared_ids()
        for exchange in asked:
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
        missing = {kind: violation for kind in [*self._due] if (violation := self._lost(kind, deliveries, since))}
        return None if len(missing) > 1 and self._in_line() else missing.get(event)

    def changes_with_event(self, event: str, deliveries: Sequence[Delivery], since: float) -> list[Exchange]:
        """Return the changes whose event came to a webhook registered at `since`; none if they are too few to judge."""
        causes, came = self._causes(event, since), self._came(event, deliveries, since)
        return [causes[name] for name in came] if len(came) >= FEW else []

    def _causes(self, event: str, since: float) -> dict[Named, Exchange]:
        """Return the changes about which a webhook registered at `since` must be sent an event."""
        before = self._before[event]
        known = {name: cause for name, cause in self._due[event].items() if name in self._objects}
        return {name: cause for name, cause in known.items() if before.get(name, cause).ended > since}

    def _came(self, event: str, deliveries: Sequence[Delivery], since: float) -> dict[Named, Delivery]:
        """Return the first delivery of an event about each of these changes."""
        causes, came = self._causes(event, since), dict[Named, Delivery]()
        for delivery, kind, name in self._events(deliveries):
            if kind == event and name in causes:
                came.setdefault(name, delivery)
        return came

    def _lost(self, event: str, deliveries: Sequence[Delivery], since: float) -> Lost | None:
        causes, came = self._causes(event, since), self._came(event, deliveries, since)
        due = {name: cause.ended for name, cause in causes.items()}
        if len(came) < FEW:
            return None
        delays = (delivery.received - due[name] for name, delivery in came.items())
        ends = delivery_horizon(max(delivery.received for delivery in came.values()), delays)
        missing = next((name for name, done in due.items() if name not in came and done < ends), None)
        if missing is None or any(delivery.unreadable for delivery in deliveries):  # one of these may be about it
            return None
        return Lost(causes[missing], self._bodies[missing], self._in_line())

    def _in_line(self) -> bool:
        """Any refused delivery may hold up others, also one about an object that is not judged."""
        events = _named_events(self._deliveries)
        return has_unacknowledged_delivery(
            ((delivery.path, event, name), delivery.answered) for delivery, event, name in events
        )

    def paid_events(self) -> Judged:
        """Expect a payment of the charge of each transaction_paid, of the charges that were requested to be paid."""
        for delivery, event, name in self.events:
            payments = self._objects[name].ends_with(event) if event == "transaction_paid" else []
            if payments:
                yield delivery, follows_an_accepted_payment(payments)

    def amounts(self, kind: str) -> Judged:
        """Compare the amount in each event with those with which its charge or transfer was created."""
        for delivery, _, name in self.events:
            due = [
                body_sent(creation).get(AMOUNT[kind]) for creation in self._objects[name].creations if name[0] == kind
            ]
            if due and all(type(amount) is int for amount in [at(delivery.json, f"{kind}.amount"), *due]):
                yield delivery, field_in(f"{kind}.amount", *due)

    def end_to_end_ids(self, event: str) -> Judged:
        """Compare the endToEndId in each event with those of the responses to the payment or completion."""
        for delivery, kind, name in self.events:
            number, ids = at(delivery.json, f"{name[0]}.pix.endToEndId"), self._objects[name].end_to_end_ids(event)
            if kind == event and ids and all(map(_is_visible_id, [number, *ids])):
                yield delivery, field_in(f"{name[0]}.pix.endToEndId", *ids)

    def numbers_of(self, event: str) -> Judged:
        """Compare the id of each event that one address took about an object with that of the first one."""
        accepted: dict[tuple[str, Named], list[Delivery]] = defaultdict(list)
        for delivery, kind, name in self.events:
            if kind == event and delivery.is_accepted:
                accepted[delivery.path, name].append(delivery)
        for deliveries in accepted.values():
            yield deliveries[0], no_second_event_received(event, tuple(deliveries))

    def final_statuses(self, kind: str) -> Iterator[tuple[Delivery, Matcher]]:
        """Compare the status in each event with those that later queries show."""
        for delivery, _, name in self.events:
            if name[0] == kind and isinstance(at(delivery.json, f"{kind}.status"), str):
                yield delivery, is_denied_by_no_query(kind, self._objects[name].queries)

    def owners(self, deliveries: Iterable[Delivery], role: Role) -> Judged:
        """Expect each event that a webhook of an account received to be about an object of that account."""
        for delivery, _, name in self._events(deliveries):
            yield delivery, is_about_an_object_of(role, self._objects[name].creations)

    def _events(self, deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, str, Named]]:
        """Yield each delivery about an object of this run, with its event and the kind and id of the object."""
        for delivery, event, name in _named_events(deliveries):
            if name in self._objects:
                yield delivery, event, name

    def _leave_out_shared_ids(self) -> None:
        """Leave out the ids that two accounts have; where each counts its own, also all those of other accounts.

        The merchant may have an object of such an id too whose creation this run did not see answered.
        """
        shared = {name for name, object_ in self._objects.items() if len(object_.roles) > 1}
        counted = {kind for kind, number in shared if looks_sequential(number)}
        others = {name for name, object_ in self._objects.items() if object_.roles != {Role.MERCHANT}}
        for name in shared | {name for name in others if name[0] in counted}:
            del self._objects[name]

    def _read_creation(self, creation: Exchange) -> None:
        kind = MADE[str(creation.operation)]
        number = at(creation.json_object, "data.id")
        if not _is_visible_id(number):
            return
        name = kind, str(number)
        self._objects[name].creations.append(creation)
        if creation.role == Role.MERCHANT:
            self._due[f"{kind}_created"].setdefault(name, creation)
            self._bodies.setdefault(name, body_sent(creation))

    def _read_end(self, exchange: Exchange) -> None:
        event = ENDED[str(exchange.operation)]
        kind = event.partition("_")[0]
        for name in [(kind, number) for number in named(exchange) if (kind, number) in self._objects]:
            known = self._objects[name]
            known.ends.append(exchange)
            if exchange.status == OK and known.roles == {exchange.role} == {Role.MERCHANT}:
                self._due[event].setdefault(name, exchange)

    def _read_query(self, query: Exchange) -> None:
        answer = query.json_object
        name, status = (QUERIES[str(query.operation)], str(at(answer, "data.id"))), at(answer, "data.status")
        if name in self._objects and self._objects[name].roles == {query.role} and isinstance(status, str):
            self._objects[name].queries.append(query)
            for row in UNREQUESTED[name[0]] if query.role == Role.MERCHANT else ():
                first = self._first[row].get(name)
                if first and row.is_shown_by(at(first.json_object, "data.status"), status):
                    self._due[row.event].setdefault(name, query)
                    self._before[row.event].setdefault(name, first)
                if status in row.sources:
                    self._first[row].setdefault(name, query)


def _named_events(deliveries: Iterable[Delivery]) -> Iterator[tuple[Delivery, str, Named]]:
    """Yield each delivery of an event, with the event and the kind and id of its object."""
    for delivery in deliveries:
        if event := event_of(delivery, Api.PAYMENTS):
            kind = event.partition("_")[0]
            yield delivery, event, (kind, str(at(delivery.json, f"{kind}.id")))


def _is_visible_id(number: object) -> bool:
    """Return whether the value is an id that is not masked."""
    return isinstance(number, str) and MASK not in number
