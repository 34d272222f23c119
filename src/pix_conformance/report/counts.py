"""Counting and ordering verdicts, the same way for every page."""

from collections.abc import Iterable

from pix_conformance.model.vocabulary import SHOWN_ORDER, Level, Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.differences import masked

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


def with_outcome(bundle: Bundle, *outcomes: Outcome) -> list[Entry]:
    """List the requirements that came out so, strongest outcome and level first, in catalogue order within."""
    chosen = (entry for entry in bundle.entries if entry.outcome in outcomes)
    return sorted(chosen, key=lambda entry: (SHOWN_ORDER.index(entry.outcome), list(Level).index(entry.level)))


def by_reason(entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """Group requirements that share outcome and reasons (ids, times and exchanges aside): often one cause.

    The largest group comes first.
    """
    groups: dict[tuple[Outcome, frozenset[str]], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.outcome, frozenset(masked(entry.reason).split("; "))), []).append(entry)
    ordered = sorted(groups.items(), key=lambda group: (SHOWN_ORDER.index(group[0][0]), -len(group[1])))
    return [(min((entry.reason for entry in group), key=len), group) for _, group in ordered]
