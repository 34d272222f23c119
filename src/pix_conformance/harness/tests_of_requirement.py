"""For each requirement, the collected tests that decide it; for a passive one, tests that send what shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from pix_conformance.harness.selection import requirements_of, witnesses
from pix_conformance.model.catalogue import load
from pix_conformance.results.bundle.values import Question

FEW = 4
"""The number of tests that are listed for a passive requirement."""


def asked_by(items: Sequence[pytest.Item]) -> dict[str, tuple[Question, ...]]:
    """Map each requirement to the tests that name it, one entry for each function."""
    cases: dict[str, Counter[str]] = {}
    words: dict[str, str] = {}
    for item in items:
        name = item.nodeid.partition("[")[0]
        words.setdefault(name, _words(item))
        for one in requirements_of(item):
            cases.setdefault(one, Counter())[name] += 1
    return {
        one: tuple(Question(name, words[name], count) for name, count in found.items()) for one, found in cases.items()
    }


def listing(items: Sequence[pytest.Item]) -> dict[str, Any]:
    """Return the words of every test, and for each requirement the ids of its tests."""
    asking = asked_by(items)
    words = {one.test: one.words for found in asking.values() for one in found}
    active = [one for one in load().values() if not one.unobservable]
    return {
        "tests": dict(sorted(words.items())),
        "asked_by": {one.id: {each.test: each.cases for each in asking.get(one.id, ())} for one in active},
        "caused_by": {
            one.id: list(dict.fromkeys(item.nodeid.partition("[")[0] for item in witnesses(list(items), one)))[:FEW]
            for one in active
            if one.passive
        },
    }


def _words(item: pytest.Item) -> str:
    """Return the name of a test in words, followed by its docstring."""
    function = getattr(item, "function", None)
    name = getattr(function, "__name__", item.name).removeprefix("test_").replace("_", " ")
    return f"{name}. {' '.join((getattr(function, '__doc__', None) or '').split())}".rstrip()
