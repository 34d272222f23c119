"""Which requests of a bundle name, made and changed which objects."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import parsed
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.recording.curl import caller_names

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
        return self._ids_made.get(number, [])

    @cached_property
    def _ids_made(self) -> dict[int, list[str]]:
        ids: dict[int, list[str]] = defaultdict(list)
        for name, maker in self._makers.items():
            ids[maker].append(name)
        return ids

    @cached_property
    def by_test(self) -> dict[str | None, list[Exchange]]:
        """The exchanges of each test, in the order in which they were sent."""
        tests: dict[str | None, list[Exchange]] = defaultdict(list)
        for exchange in sorted(self.bundle.exchanges, key=lambda exchange: exchange.id):
            tests[exchange.test].append(exchange)
        return tests

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


def is_change(exchange: Exchange) -> bool:
    """Whether a request may change something; a login does not."""
    return exchange.request.method in CHANGES and exchange.operation != LOGIN


def is_simultaneous(exchange: Exchange, other: Exchange) -> bool:
    """Whether two exchanges of one test were sent simultaneously, or under way at the same time."""
    (begin, end), (begun, ended) = _span(exchange), _span(other)
    is_of_group = exchange.group is not None and exchange.group == other.group
    return exchange.test == other.test and (is_of_group or (begin < ended and begun < end))


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
