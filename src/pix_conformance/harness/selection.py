"""Which tests run, and in which order: --only and --api choose, what must age goes last."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.catalogue import load
from pix_conformance.model.paths import SUITES
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Capability, Level, Requirement

WITNESSES = 12
"""How many tests of an operation show a passive requirement that was asked for by name, about."""
RECEIVERS = frozenset({Capability.RECEIVER, Capability.BUSINESS_RECEIVER})
"""What a requirement needs that only deliveries show."""
EVERYWHERE = frozenset({"GEN", "ERR"})
"""Areas whose passive requirements hold for every answer of every operation."""


def asks_the_suites(config: pytest.Config) -> bool:
    """Whether this pytest run holds a target against the documents, and is not one of the suite's own tests."""
    return asks_all(config) or any(SUITES in one.parents for one in _paths(config))


def asks_all(config: pytest.Config) -> bool:
    """Whether all suites are collected, and not only a folder or file of them."""
    return any(one == SUITES or one in SUITES.parents for one in _paths(config))


def _paths(config: pytest.Config) -> list[Path]:
    return [Path(config.invocation_params.dir, one.partition("::")[0]).resolve() for one in config.args]


@cache
def requirements_of(item: pytest.Item) -> tuple[str, ...]:
    """List the requirements that a test names, each once."""
    return tuple(dict.fromkeys(one for mark in item.iter_markers("requirement") for one in mark.args))


def by_requirement(items: list[pytest.Item]) -> dict[str, set[str]]:
    """Map each requirement to the tests that name it."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for one in requirements_of(item):
            found[one].add(item.nodeid)
    return dict(found)


def history_requirements(items: list[pytest.Item], only: frozenset[str]) -> list[str]:
    """List what was asked for by name and is asked of all that a run sends: the fewer tests, the less it means."""
    back = [one for item in items if item.get_closest_marker("looks_back") for one in requirements_of(item)]
    return sorted(only.intersection(back))


def chosen(items: list[pytest.Item], target: Target) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Split tests into those that --only and --api leave, and the rest."""
    shown_by = {item.nodeid for one in target.only if load()[one].passive for item in witnesses(items, load()[one])}
    left: list[pytest.Item] = []
    lost: list[pytest.Item] = []
    for item in items:
        named = not target.only or target.only.intersection(requirements_of(item)) or item.nodeid in shown_by
        (left if named and api_of(item) in target.apis else lost).append(item)
    return left, lost


def witnesses(items: list[pytest.Item], one: Requirement) -> list[pytest.Item]:
    """Choose some tests that make the traffic of a passive requirement, which has none of its own."""
    others = [other for other in load().of(one.api) if not other.passive]
    if _area(one.id).rpartition("-")[2] in EVERYWHERE:
        return _spread(items, others)
    shown = openapi.shown_by(one.api).get(one.id, frozenset()) | ({one.operation} if one.operation else set())
    near = [{other.id for other in others if other.operation == operation} for operation in sorted(shown)]
    if not any(near):
        near = [{other.id for other in others if _area(other.id) == _area(one.id)}]
    found = [item for some in near for item in _some(items, some)]
    return found or _some(items, {other.id for other in others if RECEIVERS & other.needs & one.needs})


def _some(items: list[pytest.Item], near: set[str]) -> list[pytest.Item]:
    making = [item for item in items if near.intersection(requirements_of(item)) and _age(item) < 0]
    return making[:: max(1, len(making) // WITNESSES)]


def _spread(items: list[pytest.Item], others: list[Requirement]) -> list[pytest.Item]:
    """Choose one test for each operation and status that a requirement states, and for each open point.

    A refusal that is stated of no single operation is asked on each route: there every case counts.
    """
    keys = {one.id: one.id if one.level is Level.OPEN else f"{one.operation} {_refusals(one)}" for one in others}
    everywhere = {one.id for one in others if one.operation is None and _refusals(one)}
    first: dict[str, pytest.Item] = {}
    for item in items:
        for one in requirements_of(item):
            if one in keys and _age(item) < 0:
                first.setdefault(f"{keys[one]} {item.name if one in everywhere else ''}", item)
    return list(first.values())


def _refusals(one: Requirement) -> str:
    return " ".join(re.findall(r"\b4[0-9]{2}\b", one.statement))


def _area(requirement: str) -> str:
    return requirement.rpartition("-")[0]


def api_of(item: pytest.Item) -> str:
    """Return the API that a test of the suites asks."""
    return item.path.relative_to(SUITES).parts[0]


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Put what is harvested after the ordinary tests, by the age that it waits for; otherwise keep the order."""
    return sorted(items, key=_age)


def _age(item: pytest.Item) -> float:
    mark = item.get_closest_marker("deferred")
    return float(mark.args[0]) if mark else -1.0
