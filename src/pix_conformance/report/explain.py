"""`pix-report explain`: one requirement in words, with a right and a wrong example."""

import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.documents import VARIABLE, Documents, read
from pix_conformance.model.paths import DATA, HOW_MEASURED
from pix_conformance.model.profile import RECEIVERS
from pix_conformance.model.vocabulary import Level, Requirement
from pix_conformance.recording.bundle.values import AskingTest, Bundle, BundleError
from pix_conformance.report.listed_tests import listed_tests

EXAMPLES = DATA / "examples.json"
"""A right and a wrong exchange for each requirement; written by `python -m pix_conformance.proof data`.

Each line that they show is stored once: an exchange is a list of positions among those lines.
"""
KILLS = DATA / "kills.json"
"""Mutants and the test cases that killed them; written by `python -m pix_conformance.proof recall`."""
MOST_KILLED = 8
"""Mutants of one requirement that are shown one by one."""
Example = dict[str, Any]
SHOWN = ("sent", "got")
MEANING = {
    Level.MUST: "a rule that the document states: not met, it fails the run",
    Level.SHOULD: "a sample, a description or a rule that is only implied: not met, it is a warning",
    Level.OPEN: "not shown, or contradicted: what a server does is recorded, never judged",
}


@cache
def examples() -> dict[str, dict[str, Example]]:
    """Return the examples by requirement, of each kind (right, wrong); empty where none were made."""
    if not EXAMPLES.is_file():
        return {}
    stored = json.loads(EXAMPLES.read_text("utf-8"))
    return _with_lines(stored["examples"], stored["lines"].__getitem__)


@cache
def kills() -> dict[str, tuple[str, ...]]:
    """Return the mutants that were measured, each with the test cases that killed it; a survivor has none."""
    if not KILLS.is_file():
        return {}
    stored = json.loads(KILLS.read_text("utf-8"))
    return {name: tuple(stored["tests"][at] for at in places) for name, places in stored["mutants"].items()}


def stored_form(by_name: Mapping[str, Mapping[str, Example]]) -> str:
    """Write examples as their file holds them: a row for each line that they show, and one for each requirement."""
    every = (
        line for kinds in by_name.values() for example in kinds.values() for part in SHOWN for line in example[part]
    )
    positions = {line: at for at, line in enumerate(dict.fromkeys(every))}
    rows = _with_lines(by_name, positions.__getitem__)
    lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in positions)
    body = ",\n".join(f"{json.dumps(name)}: {_compact(row)}" for name, row in rows.items())
    return f'{{"lines": [\n{lines}\n],\n"examples": {{\n{body}\n}}}}\n'


def _compact(row: Mapping[str, Example]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _with_lines(
    by_name: Mapping[str, Mapping[str, Example]], other: Callable[[Any], Any]
) -> dict[str, dict[str, Example]]:
    """Return the examples with each shown line exchanged for its position, or the other way round."""
    return {
        name: {
            kind: {**example, **{part: [other(line) for line in example[part]] for part in SHOWN}}
            for kind, example in kinds.items()
        }
        for name, kinds in by_name.items()
    }


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
        f"Stated in {requirement.place}",
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
    some = {"examples": EXAMPLES, "which tests kill which mutant": KILLS}
    missing = " and ".join(name for name, path in some.items() if not path.is_file())
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
    operations = sorted(openapi.shown_by(requirement.api).get(requirement.id, ()))
    return f"every response of {', '.join(operations)}" if operations else "every response"
