"""The tests of each requirement, as pytest collects them from the suites; nothing is sent."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pix_conformance.model.paths import SUITES, without_settings
from pix_conformance.model.questions import is_asked_in
from pix_conformance.model.vocabulary import Requirement
from pix_conformance.recording.bundle.values import AskingTest, BundleError

COMMAND = "import sys; from pix_conformance.cli import conformance; sys.exit(conformance())"
PRINTS = "pix_conformance.session.printed_tests"
"""The pytest plugin that prints what was collected as JSON, in a line of its own."""


@dataclass(frozen=True, slots=True)
class ListedTests:
    """The tests that name a requirement, and for a passive one a few of those that `--only` runs to show it."""

    asking: tuple[AskingTest, ...] = ()
    causing: tuple[str, ...] = ()


def listed_tests(requirement: Requirement) -> ListedTests:
    """Collect the tests of a requirement, in about two seconds. BundleError if the suites cannot be collected."""
    if requirement.unobservable:
        return ListedTests()
    lists = _collected(() if requirement.passive else files_that_ask(requirement))
    asking = tuple(AskingTest(*row) for row in lists["asked_by"].get(requirement.id, ()))
    return ListedTests(asking, tuple(lists["caused_by"].get(requirement.id, ())))


def files_that_ask(requirement: Requirement) -> tuple[Path, ...]:
    """Return the files of the suites that may have a test of a requirement."""
    return tuple(
        sorted(file for file in SUITES.rglob("test_*.py") if is_asked_in(file.read_text("utf-8"), requirement))
    )


@cache
def _collected(files: tuple[Path, ...]) -> dict[str, Any]:
    """Collect these files, or all if there are none, in a process of its own."""
    words = [sys.executable, "-P", "-c", COMMAND, "--collect-only", "-s", "-p", PRINTS, *map(str, files)]
    done = subprocess.run(words, env=without_settings(), capture_output=True, text=True, check=False)  # noqa: S603  # our own suites
    if done.returncode:
        raise BundleError(f"the suites cannot be collected:\n{done.stdout}{done.stderr}")
    lists: dict[str, Any] = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    return lists
