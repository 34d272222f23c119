"""Tests whose failures are all waived: the progress and pytest's summary count them as `waived`, not as failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.waivers import Waiver


def is_waived(test: str, ledger: RunRecord, waivers: Mapping[str, Waiver]) -> bool:
    """Whether a waiver covers each failure of a test that failed."""
    failures = [one for one in ledger.judgements if one.test == test and one.mismatches]
    return bool(failures) and all(
        one.requirement in waivers and waivers[one.requirement].covers("; ".join(one.mismatches)) for one in failures
    )


def count_as_waived(reporter: Any, ledger: RunRecord, waivers: Mapping[str, Waiver]) -> None:
    """Move the reports of such tests in the terminal reporter's statistics from `failed` to `waived`."""
    if reporter is None:
        return
    reports = reporter.stats.pop("failed", [])
    waived = [one for one in reports if is_waived(one.nodeid, ledger, waivers)]
    for name, some in (("failed", [one for one in reports if one not in waived]), ("waived", waived)):
        if some:
            reporter.stats[name] = some
