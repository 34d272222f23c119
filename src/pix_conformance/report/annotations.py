"""`pix-report annotations`: the failed requirements as lines that GitHub shows beside a job."""

from collections.abc import Iterator

from pix_conformance.model.vocabulary import Outcome
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.report.counts import with_outcome
from pix_conformance.report.text import one_line

KINDS = {"error": (Outcome.FAIL, Outcome.ERROR), "warning": (Outcome.WARN, Outcome.INCONCLUSIVE)}
"""GitHub's word for an annotation, and the outcomes that get one."""
MOST = 10
"""Annotations of each kind that GitHub keeps of one step."""


def annotations(bundle: Bundle) -> Iterator[str]:
    """Write a workflow command for each requirement that failed or could not be judged."""
    for kind, outcomes in KINDS.items():
        entries = with_outcome(bundle, *outcomes)
        head = entries if len(entries) <= MOST else entries[: MOST - 1]
        yield from (_line(kind, entry) for entry in head)
        if len(entries) > len(head):
            yield f"::{kind} title={len(entries) - len(head)} more::The report lists them all."


def _line(kind: str, entry: Entry) -> str:
    title = f"{entry.id} {entry.outcome}: {entry.statement}"
    text = f"{entry.reason or 'no reason was recorded'} ({entry.place})"
    return f"::{kind} title={_property(title)}::{_message(text)}"


def _message(text: str) -> str:
    """Escape what ends a command, as GitHub reads it."""
    return one_line(text, 1_000).replace("%", "%25")


def _property(text: str) -> str:
    """Escape what ends a property as well."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
