"""Failures of generated tests: only the smallest failing input that hypothesis found is reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pix_conformance.model.vocabulary import Judgement
from pix_conformance.results.run_record import RunRecord


def is_generated(item: pytest.Item) -> bool:
    """Return whether hypothesis generates inputs of the test."""
    return bool(getattr(getattr(item, "function", None), "is_hypothesis_test", False))


def keep_smallest(ledger: RunRecord, test: str) -> None:
    """Keep only the last failure of each requirement in a test: hypothesis ends with the smallest input."""
    failures: dict[str, list[Judgement]] = {}
    for one in ledger.judgements:
        if one.test == test and one.mismatches:
            failures.setdefault(one.requirement, []).append(one)
    dropped = {id(one) for found in failures.values() for one in found[:-1]}
    smallest = {id(found[-1]): len(found) for found in failures.values()}
    ledger.judgements[:] = [
        replace(one, smallest_of=smallest.get(id(one), 0)) for one in ledger.judgements if id(one) not in dropped
    ]
