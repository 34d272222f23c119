"""A bundle read back: what failed in it, and what led to each failing exchange."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pix_conformance.model.idempotency import KEYS
from pix_conformance.model.json_reader import parsed
from pix_conformance.model.usage_error import UsageError
from pix_conformance.results.bundle.reader import read_exchanges, read_results
from pix_conformance.results.bundle.values import BundleError

LONGEST_CHAIN = 40
SHORTEST_ID = 6
"""A shorter text in a body is no reference to an object that happens to have it for an id."""
LOGIN = "authenticate"
CHANGES = ("POST", "DELETE", "PUT", "PATCH")
Row = dict[str, Any]


@dataclass(frozen=True)
class Failure:
    """One recorded exchange or delivery that did not match, with every judgement that says so, by requirement."""

    evidence: str
    judgements: tuple[tuple[str, Row], ...]

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements that it failed, each once."""
        return tuple(dict.fromkeys(one for one, _ in self.judgements))

    @property
    def number(self) -> int | None:
        """The number of the exchange; None for a delivery."""
        kind, _, number = self.evidence.partition(" ")
        return int(number) if kind == "exchange" else None


@dataclass(frozen=True)
class Recording:
    """The results and exchanges of one bundle."""

    results: Row
    exchanges: dict[int, Row]
    _names: dict[int, frozenset[str]] = field(default_factory=dict)

    @property
    def base_url(self) -> str:
        """The address that was asked."""
        return str(self.results["target"]["base_url"])

    def failures(self, requirement: str = "") -> list[Failure]:
        """List what failed, of one requirement or of all, in the order in which it was sent."""
        found: dict[str, list[tuple[str, Row]]] = {}
        for row in self.results["requirements"]:
            if row["outcome"] in {"fail", "warn", "waived"} and requirement in {"", row["id"]}:
                for one in row["judgements"]:
                    if one["mismatches"]:
                        found.setdefault(one["target"], []).append((row["id"], one))
        failures = [Failure(evidence, tuple(some)) for evidence, some in found.items()]
        return sorted(failures, key=lambda one: one.number or 0)

    def chain(self, number: int) -> list[Row] | None:
        """Return the exchange and what it stands on: who made its objects, who used its keys; None if too many.

        Reads change nothing and are left out.
        """
        chosen, todo = {number}, [number]
        while todo and len(chosen) <= LONGEST_CHAIN:
            names = self.names(self.exchanges[todo.pop()])
            found = {one for name in names for one in self._by_name.get(name, ()) if one < number} - chosen
            chosen |= found
            todo += found
        return [self.exchanges[one] for one in sorted(chosen)] if len(chosen) <= LONGEST_CHAIN else None

    def account_chain(self, number: int) -> list[Row] | None:
        """Return what shows a read of a whole account: its test's read before it, the changes between and their chains.

        None where the exchange is no such read, or where there are too many.
        """
        read = self.exchanges[number]
        if read["request"]["method"] in CHANGES or self.names(read):
            return None
        before = [one for one in self.exchanges.values() if one["test"] == read["test"] and one["id"] < number]
        like = [one["id"] for one in before if one["request"]["url"] == read["request"]["url"]]
        since = like[-1] if like else 0
        chosen = {number, *like[-1:]}
        for one in before:
            if one["id"] > since and one["request"]["method"] in CHANGES and one["operation"] != LOGIN:
                chosen |= {led["id"] for led in self.chain(one["id"]) or ()}
        return [self.exchanges[one] for one in sorted(chosen)] if len(chosen) <= LONGEST_CHAIN else None

    @cached_property
    def _by_name(self) -> dict[str, set[int]]:
        """Which exchanges made or changed what is called so."""
        found: dict[str, set[int]] = defaultdict(set)
        for name, makers in self._makers.items():
            found[name] |= makers
        for number, one in self.exchanges.items():
            if one["request"]["method"] in CHANGES:
                for name in self.names(one):
                    found[name].add(number)
        return found

    def names(self, exchange: Row) -> frozenset[str]:
        """Return what a request names: ids of ours in path or body, its idempotency key, its external_ref."""
        number = exchange["id"]
        if number not in self._names:
            sent = exchange["request"]
            words = set(re.split(r"[/?&=]", sent["url"].removeprefix(self.base_url)))
            strings = {text for _, text in leaves(body_of(sent)) if len(text) >= SHORTEST_ID}
            ours = self._makers.keys() & (words | strings)
            labels = {text for path, text in leaves(body_of(sent)) if path == ("external_ref",)}
            keys = {value for name, value in sent["headers"] if name.lower() in KEYS}
            self._names[number] = frozenset(ours | labels | keys)
        return self._names[number]

    @cached_property
    def _makers(self) -> dict[str, set[int]]:
        """Which exchange made the object of each id."""
        return {str(one["id"]): {one["exchange"]} for one in self.results["journal"]}

    def ids_made(self, number: int) -> list[str]:
        """Return the ids of the objects that an exchange created."""
        return [made for made, makers in self._makers.items() if number in makers]

    def made(self, number: int) -> bool:
        """Whether an exchange created an object."""
        return number in self._creators

    @cached_property
    def _creators(self) -> set[int]:
        return {one["exchange"] for one in self.results["journal"]}

    def age(self, exchange: Row) -> float:
        """Return when it was sent by the target's clock, as far as it was turned; epoch seconds."""
        sent = datetime.fromisoformat(exchange["started"]).timestamp()
        turns: list[tuple[float, float]] = self.results["run"].get("turns", [])
        return sent + sum(seconds for begun, seconds in turns if begun <= sent)

    def beside(self, exchange: Row) -> bool:
        """Whether other exchanges of its test were under way when it was sent."""
        begun, ended = _span(exchange)
        others = (one for one in self.exchanges.values() if one["test"] == exchange["test"] and one is not exchange)
        return any(begin < ended and begun < end for begin, end in map(_span, others))


def read(directory: Path) -> Recording:
    """Read a bundle; UsageError if it is none, or if a line of its exchanges cannot be read."""
    unreadable: list[str] = []
    try:
        results, exchanges = read_results(directory), list(read_exchanges(directory, unreadable))
    except BundleError as reason:
        raise UsageError(f"no bundle can be read in {directory}: {reason}") from None
    if unreadable:
        raise UsageError(f"no bundle can be read in {directory}: {unreadable[0]}")
    return Recording(results, {one["id"]: one for one in exchanges})


def body_of(message: Row) -> Any:
    """Parse the body of a recorded message; None if it is no JSON."""
    return parsed(message.get("body"))


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


def _span(exchange: Row) -> tuple[float, float]:
    begun = datetime.fromisoformat(exchange["started"]).timestamp()
    return begun, begun + max(0.0, exchange["elapsed_ms"] / 1000 - 0.002)  # times are kept to the millisecond
