"""Which of the collected tests ask each requirement, and which are run to cause responses that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pytest

from pix_conformance.harness.selection import requirements_of, witnesses
from pix_conformance.model.catalogue import load

FEW = 4
"""So many tests are named as those that cause messages of a kind."""


@dataclass(frozen=True)
class AskingTest:
    """One test function: its name as pytest gives it, what it says of itself, and how many cases of it ask."""

    test: str
    words: str
    cases: int


def asked_by(items: Sequence[pytest.Item]) -> dict[str, list[dict[str, Any]]]:
    """Map each requirement to the tests that name it, each function once."""
    cases: dict[str, Counter[str]] = {}
    words: dict[str, str] = {}
    for item in items:
        name = item.nodeid.partition("[")[0]
        words.setdefault(name, _words(item))
        for one in requirements_of(item):
            cases.setdefault(one, Counter())[name] += 1
    return {
        one: [asdict(AskingTest(name, words[name], count)) for name, count in found.items()]
        for one, found in cases.items()
    }


def listing(items: Sequence[pytest.Item]) -> dict[str, Any]:
    """List the words of every test once, and for each requirement the tests that ask it or cause what shows it."""
    asking = asked_by(items)
    words = {one["test"]: one["words"] for found in asking.values() for one in found}
    active = [one for one in load().values() if not one.unobservable]
    return {
        "tests": dict(sorted(words.items())),
        "asked_by": {one.id: {each["test"]: each["cases"] for each in asking.get(one.id, ())} for one in active},
        "caused_by": {
            one.id: list(dict.fromkeys(item.nodeid.partition("[")[0] for item in witnesses(list(items), one)))[:FEW]
            for one in active
            if one.passive
        },
    }


def _words(item: pytest.Item) -> str:
    """Write the name of a test as words, and its docstring behind it."""
    function = getattr(item, "function", None)
    name = getattr(function, "__name__", item.name).removeprefix("test_").replace("_", " ")
    return f"{name}. {' '.join((getattr(function, '__doc__', None) or '').split())}".rstrip()
