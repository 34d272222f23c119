"""`pix-report explain`: one requirement in words, with a right and a wrong example."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from reports.asking import causes, judged_on, questions
from reports.bundle import Bundle, BundleError, Question
from specs.catalogue import load
from specs.documents import VARIABLE, Documents, read
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


def explain(name: str, bundle: Bundle | None = None) -> str:
    """Write all that is known of a requirement, in whatever case its id is written.

    BundleError for an id that no document states.
    """
    one = load().get(name.upper())
    if one is None:
        raise BundleError(f"no requirement is called {name}")
    parts = [f"{one.id}  {one.level}: {MEANING[one.level]}", one.statement, f"Stated in {one.place}"]
    parts += [f"Note: {one.note}"] if one.note else []
    parts += [f"Unobservable: {one.unobservable}"] if one.unobservable else []
    parts += [f"Needs: {', '.join(sorted(one.needs))}"] if one.needs else []
    return "\n\n".join([*parts, _cited(one), _asked(one, bundle), *_shown(one.id)])


def _cited(one: Requirement) -> str:
    """Write the cited lines where PIX_DOCUMENTS names their directory, or how to have them written."""
    directory = os.environ.get(VARIABLE)
    return "\n".join((read(Path(directory)) if directory else Documents()).shown(one))


def _asked(one: Requirement, bundle: Bundle | None) -> str:
    found = questions(one, bundle)
    lines = [f"- {each.words}\n  {each.test}{_cases(each)}" for each in found]
    if messages := judged_on(one):
        lines.append(f"- {messages} is judged, whichever test caused it{', such as' if causes(one) else ''}")
        lines += [f"  {test}" for test in causes(one)]
    return "\n".join(["Asked by:", *lines]) if lines else "Asked by: no test"


def _cases(each: Question) -> str:
    return f" ({each.cases} cases)" if each.cases > 1 else ""


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
