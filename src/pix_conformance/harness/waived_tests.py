"""Tests whose failed requirements are all waived: pytest's summary counts them as `waived`, not as failed."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pix_conformance.model.vocabulary import Outcome
from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.verdicts import RequirementResult


def count_as_waived(reporter: Any, ledger: RunRecord, rows: list[RequirementResult]) -> None:
    """Move the reports of such tests in the terminal reporter's statistics from `failed` to `waived`."""
    if reporter is None:
        return
    waived = {row.requirement.id for row in rows if row.outcome is Outcome.WAIVED}
    failed: dict[str | None, set[str]] = defaultdict(set)
    for one in ledger.judgements:
        if one.mismatches:
            failed[one.test].add(one.requirement)
    covered = {test for test, requirements in failed.items() if requirements <= waived}
    reports = reporter.stats.pop("failed", [])
    for name, found in (
        ("failed", [one for one in reports if one.nodeid not in covered]),
        ("waived", [one for one in reports if one.nodeid in covered]),
    ):
        if found:
            reporter.stats[name] = found
