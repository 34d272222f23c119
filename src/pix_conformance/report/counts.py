"""Counting and ordering verdicts, the same way for every page."""

import re
from collections.abc import Iterable
from itertools import groupby

from pix_conformance.checks.comparable_text import stable
from pix_conformance.model.vocabulary import MERGE_ORDER, Api, Level, Outcome
from pix_conformance.model.why import Why, is_of_selection
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.verdicts.exit_status import FAILED, OUR_ERROR, PASSED

GLYPH = {
    Outcome.FAIL: "✕",
    Outcome.ERROR: "⚡",
    Outcome.INCONCLUSIVE: "?",
    Outcome.WARN: "!",
    Outcome.WAIVED: "~",
    Outcome.OBSERVED: "◉",
    Outcome.PASS: "✓",
    Outcome.NOT_APPLICABLE: "–",  # noqa: RUF001 # a dash, meant
}
"""A sign for each outcome, so that a reader can tell them apart without colours."""

GROUPED = (Outcome.FAIL, Outcome.ERROR)
"""Outcomes that a page explains first, by shared reason."""


def locked(bundle: Bundle) -> list[tuple[str, list[Entry]]]:
    """Group what was not tested by the setting that is missing, most requirements first."""
    groups: dict[str, list[Entry]] = {}
    for entry in bundle.entries:
        if entry.outcome is Outcome.NOT_APPLICABLE and entry.why is Why.NOT_SET:
            groups.setdefault(re.split("[:;]", entry.reason)[0], []).append(entry)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def lacking(sections: list[tuple[str, list[Entry]]]) -> str:
    """Say which variable a whole document was not tested for; empty where a part of it was tested."""
    asked = [entry for _, entries in sections for entry in entries if not entry.unobservable]
    reasons = {entry.reason for entry in asked}
    return reasons.pop() if len(reasons) == 1 and all(entry.why is Why.NOT_SET for entry in asked) else ""


def is_selected(entry: Entry) -> bool:
    """Return whether the run was to test a requirement."""
    return not is_of_selection(entry.why)


def with_outcome(bundle: Bundle, *outcomes: Outcome) -> list[Entry]:
    """List the requirements that came out so, strongest outcome and level first, in catalogue order within."""
    chosen = (entry for entry in bundle.entries if entry.outcome in outcomes)
    return sorted(chosen, key=lambda entry: (MERGE_ORDER.index(entry.outcome), list(Level).index(entry.level)))


def by_reason(entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """Group requirements that share outcome and reason (ids and times aside): often one cause. Largest first."""
    groups: dict[tuple[Outcome, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.outcome, stable(entry.reason)), []).append(entry)
    ordered = sorted(groups.items(), key=lambda group: (MERGE_ORDER.index(group[0][0]), -len(group[1])))
    return [(group[0].reason, group) for _, group in ordered]


def by_section(entries: Iterable[Entry]) -> list[tuple[str, list[tuple[str, list[Entry]]]]]:
    """Group requirements by document and section, in the order of the document's lines."""
    documents = list(Api)
    ordered = sorted(entries, key=lambda entry: (documents.index(Api(entry.document)), entry.lines, entry.id))
    groups = groupby(ordered, key=lambda entry: entry.document)
    return [(name, _sections(list(group))) for name, group in groups]


def _sections(entries: list[Entry]) -> list[tuple[str, list[Entry]]]:
    sections: dict[str, list[Entry]] = {}
    for entry in entries:
        sections.setdefault(entry.section, []).append(entry)
    return list(sections.items())


def verdict(bundle: Bundle) -> Outcome:
    """Return the outcome of the run as a whole, by its exit status."""
    outcomes = {PASSED: Outcome.PASS, FAILED: Outcome.FAIL, OUR_ERROR: Outcome.ERROR}
    return outcomes.get(bundle.run.exit, Outcome.INCONCLUSIVE)
