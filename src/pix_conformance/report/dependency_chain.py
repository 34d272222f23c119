"""Which earlier requests an exchange of a bundle depends on, and which requests caused an event."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any

from pix_conformance.model.areas import AREAS, area
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.subject import parsed
from pix_conformance.model.vocabulary import Api, Judgement
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.recording.curl import caller_names

LONGEST_CHAIN = 40
SHORTEST_ID = 6
"""Characters of an id from which on the same text in a body counts as a reference to its object."""
NEAR_ID = 12
"""So many first characters of an id in a path count as a reference to its object."""
LOGIN = "authenticate"
CHANGES = ("POST", "DELETE", "PUT", "PATCH")
TOLERANCE_S = 0.002
"""Recorded times are rounded: an overlap of two exchanges that is shorter than this is none."""


@dataclass(frozen=True)
class RecordedExchanges:
    """The exchanges of one bundle, and what the requests of them name."""

    bundle: Bundle
    _names: dict[int, frozenset[str]] = field(default_factory=dict)

    def chain(self, number: int) -> list[Exchange] | None:
        """Return an exchange after those that it depends on: that made its objects or used its keys; None if too many.

        Reads change nothing and are left out. Of a walk that failed all steps are returned, reads too.
        """
        if number in self._walks:
            return [self.bundle.exchange[step] for step in self._walks[number]]
        chosen, todo = {number}, [number]
        while todo and len(chosen) <= LONGEST_CHAIN:
            names = self.names(self.bundle.exchange[todo.pop()])
            makers = {maker for name in names for maker in self._by_name.get(name, ()) if maker < number} - chosen
            chosen |= makers
            todo += makers
        return [self.bundle.exchange[number] for number in sorted(chosen)] if len(chosen) <= LONGEST_CHAIN else None

    @cached_property
    def _walks(self) -> dict[int, tuple[int, ...]]:
        """The steps of each walk that failed, by the exchange that was judged."""
        judged = (judgement for entry in self.bundle.entries for judgement in entry.missed if judgement.steps)
        return {
            judgement.steps[-1]: judgement.steps
            for judgement in judged
            if all(step in self.bundle.exchange for step in judgement.steps)
        }

    @cached_property
    def _by_name(self) -> dict[str, set[int]]:
        """The exchanges that made or changed what has a name."""
        by_name: dict[str, set[int]] = defaultdict(set)
        for name, maker in self._makers.items():
            by_name[name].add(maker)
        for exchange in self.bundle.exchanges:
            if exchange.request.method in CHANGES:
                for name in self.names(exchange):
                    by_name[name].add(exchange.id)
        return by_name

    def names(self, exchange: Exchange) -> frozenset[str]:
        """Return what a request names: ids of ours in path or body, its idempotency key, its external_ref."""
        if exchange.id not in self._names:
            sent = exchange.request
            words = set(re.split(r"[/?&=]", sent.url.removeprefix(self.bundle.base_url)))
            strings = {text for _, text in leaves(parsed(sent.body)) if len(text) >= SHORTEST_ID}
            ours = self._makers.keys() & (words | strings) | {near for word in words if (near := self._near(word))}
            self._names[exchange.id] = frozenset(ours | set(caller_names(sent)))
        return self._names[exchange.id]

    def _near(self, word: str) -> str:
        """Return the id of ours with which a part of a path begins, or most of which it has; empty without one."""
        if word in self._makers:
            return ""
        place = bisect(self._sorted_ids, word)
        around = self._sorted_ids[max(0, place - 1) : place + 1]
        return next((other for other in around if in_common(word, other)), "")

    @cached_property
    def _sorted_ids(self) -> list[str]:
        return sorted(self._makers)

    @cached_property
    def _makers(self) -> dict[str, int]:
        """The number of the exchange that created the object of each id."""
        return {created.id: created.exchange for created in self.bundle.journal}

    def ids_made(self, number: int) -> list[str]:
        """Return the ids of the objects that an exchange created."""
        return [name for name, maker in self._makers.items() if maker == number]

    def changes_of(self, name: str) -> frozenset[int]:
        """Return the numbers of the exchanges that made or changed the object with this id or label."""
        return frozenset(self._by_name.get(name, ()))

    def changes_before(self, name: str, until: float) -> Iterator[int]:
        """Yield the requests that made and changed what has a name, an id or a label, sent before a moment."""
        naming = self.changes_of(name)
        ids = [name for number in naming for name in self.ids_made(number)]
        for number in naming.union(*(self.changes_of(name) for name in ids)):
            exchange = self.bundle.exchange.get(number)
            if exchange is not None and exchange.started <= until:
                yield number

    def names_in(self, texts: Iterable[str]) -> list[str]:
        """Return the names of objects of this run in some texts, in their order."""
        words = (word for text in texts for word in [text, *re.findall(r"[\w-]+", text)])
        return [word for word in dict.fromkeys(words) if len(word) >= SHORTEST_ID and self.changes_of(word)]

    def sent_at(self, exchange: Exchange) -> float:
        """Return when it was sent by the target's clock, as far as it was turned; epoch seconds."""
        return exchange.started + sum(seconds for begun, seconds in self.bundle.run.turns if begun <= exchange.started)

    def overlap(self, exchange: Exchange, other: Exchange) -> bool:
        """Whether two exchanges of one test were under way at the same time."""
        (begin, end), (begun, ended) = _span(exchange), _span(other)
        return exchange.test == other.test and begin < ended and begun < end


