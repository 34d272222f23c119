"""Which tests ask a requirement: as a run's bundle says, or as the list that is shipped with the suite says."""

import json
from functools import cache
from typing import Any

from pix_conformance.model import openapi
from pix_conformance.model.paths import DATA
from pix_conformance.model.vocabulary import Capability, Requirement
from pix_conformance.results.bundle.values import Bundle, Question

LIST = DATA / "tests_of_requirement.json"
"""The tests of each requirement, collected by `python -m docs.generate`."""
OF_DELIVERIES = frozenset({Capability.RECEIVER, Capability.BUSINESS_RECEIVER})


def requirements_by_test(one: Requirement, bundle: Bundle | None) -> tuple[Question, ...]:
    """Return the tests that name a requirement, in this run or, without a run, in the suite."""
    if bundle:
        return next((entry.asked_by for entry in bundle.entries if entry.id == one.id), ())
    shipped = _shipped()
    cases = shipped["asked_by"].get(one.id, {})
    return tuple(Question(test, shipped["tests"][test], count) for test, count in cases.items())


def causes(one: Requirement) -> list[str]:
    """List a few of the tests that `--only` runs to cause messages that show a requirement."""
    found: list[str] = _shipped()["caused_by"].get(one.id, [])
    return found


def judged_on(one: Requirement) -> str:
    """Say which messages are held against a requirement, whichever test caused them; empty where none are."""
    if not one.passive:
        return ""
    if one.needs & OF_DELIVERIES:
        return "every delivered event"
    operations = sorted(openapi.shown_by(one.api).get(one.id, ()))
    return f"every response of {', '.join(operations)}" if operations else "every response"


@cache
def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(LIST.read_text("utf-8"))
    return found
