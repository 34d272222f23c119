"""Reads `specs/<api>/states.toml`: the tables of states of both documents."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api


@dataclass(frozen=True)
class Transition:
    """One transition from a status to another.

    `source` is None for a creation. `trigger` is the operation that causes the transition. `condition` is in words.
    `target` is None if the document does not state the status. `event` is None if it names none. `requirement` is the
    id of the requirement that states the transition.
    """

    source: str | None
    trigger: str
    condition: str
    target: str | None
    event: str | None
    requirement: str


@dataclass(frozen=True)
class States:
    """The statuses of one kind of object, and its documented transitions."""

    statuses: tuple[str, ...]
    transitions: tuple[Transition, ...]
    table: Mapping[str, Any]
    """The whole table of the file."""


@cache
def load(api: Api) -> Mapping[str, States]:
    """Return the states of each kind of object of one API."""
    tables = tomllib.loads((SPECS / api / "states.toml").read_text(encoding="utf-8"))
    return {kind: States(tuple(one["statuses"]), tuple(_transitions(one)), one) for kind, one in tables.items()}


def _transitions(table: Mapping[str, Any]) -> Iterator[Transition]:
    for row in table["transition"]:
        for source in row.get("from", [None]):
            yield Transition(
                source, row["trigger"], row["condition"], row.get("to"), row.get("event"), row["requirement"]
            )
