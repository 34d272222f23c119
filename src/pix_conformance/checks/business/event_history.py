"""What all events of a run say together of all charges that the merchant made in it (business.md, lines 145-153)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pix_conformance.checks.history import (
    FEW,
    delivery_horizon,
    json_body,
    named,
)
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import MASK, Api, Role

CREATED, PAID, CANCELED = "business.pix.created", "business.pix.paid", "business.pix.canceled"
LABEL = re.compile("pix-conformance-[0-9a-f-]{36}")
"""The labels that no two creations share, unless that is their question."""
CAUSES = {"pay_charge": PAID, "cancel_charge": CANCELED}
SHOWS = {"paid": PAID, "canceled": CANCELED}
NEAR, RARE, MOST = 3, 10, 8
"""How many neighbours of a lost event came, and of how many events not even one is lost, where no line waits.

And how often an event is attempted that we refuse each time (business.md, line 165).
"""
ACCEPTED, REFUSALS, UNDECIDED = range(200, 300), range(400, 500), (408, 425, 429)
Found = tuple[Delivery | Exchange, str] | None
"""The delivery that shows it, or the request that should have sent it, and what is wrong."""


@dataclass
class Life:
    """What is known of the charges with one label, or of the only one of an amount, which has none."""

    roles: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    amounts: set[Any] = field(default_factory=set)
    doubtful: bool = False
    """Whether a creation was neither accepted nor refused, or is not to be told from others since its id is masked."""

    @property
    def sure(self) -> bool:
        """Whether only the merchant made charges of the label, and all that were made are known."""
        return self.roles == {Role.MERCHANT} and not self.doubtful


class Histories:
    """The charges of a run by their labels, and the events about them."""

    def __init__(self, exchanges: Iterable[Exchange], deliveries: Iterable[Delivery]) -> None:
        """Read the exchanges of a ledger, and what came to the endpoint."""
        self._lives: dict[str, Life] = defaultdict(Life)
        self._perhaps: dict[str, set[str]] = defaultdict(set)
        """By event, the charges of which it may come."""
        self._e2e_ids: dict[str, set[Any]] = defaultdict(set)
        self._due: dict[str, dict[str, Exchange]] = defaultdict(dict)
        """By event, the charges of which it must come, and what shows that."""
        self._asked: Counter[str] = Counter()
        """How many creations were of an amount."""
        self._odd: dict[str, Exchange] = {}
        """Labels that are no fresh ones, and the creation that first had each."""
        for one in exchanges:
            if one.api == Api.BUSINESS:
                self._read(one, one.status)
        for amount in (one for one, count in self._asked.items() if count > 1):
            self._lives.pop(amount, None)
        self._came = list(deliveries)
        self.events = [(one, *named) for one in self._came if (named := self._named(one))]

    def groundless(self) -> Found:
        """Find an event of a change that no charge of its label has made, nor may have made."""
        for one, event, label in self.events:
            if not self._causes(event, label):
                return one, f"a {event} came of {label}, which nothing made so"
        return None

    def surplus(self) -> Found:
        """Find more events of one kind, each with an id of its own, than charges of the label that changed.

        What was refused comes again, and whether with the same id is another question.
        """
        ids: dict[tuple[str, str], set[str]] = defaultdict(set)
        again = {(event, label) for one, event, label in self.events if one.fault or one.answered not in ACCEPTED}
        for one, event, label in self.events:
            ids[event, label].add(str(at(one.json, "id")))
            if (event, label) not in again and len(ids[event, label]) > max(1, len(self._causes(event, label))):
                return one, f"{len(ids[event, label])} different {event} came of {label}"
        return None

    def unheard(self, event: str) -> Found:
        """Find a change that no event tells, though events told of others that happened long after it.

        Where events of several kinds are missing, some line may wait for one that we refuse, until all its attempts
        failed; where none has the label of its charge, that is another question.
        """
        lost = {kind: found for kind in (CREATED, PAID, CANCELED) if (found := self._lost(kind))}
        waiting = self._waited_for()
        if len(lost) > 1 and waiting:
            return self._passed_over(waiting) if event == CREATED else None
        return next(iter(lost.get(event, {}).values()), None)

    def _waited_for(self) -> set[str]:
        """Return the labels of which we refused an event that was neither taken since nor attempted to the end."""
        came: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for one, event, label in self.events:
            came[event, label].append(not one.fault and one.answered in ACCEPTED)
        copies = max((len(taken) for taken in came.values() if all(taken)), default=1)
        return {label for (_, label), taken in came.items() if not any(taken) and len(taken) < MOST * copies}

    def _passed_over(self, waiting: set[str]) -> Found:
        """Find a creation that no event tells, though one told what was done with its charge, and of its neighbours.

        Lines that wait for one that we refuse would hold those back too, and more than a few, and none that was made
        before that one's charge. One alone is no proof.
        """
        until, (due, _), lost = self._heard_until(CREATED), self._expected(CREATED), self._lost(CREATED)
        told_of = {label for _, event, label in self.events if event != CREATED}
        in_turn = [label for label, one in sorted(due.values(), key=lambda it: it[1].ended) if one.ended < until]
        alone = [
            label
            for place, label in enumerate(in_turn[NEAR:-NEAR])
            if label in lost and label in told_of and len(lost.keys() & {*in_turn[place : place + 2 * NEAR + 1]}) == 1
        ]
        since = min((one.started for label, one in due.values() if label in waiting), default=0.0)
        before = any(one.ended < since for label, one in due.values() if label in lost)
        return lost[alone[0]] if before and len(alone) > 1 and len(lost) * RARE < len(in_turn) else None

    def mislabelled(self) -> Found:
        """Find a label of an odd kind that no created event carries, though none of a plain one is missing."""
        known = [at(one.json, "data.external_ref") for one in self._came if event_of(one, Api.BUSINESS) == CREATED]
        if not self._is_heard(CREATED) or any(self._lost(kind) for kind in (CREATED, PAID, CANCELED)):
            return None
        until, (due, _) = self._heard_until(CREATED), self._expected(CREATED)
        if any(LABEL.fullmatch(label) and one.ended < until and label not in known for label, one in due.values()):
            return None
        for label, one in self._odd.items():
            if one.ended < until and label not in known:
                return one, f"no {CREATED} came with the external_ref {label!r}"
        return None

    def _lost(self, event: str) -> dict[str, tuple[Exchange, str]]:
        """Find the changes that no event tells, by label."""
        due, came = self._expected(event)
        if not self._is_heard(event):
            return {}
        until = self._heard_until(event)
        lacking = Counter(label for label, one in due.values() if one.ended < until)
        naming = len([label for label in came if LABEL.fullmatch(label)]) >= FEW
        return {
            label: (one, f"{len(came[label])} {event} came of {label}, {lacking[label]} are due")
            for label, one in due.values()
            if (naming or not LABEL.fullmatch(label))
            and len(came[label]) < lacking[label]
            and not self._is_told(event, label)
        }

    def _is_told(self, event: str, nameless: str) -> bool:
        """Whether an event is of the amount of a charge without a label: what it carries as external_ref is open."""
        of_kind = (one for one in self._came if event_of(one, Api.BUSINESS) == event)
        return any(_nameless(at(one.json, "data.amount_cents")) == nameless for one in of_kind)

    def _is_heard(self, event: str) -> bool:
        due, came = self._expected(event)
        return sum(bool(came[label]) for label, _ in due.values()) >= FEW

    def _expected(self, event: str) -> tuple[dict[str, tuple[str, Exchange]], dict[str, dict[str, Delivery]]]:
        """Return the charges of which an event must come, with label and cause, and by label what came, by event id."""
        label_of = {number: label for label, life in self._lives.items() if life.sure for number in life.made}
        came: dict[str, dict[str, Delivery]] = defaultdict(dict)
        for one, kind, label in self.events:
            if kind == event:
                came[label].setdefault(str(at(one.json, "id")), one)
        due = {number: (label_of[number], one) for number, one in self._due[event].items() if number in label_of}
        return due, came

    def lateness(self, event: str) -> float:
        """Return how many seconds after its change an event may come, by those that came."""
        due, came = self._expected(event)
        heard = [(one, next(iter(came[label].values()))) for label, one in due.values() if came[label]]
        return -delivery_horizon(0.0, (first.received - one.ended for one, first in heard))

    def knows(self, event: Delivery) -> bool:
        """Whether an event is surely about charges of the merchant in this run, made or refused."""
        return any(event is one for one, _, _ in self.events)

    def _heard_until(self, event: str) -> float:
        """Return when at the latest that happened of which an event would have come by the last delivery."""
        return max(one.received for one, _, _ in self.events) - self.lateness(event)

    def misstated(self) -> Found:
        """Find an event with an amount that no charge of its label has."""
        for one, _, label in self.events:
            amount, due = at(one.json, "data.amount_cents"), self._lives[label].amounts
            if isinstance(amount, int | float) and due and amount not in due:
                return one, f"data.amount_cents is {amount}, the charge was of {', '.join(map(str, due))}"
        return None

    def misnamed(self) -> Found:
        """Find a paid event with another e2e_id than the query of its charge shows: of another one of its label too."""
        told_of: dict[str, dict[str, str]] = defaultdict(dict)
        for one, event, label in self.events:
            made, number = self._lives[label].made, at(one.json, "data.e2e_id")
            shown = {each for name in made for each in self._e2e_ids[name]}
            if event != PAID or not shown or not isinstance(number, str):
                continue
            if len(made) == 1 and number not in shown:
                return one, f"data.e2e_id is {number}, the query shows {', '.join(map(str, shown))}"
            numbers = told_of[label]
            numbers[str(at(one.json, "id"))] = number
            if 1 < len(numbers) == len(shown) > len(set(numbers.values())):
                return one, f"data.e2e_id is {number} in each paid event of {label}, of which {len(shown)} were paid"
        return None

    def shared(self) -> Found:
        """Find an event with the id of another one."""
        first: dict[str, tuple[str, str]] = {}
        for one, event, label in self.events:
            number = at(one.json, "id")
            if isinstance(number, str) and first.setdefault(number, (event, label)) != (event, label):
                return one, f"{number} is the id of a {first[number][0]} as well as of a {event}"
        return None

    def _named(self, one: Delivery) -> tuple[str, str] | None:
        """Return event and label of a delivery; None for what is not surely about a charge of the merchant."""
        event, label = event_of(one, Api.BUSINESS), at(one.json, "data.external_ref")
        unnamed = _nameless(at(one.json, "data.amount_cents"))
        name = label if isinstance(label, str) and label in self._lives else unnamed
        life = self._lives.get(name)
        own = life is not None and (name == label or not label or not isinstance(label, str) or label in life.made)
        return (event, name) if event and own and life is not None and life.sure else None

    def _causes(self, event: str, label: str) -> set[str]:
        made = self._lives[label].made
        return made if event == CREATED else made & self._perhaps[event]

    def _read(self, one: Exchange, status: int | None) -> None:
        answer, operation = json_body(one.body), one.operation
        if operation == "create_charge":
            self._read_creation(one, status, answer)
        elif operation in CAUSES and (status not in REFUSALS or status in UNDECIDED):
            self._perhaps[CAUSES[operation]].update(named(one))
        elif operation == "get_charge" and answer.get("status") in SHOWS and one.role == Role.MERCHANT:
            self._perhaps[SHOWS[str(answer["status"])]].add(str(answer.get("id")))
            self._due[SHOWS[str(answer["status"])]].setdefault(str(answer.get("id")), one)
            number = answer.get("e2e_id")
            if answer["status"] == "paid" and isinstance(number, str) and MASK not in number:
                self._e2e_ids[str(answer.get("id"))].add(number)

    def _read_creation(self, one: Exchange, status: int | None, answer: dict[str, Any]) -> None:
        body = json_body(one.request.body)
        nameless = _nameless(body.get("amount_cents"))
        label = body.get("external_ref", nameless)
        self._asked[nameless] += 1
        if label != nameless and not (isinstance(label, str) and LABEL.fullmatch(label)):
            if isinstance(label, str) and label.strip() and status in ACCEPTED and one.role == Role.MERCHANT:
                self._odd.setdefault(label, one)
            return
        life = self._lives[label]
        life.roles.add(one.role)
        if MASK not in str(answer.get("id", MASK)) and status not in REFUSALS:
            life.made.add(str(answer["id"]))
            life.amounts.add(body.get("amount_cents"))
            if one.role == Role.MERCHANT and status in ACCEPTED:
                self._due[CREATED].setdefault(str(answer["id"]), one)
        elif status not in REFUSALS:
            life.doubtful = True


def _nameless(amount: object) -> str:
    """Name a charge that has no label, where no other one is of its amount."""
    return f"the charge of {amount} cents"
