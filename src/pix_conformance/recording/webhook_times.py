"""How late a target sends its webhooks, how often again, and in which order, by event."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from urllib.parse import unquote

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import api_of, event_of
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.operations import find
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import MASK

Key = tuple[str, str]
"""The id of an object, and the name of an event."""


@dataclass(frozen=True, slots=True)
class WebhookTimes:
    """The deliveries of one event: seconds from the response to the change until the first delivery at an address."""

    api: str
    event: str
    count: int
    """How many first deliveries there were of a change that the run made."""
    median_s: float
    p95_s: float
    longest_s: float
    repeated: int
    """Deliveries of an event that the receiver had accepted before."""
    overtaken: int
    """First deliveries that came after that of a later change of the same object."""


@dataclass(frozen=True, slots=True)
class FirstDelivery:
    """The first delivery of an event about an object at one address, and the request that made the change."""

    delivery: Delivery
    event: Key
    change: Exchange

    @property
    def seconds(self) -> float:
        """Seconds since the response to the change; 0 for a delivery that came before it."""
        return max(0.0, self.delivery.received - self.change.ended)


def webhook_times(
    exchanges: Sequence[Exchange], deliveries: Sequence[Delivery], journal: Iterable[Created]
) -> tuple[WebhookTimes, ...]:
    """Measure the deliveries of each event whose change a recorded request made; by API and event."""
    firsts = list(_first_deliveries(deliveries, _ids(journal), _changes(exchanges, journal)))
    repeated, overtaken = _repeated(deliveries), _overtaken(firsts)
    by_event: dict[Key, list[float]] = defaultdict(list)
    for first in firsts:
        by_event[first.change.api, first.event[1]].append(first.seconds)
    return tuple(
        WebhookTimes(
            *event,
            count=len(seconds),
            median_s=round(median(seconds), 3),
            p95_s=round(p95(seconds), 3),
            longest_s=round(seconds[-1], 3),
            repeated=repeated.count(event),
            overtaken=overtaken.count(event),
        )
        for event, seconds in sorted((event, sorted(seconds)) for event, seconds in by_event.items())
    )


def p95(ordered: Sequence[float]) -> float:
    """Return the 95th percentile of numbers in their order.

    >>> p95([1.0]), p95([0.0, 10.0])
    (1.0, 9.5)
    """
    return quantiles(ordered, n=20, method="inclusive")[-1] if len(ordered) > 1 else ordered[0]


def _ids(journal: Iterable[Created]) -> dict[str, str]:
    """Return the id of the object by each name that only one object has."""
    ids: dict[str, set[str]] = defaultdict(set)
    for created in journal:
        for name in created.names if not created.is_id_shared and MASK not in created.id else ():
            ids[name].add(created.id)
    return {name: next(iter(owners)) for name, owners in ids.items() if len(owners) == 1}


def _changes(exchanges: Iterable[Exchange], journal: Iterable[Created]) -> dict[Key, Exchange]:
    """Return the first request that made the change of which an event tells."""
    created = {entry.exchange: entry.id for entry in journal}
    ids, changes = set(created.values()), dict[Key, Exchange]()
    for exchange in exchanges:
        row = find(exchange.api, exchange.operation)
        if row is not None and row.event and exchange.ok:
            named = (
                {created[exchange.id]}
                if exchange.id in created
                else ids & {*map(unquote, exchange.request.url.split("/"))}
            )
            for name in named:
                changes.setdefault((name, row.event), exchange)
    return changes


def _first_deliveries(
    deliveries: Iterable[Delivery], ids: Mapping[str, str], changes: Mapping[Key, Exchange]
) -> Iterator[FirstDelivery]:
    seen: set[tuple[str, Key]] = set()
    for delivery in sorted(deliveries, key=lambda delivery: delivery.received):
        api = api_of(delivery)
        name = event_of(delivery, api) if api else None
        for number in {ids[text] for text in delivery.texts if text in ids} if name else ():
            key = (number, name or "")
            if key in changes and (delivery.path, key) not in seen:
                seen.add((delivery.path, key))
                yield FirstDelivery(delivery, key, changes[key])


def _repeated(deliveries: Iterable[Delivery]) -> list[Key]:
    """Return the API and the event of each delivery that the receiver had accepted before."""
    accepted: set[tuple[str, str]] = set()
    repeated: list[Key] = []
    for delivery in deliveries:
        api, number = api_of(delivery), at(delivery.parsed_body, "id")
        if api is None or not isinstance(number, str) or MASK in number:
            continue
        if (delivery.path, number) in accepted:
            repeated.append((api, event_of(delivery, api) or ""))
        elif delivery.is_accepted:
            accepted.add((delivery.path, number))
    return repeated


def _overtaken(firsts: Iterable[FirstDelivery]) -> list[Key]:
    """Return the API and the event of each first delivery that came after that of a later change."""
    newest: dict[tuple[str, str], Exchange] = {}
    overtaken: list[Key] = []
    for first in firsts:
        place = (first.delivery.path, first.event[0])
        before = newest.get(place)
        if before is not None and first.change.ended < before.started:
            overtaken.append((first.change.api, first.event[1]))
        else:
            newest[place] = first.change
    return overtaken
