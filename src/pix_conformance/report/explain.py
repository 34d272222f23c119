"""`pix-report explain`: one requirement in words, with its tests, a right and a wrong example."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pix_conformance.checks.shown_requirements import shown_by
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.documents import VARIABLE, Documents, read
from pix_conformance.model.paths import DATA, HOW_MEASURED, SUITES, without_settings
from pix_conformance.model.profile import RECEIVERS
from pix_conformance.model.questions import is_asked_in
from pix_conformance.model.vocabulary import Level, Requirement
from pix_conformance.recording.bundle.values import AskingTest, Bundle, BundleError

EXAMPLES = DATA / "examples.json"
"""A right and a wrong exchange for each requirement; written by `python -m pix_conformance.proof data`."""
KILLS = DATA / "kills.json"
"""Mutants and the test cases that killed them; written by `python -m pix_conformance.proof recall`."""
MOST_KILLED = 8
"""Mutants of one requirement that are shown one by one."""
Example = dict[str, Any]
MEANING = {
    Level.MUST: "a rule that the document states: not met, it fails the run",
    Level.SHOULD: "a sample, a description or a rule that is only implied: not met, it is a warning",
    Level.OPEN: "not shown, or contradicted: what a server does is recorded, never judged",
}
COMMAND = "import sys; from pix_conformance.cli import conformance; sys.exit(conformance())"
PRINTS = "pix_conformance.session.printed_tests"
"""The pytest plugin that prints what was collected as JSON, in a line of its own."""


@cache
def examples() -> dict[str, dict[str, Example]]:
    """Return the examples by requirement, of each kind (right, wrong); empty where none were made."""
    stored: dict[str, dict[str, Example]] = json.loads(EXAMPLES.read_text("utf-8")) if EXAMPLES.is_file() else {}
    return stored


@cache
def kills() -> dict[str, tuple[str, ...]]:
    """Return the mutants that were measured, each with the test cases that killed it; a survivor has none."""
    stored = json.loads(KILLS.read_text("utf-8")) if KILLS.is_file() else {}
    return {name: tuple(tests) for name, tests in stored.items()}


def explain(name: str, bundle: Bundle | None = None) -> str:
    """Write all that is known of a requirement; upper and lower case of its id are equal.

    BundleError for an id that no document states.
    """
    requirement = catalogue().get(name.upper())
    if requirement is None:
        raise BundleError(f"no requirement is called {name}")
    parts = [
        f"{requirement.id}  {requirement.level}: {MEANING[requirement.level]}",
        requirement.statement,
        f"Stated in {requirement.citation}",
    ]
    parts += [f"Note: {requirement.note}"] if requirement.note else []
    parts += [f"Unobservable: {requirement.unobservable}"] if requirement.unobservable else []
    parts += [f"Needs: {', '.join(sorted(requirement.needs))}"] if requirement.needs else []
    return "\n\n".join(
        [
            *parts,
            _cited(requirement),
            _asked(requirement, bundle),
            *_killed(requirement.id),
            *_shown(requirement.id),
            *_missing(),
        ]
    )


def _cited(requirement: Requirement) -> str:
    """Write the cited lines where PIX_DOCUMENTS names their directory, or how to have them written."""
    directory = os.environ.get(VARIABLE)
    return "\n".join((read(Path(directory)) if directory else Documents()).shown(requirement))


def _asked(requirement: Requirement, bundle: Bundle | None) -> str:
    lines = [f"- {test.words}\n  {test.test}{_cases(test)}" for test in tests_that_ask(requirement, bundle)]
    if messages := judged_on(requirement):
        causing = listed_tests(requirement).causing
        lines.append(f"- {messages} is judged, in all tests{', such as' if causing else ''}")
        lines += [f"  {test}" for test in causing]
    return "\n".join(["Asked by:", *lines]) if lines else "Asked by: no test"


def _cases(test: AskingTest) -> str:
    return f" ({test.cases} cases)" if test.cases > 1 else ""


def _killed(name: str) -> list[str]:
    """Write the mutants whose first broken requirement this is, each with a test that killed it."""
    killers = {mutant: tests for mutant, tests in kills().items() if mutant.startswith(f"{name}/")}
    if not killers:
        return []
    dead = sum(map(bool, killers.values()))
    lines = [f"- {mutant}: {_by(tests)}" for mutant, tests in list(killers.items())[:MOST_KILLED]]
    lines += (
        [f"- and {len(killers) - MOST_KILLED} more: pix-mutants {name} --list"] if len(killers) > MOST_KILLED else []
    )
    return ["\n".join([f"Killed mutants: {dead} of {len(killers)}", *lines])]


def _by(tests: tuple[str, ...]) -> str:
    more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
    return f"killed by {tests[0]}{more}" if tests else "survived"


def _shown(name: str) -> list[str]:
    """Write both examples as far as there are any."""
    pair = examples().get(name, {})
    parts = []
    if right := pair.get("right"):
        parts.append("\n".join(["Right, as the reference answers:", *lines_of(right)]))
    if wrong := pair.get("wrong"):
        head = f"Wrong ({wrong['mutant']}: {wrong['sentence']}):"
        parts.append("\n".join([head, *lines_of(wrong)]))
    return parts


def _missing() -> list[str]:
    """Say how to measure what is shown in a release and was not measured here."""
    files = {"examples": EXAMPLES, "which tests kill which mutant": KILLS}
    missing = " and ".join(name for name, path in files.items() if not path.is_file())
    return [f"Not measured here: {missing}; {HOW_MEASURED}"] if missing else []


def lines_of(example: Example) -> list[str]:
    """Write what an example sends, what it gets and, if it is wrong, each mismatch."""
    marked = {">": example["sent"], "<": example["got"], "!": example.get("mismatches", ())}
    return [f"{mark} {line}" for mark, lines in marked.items() for line in lines]


def tests_that_ask(requirement: Requirement, bundle: Bundle | None) -> tuple[AskingTest, ...]:
    """Return the tests that name a requirement, in this run or, without a run or where it collected none, in all."""
    asked = next((entry.asked_by for entry in bundle.entries if entry.id == requirement.id), ()) if bundle else ()
    return asked or listed_tests(requirement).asking


def judged_on(requirement: Requirement) -> str:
    """Say which messages of all tests are judged by a requirement; empty where none are."""
    if not requirement.passive:
        return ""
    if requirement.needs & RECEIVERS:
        return "every delivered event"
    operations = sorted(shown_by(requirement.api).get(requirement.id, ()))
    return f"every response of {', '.join(operations)}" if operations else "every response"


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
    process = subprocess.run(words, env=without_settings(), capture_output=True, text=True, check=False)  # noqa: S603  # our own suites
    if process.returncode:
        raise BundleError(f"the suites cannot be collected:\n{process.stdout}{process.stderr}")
    lists: dict[str, Any] = json.loads(next(line for line in process.stdout.splitlines() if line.startswith("{")))
    return lists
