"""What a run is held against when it has ended: an earlier report (`--again`), a baseline, assumptions."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from pix_conformance.model.vocabulary import Outcome
from pix_conformance.recording.bundle.values import UNMET, Bundle, Entry
from pix_conformance.report.script_requests import is_of_route
from pix_conformance.session.earlier_report import EarlierFailure, EarlierReport
from pix_conformance.session.state import Comparisons
from pix_conformance.verdicts.baseline import fingerprint

LONGEST_REASON = 300


class Again(StrEnum):
    """What became of one failure."""

    FAILING = "still failing"
    OTHERWISE = "fails otherwise"
    UNDECIDED = "not decided"
    FIXED = "fixed"


def compared(comparisons: Comparisons, bundle: Bundle) -> Bundle:
    """Return the bundle with what became of earlier failures, what is better or worse, and what is not as assumed."""
    again = sentences(comparisons.again, bundle) if comparisons.again else []
    changes = comparisons.baseline.changes(bundle.entries) if comparisons.baseline else []
    bundle = replace(bundle, notices=(*bundle.notices, *again, *changes))
    return comparisons.assumptions.held_against(bundle) if comparisons.assumptions else bundle


def sentences(earlier: EarlierReport, bundle: Bundle) -> list[str]:
    """Say of each requirement that failed in the earlier report what became of it in this run, what fails first."""
    entries = {entry.id: entry for entry in bundle.entries}
    gone = frozenset(bundle.run.again.gone if bundle.run.again else ())
    rows = [(name, *became(failure, entries.get(name), gone)) for name, failure in earlier.failures.items()]
    lines = [f"{again} {name}: {why}" for kind in Again for name, again, why in rows if again is kind and why]
    fixed = [name for name, again, _ in rows if again is Again.FIXED]
    lines += [f"{Again.FIXED} {', '.join(fixed)}"] if fixed else []
    return lines + [f"{test}, which failed then, is not in this suite" for test in sorted(gone)]


def became(failure: EarlierFailure, now: Entry | None, gone: frozenset[str] = frozenset()) -> tuple[Again, str]:
    """Return what became of a failure, with the reason. `gone` are tests that this suite does not have."""
    if now is None:
        return Again.UNDECIDED, "this suite has no such requirement"
    if now.outcome in UNMET:
        problems = now.problems
        same = [problem for problem in problems if fingerprint(problem) in set(map(fingerprint, failure.problems))]
        if same or not failure.problems or (failure.is_of_route and any(map(is_of_route, now.missed))):
            tests = {judgement.test for judgement in now.missed} | {verdict.test for verdict in now.verdicts}
            failing, every = len(failure.asked_by & tests), len(failure.asked_by)
            count = f"{failing} of {every} tests, " if every > 1 and failing else ""
            return Again.FAILING, f"{count}{(same or problems)[0][:LONGEST_REASON]}"
        if now.outcome is Outcome.ERROR and failure.outcome is not Outcome.ERROR:
            return Again.UNDECIDED, now.reason
        return Again.OTHERWISE, f"{problems[0][:LONGEST_REASON]} (then: {failure.problems[0][:LONGEST_REASON]})"
    if now.outcome is not Outcome.PASS:
        return Again.UNDECIDED, now.reason
    why = next(_not_asked(failure, now, gone), "")
    return (Again.UNDECIDED, why) if why else (Again.FIXED, "")


def _not_asked(failure: EarlierFailure, now: Entry, gone: frozenset[str]) -> Iterator[str]:
    """Say what kept a requirement that passes now from being asked as it was when it failed."""
    without = {verdict.test: verdict.reason for verdict in now.verdicts if verdict.outcome is Outcome.NOT_APPLICABLE}
    for test in sorted(failure.asked_by - gone):
        if test in without:
            yield f"{test}: {without[test]}"
        elif test not in now.tests:
            yield f"{test} was not run"
    unseen = sorted(set(failure.operations) - set(now.judged_on))
    yield from (f"{name} showed nothing of it in this run" for name in unseen)