def in_common(word: str, name: str) -> int:
    """Return with how many characters of an id a part of a path begins, where it was made of it; else 0."""
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, name, strict=False)))
    if count == len(name):  # a number with something else than digits behind it, or any other id
        return 0 if name.isdigit() and word[count:][:1].isdigit() else count
    return count if count >= NEAR_ID else 0


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Walk the strings of a JSON value, each with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, child in value.items():
            yield from leaves(child, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from leaves(child, (*path, str(index)))


def _span(exchange: Exchange) -> tuple[float, float]:
    return exchange.started, exchange.started + max(0.0, exchange.elapsed_ms / 1000 - TOLERANCE_S)


def causing(recorded: RecordedExchanges, delivery: Delivery, *, only_named: bool) -> Iterator[int]:
    """Yield the requests that changed what a delivery is about, and the one that gave the address of its receiver.

    That is what it names; else what has its address as postbackUrl; else, unless `only_named`, the newest request
    that may have caused it.
    """
    addressed = _addressed(recorded, delivery.path)
    hooks = [exchange.id for exchange in addressed if exchange.operation == "create_webhook"][-1:]
    names = recorded.names_in(text for _, text in leaves(delivery.parsed_body))
    names = names or [
        name for exchange in addressed for name in recorded.ids_made(exchange.id) if exchange.id not in hooks
    ]
    changes = {number for name in names for number in recorded.changes_before(name, delivery.received)}
    if changes or only_named:
        yield from (*changes, *hooks)
    else:
        yield from _nameless(recorded, delivery, hooks)


def _addressed(recorded: RecordedExchanges, path: str) -> list[Exchange]:
    """Return the requests that gave the receiver's address with this path, as a webhook's url or as postbackUrl."""
    addresses = f'{path}"'.encode(), f"{path}?".encode()
    changes = (exchange for exchange in recorded.bundle.exchanges if exchange.request.method in CHANGES and exchange.ok)
    return [change for change in changes if path != "/" and any(part in change.request.body for part in addresses)]


def _nameless(recorded: RecordedExchanges, delivery: Delivery, hooks: list[int]) -> Iterator[int]:
    """Yield the newest request that may have caused a delivery; of a webhook, by the test that made it."""
    event = name_in(delivery.parsed_body) or ""
    tests = {recorded.bundle.exchange[number].test for number in hooks}
    kind = "transfer" if event.startswith("transfer") else "charge"
    announced = {row.name for api in Api for row in of(api) if event and row.event == event}
    acts = {row.name for api in Api for row in of(api, Effect.CREATES, Effect.CHANGES) if row.kind == kind}
    before = [exchange for exchange in reversed(recorded.bundle.exchanges) if exchange.started <= delivery.received]
    before = [exchange for exchange in before if not tests or exchange.test in tests]
    for operations in (announced, acts):
        if cause := next((exchange.id for exchange in before if exchange.operation in operations), None):
            yield from (*hooks, cause)
            return


def hooks_of(recorded: RecordedExchanges, exchange: Exchange, judgement: Judgement) -> Iterator[int]:
    """Yield the requests that registered the webhooks of the test of a judgement on what an exchange sends."""
    if is_about_events(judgement):
        hooks = [
            hook
            for hook in recorded.bundle.exchanges
            if hook.operation == "create_webhook" and hook.ok and hook.role == exchange.role and hook.id < exchange.id
        ]
        event = next((str(matcher["arguments"]["event"]) for matcher in judgement.matchers if _has_event(matcher)), "")
        fitting = [hook for hook in hooks if event in hook.request.json_object.get("events", ())] if event else hooks
        own = [hook.id for hook in fitting if hook.test == judgement.test]
        yield from own or [hook.id for hook in fitting[-1:]]


def is_about_events(judgement: Judgement) -> bool:
    """Whether a judgement is on the events that a request sends."""
    return area(judgement.requirement) == AREAS["EVT"] or any(
        str(matcher.get("name", "")).startswith("events.") for matcher in judgement.matchers
    )


def _has_event(row: Mapping[str, Any]) -> bool:
    """Whether a recorded matcher is about an event of one name."""
    return isinstance(row.get("arguments"), dict) and "event" in row["arguments"]
