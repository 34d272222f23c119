"""The tests of each requirement, as the list says that is shipped with the suite."""

import json
from functools import cache
from typing import Any

from pix_conformance.model.paths import DATA
from pix_conformance.results.bundle.values import Question

LIST = DATA / "tests_of_requirement.json"
"""The tests of each requirement, collected by `python -m docs.generate`."""


def listed_tests(requirement: str) -> tuple[Question, ...]:
    """Return the tests that name a requirement."""
    shipped = _shipped()
    cases = shipped["asked_by"].get(requirement, {})
    return tuple(Question(test, shipped["tests"][test], count) for test, count in cases.items())


def listed_causes(requirement: str) -> list[str]:
    """Return a few of the tests that `--only` runs to cause messages that show a requirement."""
    found: list[str] = _shipped()["caused_by"].get(requirement, [])
    return found


@cache
def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(LIST.read_text("utf-8"))
    return found
