"""History checks of events: all events of a run against the merchant's charges (BUS-EVT)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from pix_conformance.checks.business.event_charge_names import ChargesOfRef, has_id, names_of, unlabelled_name
from pix_conformance.checks.conclusion import Broken, Problem
from pix_conformance.checks.history import FEW, Judged, delivery_horizon, named, visible_id
from pix_conformance.checks.matchers import field_in
from pix_conformance.checks.relation import Relation, relation
from pix_conformance.checks.relations import differs_in
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
CAUSES = {row.name: row.event for row in of(Api.BUSINESS) if row.event}
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


@relation("one of {requests} may have caused the event")
def has_a_cause(event: Delivery, charge: str, requests: Sequence[Exchange]) -> str | None:
    """Expect a request that changed the charge of an event, or a query that showed the change."""
    name = str(event_of(event, Api.BUSINESS))
    caused = any(_possible_event(request) == name for request in requests)
    return None if caused else f"a {name} arrived for {charge}, but {WITHOUT_CAUSE[name]}"


@relation("{events} are no more than the charges that changed ({creations})")
def follows_a_change(
    event: Delivery, charge: str, events: Sequence[Delivery], creations: Sequence[Exchange]
) -> Problem:
    """Compare the number of different events of one kind with that of the charges that they may be about."""
    ids = {str(at(other.json, "id")) for other in events}
    problem = f"{len(ids)} different {event_of(event, Api.BUSINESS)} arrived for {charge}"
    return problem if len(ids) > max(1, len(creations)) else None


@relation("{due} {event} came about {charge} ({events})")
def has_its_events(_cause: Exchange, event: str, charge: str, due: int, events: Sequence[Delivery]) -> str | None:
    """Expect as many events as charges of one `external_ref` changed, of which `cause` shows one."""
    return f"{len(events)} {event} arrived for {charge}, {due} are due" if len(events) < due else None


class Histories:
    """The charges of a run by `external_ref`, and the events about them."""

    def __init__(self, exchanges: Iterable[Exchange], deliveries: Iterable[Delivery]) -> None:
        """Read the exchanges and the deliveries of a run."""
        self._by_ref: dict[str, ChargesOfRef] = defaultdict(ChargesOfRef)
        self._perhaps: dict[str, dict[str, Exchange]] = defaultdict(dict)
        """By event, the charges about which it may be sent, and a request that may have caused it."""
        self._e2e_ids: dict[str, set[str]] = defaultdict(set)
        self._due: dict[str, dict[str, Exchange]] = defaultdict(dict)
        """By event, the charges about which it must be sent, and the exchange that shows this."""
        self._asked: Counter[str | None] = Counter()
        """How many creations had an amount."""
        self._unread: set[str] = set()
        """What creations returned as `external_ref` and amount whose requests cannot be read."""
        self._special_refs: dict[str, Exchange] = {}
        """Values of `external_ref` of another form, and the first creation with each."""
        for exchange in exchanges:
            if exchange.api == Api.BUSINESS:
                self._read(exchange)
        repeated = {amount for amount, count in self._asked.items() if amount and count > 1}
        for label in repeated | self._unread:
            self._by_ref.pop(label, None)
        self._certain = {label: charges for label, charges in self._by_ref.items() if charges.is_certain}
        self._label_of = {id_: label for label, charges in self._certain.items() for id_ in charges.by_id}
        self._deliveries = list(deliveries)
        self.events = [(delivery, *named) for delivery in self._deliveries if (named := self._named(delivery))]

    def causes(self) -> Judged:
        """Expect each event to be about a change that a charge with its `external_ref` has made, or may have made."""
        for delivery, event, label in self.events:
            charges, changes = self._by_ref[label], self._perhaps[event]
            requests = [*charges.creations, *(changes[id_] for id_ in charges.by_id if id_ in changes)]
            yield delivery, has_a_cause(label, requests)

    def numbers_of_events(self) -> Judged:
        """Expect no more events of one kind, with different ids, than charges changed.

        Events that the receiver refused are left out: whether their repetition has the same id is another requirement.
        """
        arrivals: dict[tuple[str, str], list[Delivery]] = defaultdict(list)
        again = {(event, label) for delivery, event, label in self.events if not delivery.is_accepted}
        for delivery, event, label in self.events:
            if (event, label) not in again:
                arrivals[event, label].append(delivery)
                charges, changes = self._by_ref[label].by_id, self._perhaps[event]
                creations = [creation for id_, creation in charges.items() if event == CREATED or id_ in changes]
                yield delivery, follows_a_change(label, tuple(arrivals[event, label]), creations)

    def changes(self, event: str) -> Judged:
        """Expect each change to have its event, if events of much later changes arrived.

        If events of several kinds are missing, the sender may wait to repeat an event that the receiver refused. If no
        event has the `external_ref` of its charge, that is another requirement.
        """
        waiting, excused = self._waited_for(), set[str]()
        if waiting and sum(bool(self._lost(kind)) for kind in (CREATED, PAID, CANCELED)) > 1:
            excused = self._lost(event).keys() - (self._passed_over(waiting) if event == CREATED else set())
        for label, (cause, matcher) in self._decided(event).items():
            if label not in excused:
                yield cause, matcher

    def _waited_for(self) -> set[str]:
        """Return each `external_ref` with an event that the receiver refused and that has attempts left."""
        arrivals: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for delivery, event, label in self.events:
            arrivals[event, label].append(delivery.is_accepted)
        copies = max((len(taken) for taken in arrivals.values() if all(taken)), default=1)
        return {
            label for (_, label), taken in arrivals.items() if not any(taken) and len(taken) < MOST_ATTEMPTS * copies
        }

    def _passed_over(self, waiting: set[str]) -> set[str]:
        """Return creations without an event, although a later event of their charge and neighbours' events arrived.

        A sender that waits for a refused event would hold back the neighbours too, more than a few events, and none
        of a charge made before the refused one's. One missing event alone is no proof.
        """
        until, (due, _), missing = self._decided_until(CREATED), self._expected(CREATED), self._lost(CREATED)
        with_later_event = {label for _, event, label in self.events if event != CREATED}
        in_turn = [label for label, cause in sorted(due.values(), key=lambda it: it[1].ended) if cause.ended < until]
        alone = {
            label
            for place, label in enumerate(in_turn[NEIGHBOURS:-NEIGHBOURS])
            if label in missing
            and label in with_later_event
            and len(missing.keys() & {*in_turn[place : place + 2 * NEIGHBOURS + 1]}) == 1
        }
        since = min((cause.started for label, cause in due.values() if label in waiting), default=0.0)
        before = any(cause.ended < since for label, cause in due.values() if label in missing)
        return alone if before and len(alone) > 1 and len(missing) * RARELY_LOST < len(in_turn) else set()

    def special_refs(self) -> Judged:
        """Expect a created event with each special `external_ref`, if no other event is missing."""
        arrivals: dict[str, list[Delivery]] = defaultdict(list)
        for delivery in self._deliveries:
            ref = at(delivery.json, "data.external_ref")
            if event_of(delivery, Api.BUSINESS) == CREATED and isinstance(ref, str):
                arrivals[ref].append(delivery)
        if not self._has_enough_events(CREATED) or any(map(self._lost, (CREATED, PAID, CANCELED))):
            return
        until, (due, _) = self._decided_until(CREATED), self._expected(CREATED)
        unique = {label for label, cause in due.values() if UNIQUE_REF.fullmatch(label) and cause.ended < until}
        if unique <= arrivals.keys():
            for label, creation in self._special_refs.items():
                if creation.ended < until:
                    yield creation, has_its_events(CREATED, f"the external_ref {label!r}", 1, arrivals[label])

    def _lost(self, event: str) -> dict[str, Exchange]:
        """Return the changes without an event, by `external_ref`."""
        decided = self._decided(event).items()
        return {label: cause for label, (cause, matcher) in decided if isinstance(matcher.judge(cause), Broken)}

    def _decided(self, event: str) -> dict[str, tuple[Exchange, Relation]]:
        """Return the changes whose event would have arrived, by `external_ref`, each with what is expected of it."""
        if not self._has_enough_events(event):
            return {}
        due, arrivals = self._expected(event)
        until = self._decided_until(event)
        count = Counter(label for label, cause in due.values() if cause.ended < until)
        unread = any(delivery.unreadable for delivery in self._deliveries)
        naming = len([label for label in arrivals if UNIQUE_REF.fullmatch(label)]) >= FEW
        return {
            label: (cause, has_its_events(event, label, count[label], list(arrivals[label].values())))
            for label, cause in due.values()
            if count[label]
            and not (unread and len(arrivals[label]) < count[label])  # what cannot be read may be about it
            and (naming if UNIQUE_REF.fullmatch(label) else arrivals[label] or not self._may_have_event(event, label))
        }

    def _may_have_event(self, event: str, unlabelled: str) -> bool:
        """Return whether an event has the amount of a charge without `external_ref`, or no number as its amount.

        What such an event has as `external_ref` is open.
        """
        of_kind = (delivery for delivery in self._deliveries if event_of(delivery, Api.BUSINESS) == event)
        amounts = [at(delivery.json, "data.amount_cents") for delivery in of_kind]
        return any(not isinstance(amount, int | float) or unlabelled_name(amount) == unlabelled for amount in amounts)

    def _has_enough_events(self, event: str) -> bool:
        due, arrivals = self._expected(event)
        return sum(bool(arrivals[label]) for label, _ in due.values()) >= FEW

    def _expected(self, event: str) -> tuple[dict[str, tuple[str, Exchange]], dict[str, dict[str, Delivery]]]:
        """Return the charges about which an event must be sent, and the events that arrived.

        The first has `external_ref` and cause by charge id; the second has deliveries by `external_ref` and event id,
        where each delivery without an id counts as an event.
        """
        arrivals: dict[str, dict[str, Delivery]] = defaultdict(dict)
        for delivery, kind, label in self.events:
            if kind == event:
                number = at(delivery.json, "id")
                arrivals[label].setdefault(number if isinstance(number, str) else delivery.evidence, delivery)
        known = (id_ for id_ in self._due[event] if id_ in self._label_of)
        return {id_: (self._label_of[id_], self._due[event][id_]) for id_ in known}, arrivals

    def lateness(self, event: str) -> float:
        """Return the seconds within which an event must arrive, estimated from those that arrived."""
        due, arrivals = self._expected(event)
        first_deliveries = [
            (cause, next(iter(arrivals[label].values()))) for label, cause in due.values() if arrivals[label]
        ]
        return -delivery_horizon(0.0, (first.received - cause.ended for cause, first in first_deliveries))

    def knows(self, event: Delivery) -> bool:
        """Return whether an event is certainly about charges of the merchant in this run, made or refused."""
        return any(event is delivery for delivery, _, _ in self.events)

    def _decided_until(self, event: str) -> float:
        """Return the latest time (epoch seconds) of a change whose event would have arrived by now."""
        return max(delivery.received for delivery, _, _ in self.events) - self.lateness(event)

    def amounts(self) -> Judged:
        """Compare the amount in each event with that of the charge of its `e2e_id`, else of its `external_ref`."""
        for delivery, _, label in self.events:
            charges = self._by_ref[label]
            paid = charges.by_id.get(self._charge_of(delivery) or "")
            amounts = ChargesOfRef([paid]).amounts if paid else charges.amounts
            if amounts and isinstance(at(delivery.json, "data.amount_cents"), int | float):
                yield delivery, field_in("data.amount_cents", *amounts)

    def e2e_ids(self) -> Judged:
        """Compare the e2e_id of each paid event with that of its charge in queries, and with those of other charges."""
        paid: dict[str, dict[str, Delivery]] = defaultdict(dict)
        for delivery, event, label in self.events:
            charges = self._by_ref[label].by_id
            shown = {e2e_id for id_ in charges for e2e_id in self._e2e_ids[id_]}
            if event != PAID or not shown or not isinstance(at(delivery.json, "data.e2e_id"), str):
                continue
            if len(charges) == 1:
                yield delivery, field_in("data.e2e_id", *sorted(shown))
            events = paid[label] = paid[label] | {str(at(delivery.json, "id")): delivery}
            if 1 < len(events) == len(shown):
                for event_id, other in events.items():
                    yield other, differs_in("data.e2e_id", [events[id_] for id_ in events if id_ != event_id])

    def event_ids(self) -> Judged:
        """Compare the id of each event with that of another event, which has the same if any has."""
        first: dict[str, tuple[Delivery, str, str]] = {}
        for delivery, event, label in self.events:
            if isinstance(id_ := at(delivery.json, "id"), str):
                same = first.setdefault(id_, (delivery, event, label))
                others = (
                    other
                    for other, *about in chain([same], first.values())
                    if about != [event, label] or self._are_of_two_charges(delivery, other)
                )
                if other := next(others, None):
                    yield delivery, differs_in("id", [other])

    def _are_of_two_charges(self, delivery: Delivery, other: Delivery) -> bool:
        charge, other_charge = self._charge_of(delivery), self._charge_of(other)
        return charge is not None and other_charge is not None and charge != other_charge

    def _charge_of(self, delivery: Delivery) -> str | None:
        """Return the id of the only charge that was shown with the `e2e_id` of a delivery; None if none is certain."""
        charges = self._charges_of_e2e_id.get(str(at(delivery.json, "data.e2e_id")), [])
        return charges[0] if len(charges) == 1 else None

    @cached_property
    def _charges_of_e2e_id(self) -> dict[str, list[str]]:
        charges = defaultdict[str, list[str]](list)
        for id_, shown in self._e2e_ids.items():
            for e2e_id in shown:
                charges[e2e_id].append(id_)
        return charges

    def _named(self, delivery: Delivery) -> tuple[str, str] | None:
        """Return event and `external_ref` of a delivery; None if it is not certainly about a charge of the merchant."""
        event, ref = event_of(delivery, Api.BUSINESS), at(delivery.json, "data.external_ref")
        is_known = isinstance(ref, str) and ref in self._by_ref
        label = ref if is_known else unlabelled_name(at(delivery.json, "data.amount_cents"))
        charges = self._certain.get(label) if label else None
        if event is None or label is None or charges is None:
            return None
        own = ref == label or not ref or not isinstance(ref, str) or ref in charges.by_id
        return (event, label) if own else None

    def _read(self, exchange: Exchange) -> None:
        event, answer = _possible_event(exchange), exchange.json_object
        if exchange.operation == "create_charge":
            self._read_creation(exchange)
        elif event and exchange.operation in CAUSES:
            self._perhaps[event].update(dict.fromkeys(named(exchange), exchange))
        elif event and exchange.role == Role.MERCHANT:
            id_, e2e_id = visible_id(answer.get("id")), answer.get("e2e_id")
            if id_ is None:
                return
            self._perhaps[event][id_] = exchange
            self._due[event].setdefault(id_, exchange)
            if event == PAID and isinstance(e2e_id, str) and MASK not in e2e_id:
                self._e2e_ids[id_].add(e2e_id)

    def _read_creation(self, creation: Exchange) -> None:
        """Read a creation; what one is about whose request cannot be read is not known, but for what it returned."""
        body = creation.request.json_object
        if not body:
            self._unread |= names_of(creation.json_object)
            return
        unlabelled = unlabelled_name(body.get("amount_cents"))
        label = body.get("external_ref", unlabelled)
        own = creation.role == Role.MERCHANT and creation.ok
        self._asked[unlabelled] += 1
        if label is None:
            self._unread |= names_of(creation.json_object)
            return
        if label == unlabelled or (isinstance(label, str) and UNIQUE_REF.fullmatch(label)):
            self._by_ref[label].creations.append(creation)
            if own and has_id(creation):
                self._due[CREATED].setdefault(str(creation.json_object["id"]), creation)
        elif own and isinstance(label, str) and label.strip():
            self._special_refs.setdefault(label, creation)


def _possible_event(request: Exchange) -> str | None:
    """Return the event that a request may have caused, or whose change a query shows."""
    if request.operation == "get_charge":
        return SHOWS.get(str(request.json_object.get("status")))
    return None if is_refusal(request.status) else CAUSES.get(str(request.operation))
