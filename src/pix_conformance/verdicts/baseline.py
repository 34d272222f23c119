"""A gate by comparison (`--baseline`): what an earlier report has as failed or inconclusive does not count again."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Outcome, UsageError
from pix_conformance.recording.bundle.reader import bundle_of, read_results
from pix_conformance.recording.bundle.values import BundleError, Entry
from pix_conformance.verdicts.exit_status import whole_run_of

VALUE = re.compile(
    r'"(?![A-Za-z_.]{3,30}")(?:[^"\\]|\\.)*"'  # a string that is no code and no name
    r"|\([^()]*\)"  # what is said of an object
    r"|(?<!status is )\b(?:[0-9A-F]{4}\b|[\w-]*\d[\w.:+-]*)"  # a checksum, a number, an id, a time; no HTTP status
)
BAD = frozenset({Outcome.FAIL, Outcome.WARN, Outcome.INCONCLUSIVE})
"""Outcomes that can be worse than in the baseline; there also those that were waived."""


@dataclass(frozen=True)
class KnownProblem:
    """What one requirement was in the baseline. `problems` are fingerprints; `since` is the date of the baseline."""

    outcome: Outcome
    problems: frozenset[str]
    since: str

    def covers(self, outcome: Outcome, problem: str) -> bool:
        """Whether this run shows nothing worse: it fails in the same way, or cannot be decided as it could not then."""
        if outcome is Outcome.INCONCLUSIVE or self.outcome is Outcome.INCONCLUSIVE:
            return outcome is self.outcome
        return fingerprint(problem) in self.problems

    def said(self, reason: str) -> str:
        """The reason of a requirement that is covered."""
        return f"known since the baseline of {self.since}: {reason}"


@dataclass(frozen=True)
class Baseline:
    """An earlier report that a run is compared with. Requirements are named by id."""

    known: Mapping[str, KnownProblem]
    since: str
    untested: frozenset[str] = frozenset()
    """What the baseline has no verdict of: it was not selected, lacked something, or is newer."""

    def changes(self, entries: Iterable[Entry]) -> list[str]:
        """Say what is better and what is worse than in the baseline, a sentence each."""
        rows = list(entries)
        better = [entry.id for entry in rows if entry.outcome is Outcome.PASS and entry.id in self.known]
        failing = [entry.id for entry in rows if entry.outcome in BAD - {Outcome.INCONCLUSIVE}]
        worse = [name for name in failing if name not in self.untested]
        new = [name for name in failing if name in self.untested]
        unknown = sum(entry.outcome is Outcome.INCONCLUSIVE for entry in rows)
        named = (("better than", ", ".join(better)), ("worse than", ", ".join(worse)))
        changes = [f"{words} the baseline of {self.since}: {ids}" for words, ids in named if ids]
        changes += [f"failing now, not tested in the baseline of {self.since}: {', '.join(new)}"] if new else []
        if unknown:
            changes.append(f"inconclusive now and not in the baseline of {self.since}: {unknown}")
        return changes or [f"nothing is better or worse than in the baseline of {self.since}"]


def read_baseline(path: Path | None) -> Baseline | None:
    """Read the baseline, a report directory or a `results.json`; None without a path.

    Raises UsageError if it holds no report, or one that judged nothing.
    """
    if path is None:
        return None
    try:
        bundle = bundle_of(read_results(path), (), ())
    except BundleError as reason:
        raise UsageError(f"--baseline: {reason}") from None
    if not whole_run_of(bundle).judged:
        raise UsageError(f"--baseline: nothing was judged in {path}, so nothing can be worse than there")
    since = bundle.run.started[:10]
    known = {
        entry.id: KnownProblem(entry.outcome, frozenset(map(fingerprint, (*entry.problems, entry.reason))), since)
        for entry in bundle.entries
        if entry.outcome in BAD or entry.outcome is Outcome.WAIVED
    }
    tested = {entry.id for entry in bundle.entries if entry.outcome is not Outcome.NOT_APPLICABLE}
    return Baseline(known, since, frozenset(catalogue().keys() - tested))


def fingerprint(problem: str) -> str:
    """Return what stays of a problem when it occurs again: its words, HTTP statuses and codes, without other values.

    >>> fingerprint('status is 200, not 401')
    'status is 200, not …'
    >>> fingerprint('field 63 is 93A5, the CRC is EFE8')
    'field … is …, the CRC is …'
    >>> fingerprint('a transfer of 27453 cents lowered the free balance by 54906 cents')
    'a transfer of … cents lowered the free balance by … cents'
    >>> fingerprint('data.items[0].id is "5e761a8b", error.code is "CONFLICT"')
    'data.items[…].id is …, error.code is "CONFLICT"'
    """
    return VALUE.sub("…", problem)
