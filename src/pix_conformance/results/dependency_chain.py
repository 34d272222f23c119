"""Which earlier requests an exchange of a bundle depends on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.idempotency import KEYS
from pix_conformance.model.subject import parsed
from pix_conformance.results.bundle.values import Bundle

LONGEST_CHAIN = 40
SHORTEST_ID = 6
"""Characters of an id from which on the same text in a body counts as a reference to its object."""
LOGIN = "authenticate"
CHANGES = ("POST", "DELETE", "PUT", "PATCH")
TOLERANCE_S = 0.002
"""Recorded times are rounded: an overlap of two exchanges that is shorter than this is none."""


@dataclass(frozen=True)
class Recording:
    """The exchanges of one bundle, and what the requests of them name."""

    bundle: Bundle
    _names: dict[int, frozenset[str]] = field(default_factory=dict)

    @property
    def base_url(self) -> str:
        """The address that was asked."""
        return self.bundle.base_url

    def chain(self, number: int) -> list[Exchange] | None:
        """Return an exchange after those that it depends on: that made its objects or used its keys; None if too many.

        Reads change nothing and are left out. Of a walk that failed all steps are returned, reads too.
        """
        if number in self._walks:
            return [self.bundle.exchange[one] for one in self._walks[number]]
        chosen, todo = {number}, [number]
        while todo and len(chosen) <= LONGEST_CHAIN:
            names = self.names(self.bundle.exchange[todo.pop()])
            found = {one for name in names for one in self._by_name.get(name, ()) if one < number} - chosen
            chosen |= found
            todo += found
        return self._in_order(chosen)

    @cached_property
    def _walks(self) -> dict[int, tuple[int, ...]]:
        """The steps of each walk that failed, by the exchange that was judged."""
        judged = (one for entry in self.bundle.entries for one in entry.missed if one.steps)
        return {one.steps[-1]: one.steps for one in judged if all(each in self.bundle.exchange for each in one.steps)}

    def account_chain(self, number: int) -> list[Exchange] | None:
        """Return a read of a whole account after its test's read before it and the changes between, with their chains.

        None where the exchange is no such read, or where there are too many.
        """
        read = self.bundle.exchange[number]
        if number in self._walks:
            return None
        if read.request.method in CHANGES or self.names(read):
            return None
        before = [one for one in self.bundle.exchanges if one.test == read.test and one.id < number]
        like = [one.id for one in before if one.request.url == read.request.url]
        since = like[-1] if like else 0
        chosen = {number, *like[-1:]}
        for one in before:
            if one.id > since and one.request.method in CHANGES and one.operation != LOGIN:
                chosen |= {led.id for led in self.chain(one.id) or ()}
        return self._in_order(chosen)

    def _in_order(self, chosen: set[int]) -> list[Exchange] | None:
        return [self.bundle.exchange[one] for one in sorted(chosen)] if len(chosen) <= LONGEST_CHAIN else None

    @cached_property
    def _by_name(self) -> dict[str, set[int]]:
        """The exchanges that made or changed what has a name."""
        found: dict[str, set[int]] = defaultdict(set)
        for name, maker in self._makers.items():
            found[name].add(maker)
        for one in self.bundle.exchanges:
            if one.request.method in CHANGES:
                for name in self.names(one):
                    found[name].add(one.id)
        return found

    def names(self, exchange: Exchange) -> frozenset[str]:
        """Return what a request names: ids of ours in path or body, its idempotency key, its external_ref."""
        if exchange.id not in self._names:
            sent = exchange.request
            words = set(re.split(r"[/?&=]", sent.url.removeprefix(self.base_url)))
            strings = {text for _, text in leaves(parsed(sent.body)) if len(text) >= SHORTEST_ID}
            ours = self._makers.keys() & (words | strings)
            self._names[exchange.id] = frozenset(ours | set(labels(sent)))
        return self._names[exchange.id]

    @cached_property
    def _makers(self) -> dict[str, int]:
        """The number of the exchange that created the object of each id."""
        return {one.id: one.exchange for one in self.bundle.journal}

    def ids_made(self, number: int) -> list[str]:
        """Return the ids of the objects that an exchange created."""
        return [made for made, maker in self._makers.items() if maker == number]

    def changes_of(self, name: str) -> frozenset[int]:
        """Return the numbers of the exchanges that made or changed the object with this id or label."""
        return frozenset(self._by_name.get(name, ()))

    def age(self, exchange: Exchange) -> float:
        """Return when it was sent by the target's clock, as far as it was turned; epoch seconds."""
        return exchange.started + sum(seconds for begun, seconds in self.bundle.run.turns if begun <= exchange.started)

    def beside(self, exchange: Exchange) -> bool:
        """Whether other exchanges of its test were under way when it was sent."""
        begun, ended = _span(exchange)
        others = (one for one in self.bundle.exchanges if one.test == exchange.test and one.id != exchange.id)
        return any(begin < ended and begun < end for begin, end in map(_span, others))


def labels(sent: Request) -> Iterator[str]:
    """Yield the texts by which a caller names what a request makes: its idempotency key and its external_ref."""
    yield from (value for name, value in sent.headers if name.lower() in KEYS)
    yield from (text for path, text in leaves(parsed(sent.body)) if path == ("external_ref",))


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Walk the strings of a JSON value, each with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, (*path, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from leaves(one, (*path, str(index)))


def _span(exchange: Exchange) -> tuple[float, float]:
    return exchange.started, exchange.started + max(0.0, exchange.elapsed_ms / 1000 - TOLERANCE_S)
