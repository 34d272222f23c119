"""`pix-report explain`: one requirement in words, with a right and a wrong example."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from reports.bundle import BundleError
from reports.questions import questions
from specs.catalogue import load
from specs.vocabulary import Level, Requirement

EXAMPLES = Path(__file__).parent / "examples.json"
"""A right and a wrong exchange for each requirement; written by `python -m tests.proof examples`."""
MEANING = {
    Level.MUST: "a rule that the document states: not met, it fails the run",
    Level.SHOULD: "a sample, a description or a rule that is only implied: not met, it is a warning",
    Level.OPEN: "not shown, or contradicted: what a server does is recorded, never judged",
}


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Return the examples by requirement; empty where none were made."""
    if not EXAMPLES.is_file():
        return {}
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text("utf-8"))
    return found


def explain(name: str) -> str:
    """Write all that is known of a requirement. BundleError for an id that no document states."""
    one = load().get(name)
    if one is None:
        raise BundleError(f"no requirement is called {name}")
    parts = [f"{one.id}  {one.level}: {MEANING[one.level]}", one.statement, f"Stated in {one.place}"]
    parts += [f"Note: {one.note}"] if one.note else []
    parts += [f"Unobservable: {one.unobservable}"] if one.unobservable else []
    parts += [f"Needs: {', '.join(sorted(one.needs))}"] if one.needs else []
    return "\n\n".join([*parts, _asked(one), *_shown(name)])


def _asked(one: Requirement) -> str:
    found = questions().get(one.id, ())
    lines = [f"- {each.words}\n  {each.test}" for each in found]
    if one.passive:
        lines.append("- every answer and delivery that shows it is judged, whichever test caused it")
    return "\n".join(["Asked by:", *lines]) if lines else "Asked by: no test"


def _shown(name: str) -> list[str]:
    """Write both examples as far as there are any."""
    found = examples().get(name, {})
    parts = []
    if right := found.get("right"):
        parts.append(f"Right, as the reference answers:\n{_exchange(right)}")
    if wrong := found.get("wrong"):
        head = f"Wrong ({wrong['defect']}: {wrong['sentence']}):"
        parts.append("\n".join([head, _exchange(wrong), *(f"! {one}" for one in wrong["mismatches"])]))
    return parts


def _exchange(shown: dict[str, Any]) -> str:
    return "\n".join([*(f"> {line}" for line in shown["sent"]), *(f"< {line}" for line in shown["got"])])
