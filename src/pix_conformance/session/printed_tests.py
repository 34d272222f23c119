"""A pytest plugin that prints the collected tests of each requirement as JSON: `report/explain.py` reads it."""

import json
from dataclasses import astuple

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Requirement
from pix_conformance.session.selection import asked_by, witnesses

FEW = 4
"""The number of tests that are listed for a passive requirement."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Print the tests that name each requirement, and for each passive one some that send what shows it."""
    passive = [requirement for requirement in catalogue().values() if requirement.passive]
    tests = {
        "asked_by": asked_by(session.items),
        "caused_by": {rule.id: few_witnesses(session.items, rule) for rule in passive},
    }
    print(f"\n{json.dumps(tests, default=astuple)}")  # noqa: T201  # the output of this plugin


def few_witnesses(items: list[pytest.Item], requirement: Requirement) -> list[str]:
    """Name some test functions that send what shows a passive requirement."""
    return list(dict.fromkeys(item.nodeid.partition("[")[0] for item in witnesses(items, requirement)))[:FEW]
