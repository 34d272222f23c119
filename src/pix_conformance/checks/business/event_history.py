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
    made: set[str] = field(default_factory=set)
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
        for one in exchanges:
            if one.api == Api.BUSINESS:
                self._read(one, one.status)
        for amount in (one for one, count in self._asked.items() if count > 1):
            self._by_ref.pop(amount, None)
        self._deliveries = list(deliveries)
        self.events = [(one, *named) for one in self._deliveries if (named := self._named(one))]

    def event_without_change(self) -> Found:
        """Return an event about a change that no charge with its `external_ref` has made, or may have made."""
        for one, event, label in self.events:
            if not self._causes(event, label):
                return one, f"a {event} arrived for {label}, but {WITHOUT_CAUSE.get(event, 'nothing caused it')}"
        return None

    def more_events_than_changes(self) -> Found:
        """Return an event if more events of one kind, with different ids, arrived than charges changed.

        Events that the receiver refused are left out: whether their repetition has the same id is another requirement.
        """
        ids: dict[tuple[str, str], set[str]] = defaultdict(set)
        again = {(event, label) for one, event, label in self.events if one.fault or one.answered not in ACCEPTED}
        for one, event, label in self.events:
            ids[event, label].add(str(at(one.json, "id")))
            if (event, label) not in again and len(ids[event, label]) > max(1, len(self._causes(event, label))):
                return one, f"{len(ids[event, label])} different {event} arrived for {label}"
        return None

    def change_without_event(self, event: str) -> Found:
        """Return a change without an event, although events of much later changes arrived.

        If events of several kinds are missing, the sender may wait to repeat an event that the receiver refused. If no
        event has the `external_ref` of its charge, that is another requirement.
        """
        lost = {kind: found for kind in (CREATED, PAID, CANCELED) if (found := self._lost(kind))}
        waiting = self._waited_for()
        if len(lost) > 1 and waiting:
            return self._passed_over(waiting) if event == CREATED else None
        return next(iter(lost.get(event, {}).values()), None)

    def _waited_for(self) -> set[str]:
        """Return each `external_ref` with an event that the receiver refused and that has attempts left."""
        came: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for one, event, label in self.events:
            came[event, label].append(not one.fault and one.answered in ACCEPTED)
        copies = max((len(taken) for taken in came.values() if all(taken)), default=1)
        return {label for (_, label), taken in came.items() if not any(taken) and len(taken) < MOST_ATTEMPTS * copies}

    def _passed_over(self, waiting: set[str]) -> Found:
        """Return a creation without an event, although a later event of its charge and its neighbours' events arrived.

        A sender that waits for a refused event would hold back the neighbours too, more than a few events, and none
        of a charge made before the refused one's. One missing event alone is no proof.
        """
        until, (due, _), lost = self._decided_until(CREATED), self._expected(CREATED), self._lost(CREATED)
        with_later_event = {label for _, event, label in self.events if event != CREATED}
        in_turn = [label for label, one in sorted(due.values(), key=lambda it: it[1].ended) if one.ended < until]
        alone = [
            label
            for place, label in enumerate(in_turn[NEIGHBOURS:-NEIGHBOURS])
            if label in lost
            and label in with_later_event
            and len(lost.keys() & {*in_turn[place : place + 2 * NEIGHBOURS + 1]}) == 1
        ]
        since = min((one.started for label, one in due.values() if label in waiting), default=0.0)
        before = any(one.ended < since for label, one in due.values() if label in lost)
        return lost[alone[0]] if before and len(alone) > 1 and len(lost) * RARELY_LOST < len(in_turn) else None

    def mislabelled(self) -> Found:
        """Return a creation whose special `external_ref` no event has, although no other event is missing."""
        known = [
            at(one.json, "data.external_ref") for one in self._deliveries if event_of(one, Api.BUSINESS) == CREATED
        ]
        if not self._has_enough_events(CREATED) or any(self._lost(kind) for kind in (CREATED, PAID, CANCELED)):
            return None
        until, (due, _) = self._decided_until(CREATED), self._expected(CREATED)
        if any(UNIQUE_REF.fullmatch(label) and one.ended < until and label not in known for label, one in due.values()):
            return None
        for label, one in self._special_refs.items():
            if one.ended < until and label not in known:
                return one, f"no {CREATED} arrived with the external_ref {label!r}"
        return None

    def _lost(self, event: str) -> dict[str, tuple[Exchange, str]]:
        """Return the changes without an event, by `external_ref`."""
        due, came = self._expected(event)
        if not self._has_enough_events(event):
            return {}
        until = self._decided_until(event)
        lacking = Counter(label for label, one in due.values() if one.ended < until)
        naming = len([label for label in came if UNIQUE_REF.fullmatch(label)]) >= FEW
        return {
            label: (one, f"{len(came[label])} {event} arrived for {label}, {lacking[label]} are due")
            for label, one in due.values()
            if (naming or not UNIQUE_REF.fullmatch(label))
            and len(came[label]) < lacking[label]
            and (UNIQUE_REF.fullmatch(label) or not self._may_have_event(event, label))
        }

    def _may_have_event(self, event: str, nameless: str) -> bool:
        """Return whether an event has the amount of a charge without `external_ref`, or no number as its amount.

        What such an event has as `external_ref` is open.
        """
        of_kind = (one for one in self._deliveries if event_of(one, Api.BUSINESS) == event)
        amounts = [at(one.json, "data.amount_cents") for one in of_kind]
        return any(not isinstance(one, int | float) or _nameless(one) == nameless for one in amounts)

    def _has_enough_events(self, event: str) -> bool:
        due, came = self._expected(event)
        return sum(bool(came[label]) for label, _ in due.values()) >= FEW

    def _expected(self, event: str) -> tuple[dict[str, tuple[str, Exchange]], dict[str, dict[str, Delivery]]]:
        """Return the charges about which an event must be sent, and the events that arrived.

        The first has `external_ref` and cause by charge id; the second has deliveries by `external_ref` and event id,
        where each delivery without an id counts as an event.
        """
        label_of = {number: label for label, life in self._by_ref.items() if life.is_certain for number in life.made}
        came: dict[str, dict[str, Delivery]] = defaultdict(dict)
        for one, kind, label in self.events:
            if kind == event:
                number = at(one.json, "id")
                came[label].setdefault(number if isinstance(number, str) else one.evidence, one)
        due = {number: (label_of[number], one) for number, one in self._due[event].items() if number in label_of}
        return due, came

    def lateness(self, event: str) -> float:
        """Return the seconds within which an event must arrive, estimated from those that arrived."""
        due, came = self._expected(event)
        first_deliveries = [(one, next(iter(came[label].values()))) for label, one in due.values() if came[label]]
        return -delivery_horizon(0.0, (first.received - one.ended for one, first in first_deliveries))

    def knows(self, event: Delivery) -> bool:
        """Return whether an event is certainly about charges of the merchant in this run, made or refused."""
        return any(event is one for one, _, _ in self.events)

    def _decided_until(self, event: str) -> float:
        """Return the latest time (epoch seconds) of a change whose event would have arrived by now."""
        return max(one.received for one, _, _ in self.events) - self.lateness(event)

    def misstated(self) -> Found:
        """Return an event with an amount that no charge of its `external_ref` has."""
        for one, _, label in self.events:
            amount, due = at(one.json, "data.amount_cents"), self._by_ref[label].amounts
            if isinstance(amount, int | float) and due and amount not in due:
                return one, f"data.amount_cents is {amount}, the charge was of {', '.join(map(str, due))}"
        return None

    def misnamed(self) -> Found:
        """Return a paid event whose e2e_id is not that of its charge in a query, or is that of another charge."""
        numbers_of: dict[str, dict[str, str]] = defaultdict(dict)
        for one, event, label in self.events:
            made, number = self._by_ref[label].made, at(one.json, "data.e2e_id")
            shown = {each for name in made for each in self._e2e_ids[name]}
            if event != PAID or not shown or not isinstance(number, str):
                continue
            if len(made) == 1 and number not in shown:
                return one, f"data.e2e_id is {number}, the query shows {', '.join(map(str, shown))}"
            numbers = numbers_of[label]
            numbers[str(at(one.json, "id"))] = number
            if 1 < len(numbers) == len(shown) > len(set(numbers.values())):
                return one, f"data.e2e_id is {number} in each paid event of {label}, of which {len(shown)} were paid"
        return None

    def shared(self) -> Found:
        """Return an event that has the id of another event."""
        first: dict[str, tuple[str, str]] = {}
        for one, event, label in self.events:
            number = at(one.json, "id")
            if isinstance(number, str) and first.setdefault(number, (event, label)) != (event, label):
                return one, f"{number} is the id of a {first[number][0]} as well as of a {event}"
        return None

    def _named(self, one: Delivery) -> tuple[str, str] | None:
        """Return event and `external_ref` of a delivery; None if it is not certainly about a charge of the merchant."""
        event, label = event_of(one, Api.BUSINESS), at(one.json, "data.external_ref")
        unnamed = _nameless(at(one.json, "data.amount_cents"))
        name = label if isinstance(label, str) and label in self._by_ref else unnamed
        life = self._by_ref.get(name)
        own = life is not None and (name == label or not label or not isinstance(label, str) or label in life.made)
        return (event, name) if event and own and life is not None and life.is_certain else None

    def _causes(self, event: str, label: str) -> set[str]:
        made = self._by_ref[label].made
        return made if event == CREATED else made & self._perhaps[event]

    def _read(self, one: Exchange, status: int | None) -> None:
        answer, operation = one.json_object, one.operation
        if operation == "create_charge":
            self._read_creation(one, status, answer)
        elif operation in CAUSES and not is_refusal(status):
            self._perhaps[CAUSES[operation]].update(named(one))
        elif operation == "get_charge" and answer.get("status") in SHOWS and one.role == Role.MERCHANT:
            self._perhaps[SHOWS[str(answer["status"])]].add(str(answer.get("id")))
            self._due[SHOWS[str(answer["status"])]].setdefault(str(answer.get("id")), one)
            number = answer.get("e2e_id")
            if answer["status"] == "paid" and isinstance(number, str) and MASK not in number:
                self._e2e_ids[str(answer.get("id"))].add(number)

    def _read_creation(self, one: Exchange, status: int | None, answer: dict[str, Any]) -> None:
        body = one.request.json_object
        nameless = _nameless(body.get("amount_cents"))
        label = body.get("external_ref", nameless)
        self._asked[nameless] += 1
        if label != nameless and not (isinstance(label, str) and UNIQUE_REF.fullmatch(label)):
            if isinstance(label, str) and label.strip() and status in ACCEPTED and one.role == Role.MERCHANT:
                self._special_refs.setdefault(label, one)
            return
        life = self._by_ref[label]
        life.roles.add(one.role)
        if MASK not in str(answer.get("id", MASK)) and not is_refusal(status):
            life.made.add(str(answer["id"]))
            if type(body.get("amount_cents")) is int and body["amount_cents"] > 0:
                life.amounts.add(body["amount_cents"])
            if one.role == Role.MERCHANT and status in ACCEPTED:
                self._due[CREATED].setdefault(str(answer["id"]), one)
        elif not is_refusal(status):
            life.uncertain = True


def _nameless(amount: object) -> str:
    """Return a name for a charge without `external_ref`, which is the only one of its amount."""
    return f"the charge of {amount} cents"
