"""For each requirement, the collected tests that decide it."""

from collections import Counter
from collections.abc import Sequence

import pytest

from pix_conformance.recording.bundle.values import AskingTest
from pix_conformance.session.selection import requirements_of


def asked_by(items: Sequence[pytest.Item]) -> dict[str, tuple[AskingTest, ...]]:
    """Map each requirement to the tests that name it, one entry for each function."""
    cases: dict[str, Counter[str]] = {}
    words: dict[str, str] = {}
    for item in items:
        name = item.nodeid.partition("[")[0]
        words.setdefault(name, _words(item))
        for requirement in requirements_of(item):
            cases.setdefault(requirement, Counter())[name] += 1
    return {
        requirement: tuple(AskingTest(name, words[name], count) for name, count in counts.items())
        for requirement, counts in cases.items()
    }


def _words(item: pytest.Item) -> str:
    """Return the name of a test in words, followed by its docstring."""
    function = getattr(item, "function", None)
    name = getattr(function, "__name__", item.name).removeprefix("test_").replace("_", " ")
    return f"{name}. {' '.join((getattr(function, '__doc__', None) or '').split())}".rstrip()
