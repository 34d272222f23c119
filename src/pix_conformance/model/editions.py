"""Reads `specs/editions`: the ids, levels and statements of each release, as they were released."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Level, Requirement

EDITIONS = SPECS / "editions"
LEVELS = (Level.OPEN, Level.SHOULD, Level.MUST)
"""The levels, the strictest last."""


@dataclass(frozen=True)
class Released:
    """One requirement of an edition."""

    level: Level
    statement: str


def names() -> list[str]:
    """Return the editions, the oldest first."""
    stems = (path.stem for path in EDITIONS.glob("*.toml"))
    return sorted(stems, key=lambda stem: tuple(map(int, stem.split("."))))


@cache
def edition(name: str) -> Mapping[str, Released]:
    """Return the requirements of an edition by id."""
    rows = tomllib.loads((EDITIONS / f"{name}.toml").read_text(encoding="utf-8"))
    return {requirement: Released(Level(level), statement) for requirement, (level, statement) in rows.items()}


def since(requirement: str) -> str:
    """Return the first edition that has a requirement; empty for one of the release to come."""
    return next((name for name in names() if requirement in edition(name)), "")


def current() -> str:
    """Return the edition that has the requirements of this suite; empty if they have changed since the last one."""
    today = {requirement.id: Released(requirement.level, requirement.statement) for requirement in catalogue().values()}
    return next((name for name in reversed(names()) if edition(name) == today), "")


@cache
def newer_than(name: str) -> frozenset[str]:
    """Return the ids that an edition does not have, or as open points only; none for an edition that is not here."""
    if name not in names():
        return frozenset()
    asked = {requirement for requirement, released in edition(name).items() if released.level is not Level.OPEN}
    return frozenset(row.id for row in catalogue().values() if row.level is not Level.OPEN and row.id not in asked)


@cache
def requirements_of_edition(name: str) -> Mapping[str, Requirement]:
    """Return all requirements by id, those of an edition with its statement and with the lower of both levels.

    A level that is lower today was a false failure. What an edition has as an open point is as today: it is newer.
    """
    if name not in names():
        return catalogue()
    newer, then = newer_than(name), edition(name)
    return {
        row.id: row if row.id in newer or row.id not in then else _as_released(row, then[row.id])
        for row in catalogue().values()
    }


def _as_released(requirement: Requirement, released: Released) -> Requirement:
    level = min(requirement.level, released.level, key=LEVELS.index)
    return replace(requirement, level=level, statement=released.statement)
