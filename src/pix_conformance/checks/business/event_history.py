"""History checks of events: all events of a run against the merchant's charges (BUS-EVT)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pix_conformance.checks.history import (
    FEW,
    delivery_horizon,
    named,
)
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.subject import at
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import MASK, Api, Role

CREATED, PAID, CANCELED = "business.pix.created", "business.pix.paid", "business.pix.canceled"
UNIQUE_REF = re.compile("pix-conformance-[0-9a-f-]{36}")
"""The form of an `external_ref` that only one creation of the run has, unless a test repeats it on purpose."""
CAUSES = {row.name: row.event for row in of(Api.BUSINESS, Effect.CHANGES) if row.event}
SHOWS = {row.status: row.event for row in of(Api.BUSINESS, Effect.CHANGES) if row.status and row.event}
WITHOUT_CAUSE = {
    CREATED: "every creation with this external_ref was refused",
    PAID: "no request to pay its charge was accepted, and no query showed it paid",
    CANCELED: "no request to cancel its charge was accepted, and no query showed it canceled",
}
NEIGHBOURS, RARELY_LOST, MOST_ATTEMPTS = 3, 10, 8
"""An event is missing only if so many events before and after it arrived, and fewer than one in ten is missing.

MOST_ATTEMPTS is the number of attempts at an event that the receiver refuses (BUS-RETRY-02).
"""
ACCEPTED = range(200, 300)
Found = tuple[Delivery | Exchange, str] | None
"""The delivery or request that shows a problem, and the problem; None if there is none."""


@dataclass
class ChargesOfRef:
    """The charges of a run with one `external_ref`, or the only charge of an amount if it has none."""

    roles: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    amounts: set[int] = field(default_factory=set)
    """The valid amounts of the requests: which amount a charge has that should have been refused is not known."""
    uncertain: bool = False
    """Whether a creation was neither accepted nor refused, or returned an id that is masked."""

    @property
    def is_certain(self) -> bool:
        """Whether only the merchant account made charges with this `external_ref`, and all of them are known."""
        return self.roles == {Role.MERCHANT} and not self.uncertain


class Histories:
    """The charges of a run by `external_ref`, and the events about them."""

    def __init__(self, exchanges: Iterable[Exchange], deliveries: Iterable[Delivery]) -> None:
        """Read the exchanges and the deliveries of a run."""
        self._by_ref: dict[str, ChargesOfRef] = defaultdict(ChargesOfRef)
        self._perhaps: dict[str, set[str]] = defaultdict(set)
        """By event, the charges about which it may be sent."""
        self._e2e_ids: dict[str, set[Any]] = defaultdict(set)
        self._due: dict[str, dict[str, Exchange]] = defaultdict(dict)
        """By event, the charges about which it must be sent, and the exchange that shows this."""
        self._asked: Counter[str] = Counter()
        """How many creations had an amount."""
        self._special_refs: dict[str, Exchange] = {}
        """Values of `external_ref` of another form, and the first creation with each."""
        for exchange in exchanges:
            if exchange.api == Api.BUSINESS:
                self._read(exchange, exchange.status)
        for amount in (label for label, count in self._asked.items() if count > 1):
            self._by_ref.pop(amount, None)
        self._deliveries = list(deliveries)
        self.events = [(delivery, *named) for delivery in self._deliveries if (named := self._named(delivery))]

    def event_without_change(self) -> Found:
        """Return an event about a change that no charge with its `external_ref` has made, or may have made."""
        for delivery, event, label in self.events:
            if not self._causes(event, label):
                return delivery, f"a {event} arrived for {label}, but {WITHOUT_CAUSE.get(event, 'nothing caused it')}"
        return None

    def more_events_than_changes(self) -> Found:
        """Return an event if more events of one kind, with different ids, arrived than charges changed.

        Events that the receiver refused are left out: whether their repetition has the same id is another requirement.
        """
        ids: dict[tuple[str, str], set[str]] = defaultdict(set)
        again = {
            (event, label)
            for delivery, event, label in self.events
            if delivery.fault or delivery.answered not in ACCEPTED
        }
        for delivery, event, label in self.events:
            ids[event, label].add(str(at(delivery.json, "id")))
            if (event, label) not in again and len(ids[event, label]) > max(1, len(self._causes(event, label))):
                return delivery, f"{len(ids[event, label])} different {event} arrived for {label}"
        return None

    def change_without_event(self, event: str) -> Found:
        """Return a change without an event, although events of much later changes arrived.

        If events of several kinds are missing, the sender may wait to repeat an event that the receiver refused. If no
        event has the `external_ref` of its charge, that is another requirement.
        """
        missing = {kind: violations for kind in (CREATED, PAID, CANCELED) if (violations := self._lost(kind))}
        waiting = self._waited_for()
        if len(missing) > 1 and waiting:
            return self._passed_over(waiting) if event == CREATED else None
        return next(iter(missing.get(event, {}).values()), None)

    def _waited_for(self) -> set[str]:
        """Return each `external_ref` with an event that the receiver refused and that has attempts left."""
        came: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for delivery, event, label in self.events:
            came[event, label].append(not delivery.fault and delivery.answered in ACCEPTED)
        copies = max((len(taken) for taken in came.values() if all(taken)), default=1)
        return {label for (_, label), taken in came.items() if not any(taken) and len(taken) < MOST_ATTEMPTS * copies}

    def _passed_over(self, waiting: set[str]) -> Found:
        """Return a creation without an event, although a later event of its charge and its neighbours' events arrived.

        A sender that waits for a refused event would hold back the neighbours too, more than a few events, and none
        of a charge made before the refused one's. One missing event alone is no proof.
        """
        until, (due, _), missing = self._decided_until(CREATED), self._expected(CREATED), self._lost(CREATED)
        with_later_event = {label for _, event, label in self.events if event != CREATED}
        in_turn = [label for label, cause in sorted(due.values(), key=lambda it: it[1].ended) if cause.ended < until]
        alone = [
            label
            for place, label in enumerate(in_turn[NEIGHBOURS:-NEIGHBOURS])
            if label in missing
            and label in with_later_event
            and len(missing.keys() & {*in_turn[place : place + 2 * NEIGHBOURS + 1]}) == 1
        ]
        since = min((cause.started for label, cause in due.values() if label in waiting), default=0.0)
        before = any(cause.ended < since for label, cause in due.values() if label in missing)
        return missing[alone[0]] if before and len(alone) > 1 and len(missing) * RARELY_LOST < len(in_turn) else None

    def mislabelled(self) -> Found:
        """Return a creation whose special `external_ref` no event has, although no other event is missing."""
        known = [
            at(delivery.json, "data.external_ref")
            for delivery in self._deliveries
            if event_of(delivery, Api.BUSINESS) == CREATED
        ]
        if not self._has_enough_events(CREATED) or any(self._lost(kind) for kind in (CREATED, PAID, CANCELED)):
            return None
        until, (due, _) = self._decided_until(CREATED), self._expected(CREATED)
        if any(
            UNIQUE_REF.fullmatch(label) and cause.ended < until and label not in known for label, cause in due.values()
        ):
            return None
        for label, creation in self._special_refs.items():
            if creation.ended < until and label not in known:
                return creation, f"no {CREATED} arrived with the external_ref {label!r}"
        return None

    def _lost(self, event: str) -> dict[str, tuple[Exchange, str]]:
        """Return the changes without an event, by `external_ref`."""
        due, came = self._expected(event)
        if not self._has_enough_events(event):
            return {}
        until = self._decided_until(event)
        lacking = Counter(label for label, cause in due.values() if cause.ended < until)
        naming = len([label for label in came if UNIQUE_REF.fullmatch(label)]) >= FEW
        return {
            label: (cause, f"{len(came[label])} {event} arrived for {label}, {lacking[label]} are due")
            for label, cause in due.values()
            if (naming or not UNIQUE_REF.fullmatch(label))
            and len(came[label]) < lacking[label]
            and (UNIQUE_REF.fullmatch(label) or not self._may_have_event(event, label))
        }

    def _may_have_event(self, event: str, unlabelled: str) -> bool:
        """Return whether an event has the amount of a charge without `external_ref`, or no number as its amount.

        What such an event has as `external_ref` is open.
        """
        of_kind = (delivery for delivery in self._deliveries if event_of(delivery, Api.BUSINESS) == event)
        amounts = [at(delivery.json, "data.amount_cents") for delivery in of_kind]
        return any(not isinstance(amount, int | float) or _unlabelled(amount) == unlabelled for amount in amounts)

    def _has_enough_events(self, event: str) -> bool:
        due, came = self._expected(event)
        return sum(bool(came[label]) for label, _ in due.values()) >= FEW

    def _expected(self, event: str) -> tuple[dict[str, tuple[str, Exchange]], dict[str, dict[str, Delivery]]]:
        """Return the charges about which an event must be sent, and the events that arrived.

        The first has `external_ref` and cause by charge id; the second has deliveries by `external_ref` and event id,
        where each delivery without an id counts as an event.
        """
        label_of = {number: label for label, life in self._by_ref.items() if life.is_certain for number in life.ids}
        came: dict[str, dict[str, Delivery]] = defaultdict(dict)
        for delivery, kind, label in self.events:
            if kind == event:
                number = at(delivery.json, "id")
                came[label].setdefault(number if isinstance(number, str) else delivery.evidence, delivery)
        due = {number: (label_of[number], cause) for number, cause in self._due[event].items() if number in label_of}
        return due, came

    def lateness(self, event: str) -> float:
        """Return the seconds within which an event must arrive, estimated from those that arrived."""
        due, came = self._expected(event)
        first_deliveries = [(cause, next(iter(came[label].values()))) for label, cause in due.values() if came[label]]
        return -delivery_horizon(0.0, (first.received - cause.ended for cause, first in first_deliveries))

    def knows(self, event: Delivery) -> bool:
        """Return whether an event is certainly about charges of the merchant in this run, made or refused."""
        return any(event is delivery for delivery, _, _ in self.events)

    def _decided_until(self, event: str) -> float:
        """Return the latest time (epoch seconds) of a change whose event would have arrived by now."""
        return max(delivery.received for delivery, _, _ in self.events) - self.lateness(event)

    def misstated(self) -> Found:
        """Return an event with an amount that no charge of its `external_ref` has."""
        for delivery, _, label in self.events:
            amount, due = at(delivery.json, "data.amount_cents"), self._by_ref[label].amounts
            if isinstance(amount, int | float) and due and amount not in due:
                return delivery, f"data.amount_cents is {amount}, the charge was of {', '.join(map(str, due))}"
        return None

    def misnamed(self) -> Found:
        """Return a paid event whose e2e_id is not that of its charge in a query, or is that of another charge."""
        numbers_of: dict[str, dict[str, str]] = defaultdict(dict)
        for delivery, event, label in self.events:
            ids, number = self._by_ref[label].ids, at(delivery.json, "data.e2e_id")
            shown = {id_ for name in ids for id_ in self._e2e_ids[name]}
            if event != PAID or not shown or not isinstance(number, str):
                continue
            if len(ids) == 1 and number not in shown:
                return delivery, f"data.e2e_id is {number}, the query shows {', '.join(map(str, shown))}"
            numbers = numbers_of[label]
            numbers[str(at(delivery.json, "id"))] = number
            if 1 < len(numbers) == len(shown) > len(set(numbers.values())):
                return (
                    delivery,
                    f"data.e2e_id is {number} in each paid event of {label}, of which {len(shown)} were paid",
                )
        return None

    def shared(self) -> Found:
        """Return an event that has the id of another event."""
        first: dict[str, tuple[str, str]] = {}
        for delivery, event, label in self.events:
            number = at(delivery.json, "id")
            if isinstance(number, str) and first.setdefault(number, (event, label)) != (event, label):
                return delivery, f"{number} is the id of a {first[number][0]} as well as of a {event}"
        return None

    def _named(self, delivery: Delivery) -> tuple[str, str] | None:
        """Return event and `external_ref` of a delivery; None if it is not certainly about a charge of the merchant."""
        event, label = event_of(delivery, Api.BUSINESS), at(delivery.json, "data.external_ref")
        unnamed = _unlabelled(at(delivery.json, "data.amount_cents"))
        name = label if isinstance(label, str) and label in self._by_ref else unnamed
        life = self._by_ref.get(name)
        own = life is not None and (name == label or not label or not isinstance(label, str) or label in life.ids)
        return (event, name) if event and own and life is not None and life.is_certain else None

    def _causes(self, event: str, label: str) -> set[str]:
        ids = self._by_ref[label].ids
        return ids if event == CREATED else ids & self._perhaps[event]

    def _read(self, exchange: Exchange, status: int | None) -> None:
        answer, operation = exchange.json_object, exchange.operation
        if operation == "create_charge":
            self._read_creation(exchange, status, answer)
        elif operation in CAUSES and not is_refusal(status):
            self._perhaps[CAUSES[operation]].update(named(exchange))
        elif operation == "get_charge" and answer.get("status") in SHOWS and exchange.role == Role.MERCHANT:
            self._perhaps[SHOWS[str(answer["status"])]].add(str(answer.get("id")))
            self._due[SHOWS[str(answer["status"])]].setdefault(str(answer.get("id")), exchange)
            number = answer.get("e2e_id")
            if answer["status"] == "paid" and isinstance(number, str) and MASK not in number:
                self._e2e_ids[str(answer.get("id"))].add(number)

    def _read_creation(self, creation: Exchange, status: int | None, answer: dict[str, Any]) -> None:
        body = creation.request.json_object
        unlabelled = _unlabelled(body.get("amount_cents"))
        label = body.get("external_ref", unlabelled)
        self._asked[unlabelled] += 1
        if label != unlabelled and not (isinstance(label, str) and UNIQUE_REF.fullmatch(label)):
            if isinstance(label, str) and label.strip() and status in ACCEPTED and creation.role == Role.MERCHANT:
                self._special_refs.setdefault(label, creation)
            return
        life = self._by_ref[label]
        life.roles.add(creation.role)
        if MASK not in str(answer.get("id", MASK)) and not is_refusal(status):
            life.ids.add(str(answer["id"]))
            if type(body.get("amount_cents")) is int and body["amount_cents"] > 0:
                life.amounts.add(body["amount_cents"])
            if creation.role == Role.MERCHANT and status in ACCEPTED:
                self._due[CREATED].setdefault(str(answer["id"]), creation)
        elif not is_refusal(status):
            life.uncertain = True


def _unlabelled(amount: object) -> str:
    """Return a name for a charge without `external_ref`, which is the only one of its amount."""
    return f"the charge of {amount} cents"
