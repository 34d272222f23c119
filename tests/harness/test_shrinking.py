"""The report shows the smallest failing input that hypothesis found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pix_conformance.harness.shrinking import keep_smallest
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.report.index_page import render_index
from pix_conformance.report.junit import render_junit
from pix_conformance.results.run_record import RunRecord
from tests.support import bundles

FAILED = Judgement("BUS-CHG-56", "a test", "exchange 1", (), ("amount_cents is 34463, not 99999",))


def test_the_last_failure_of_each_requirement_stays_and_the_others_are_counted() -> None:
    ledger = RunRecord()
    smallest = replace(FAILED, evidence="exchange 3", mismatches=("amount_cents is 0, not 65536",))
    passed, elsewhere = replace(FAILED, evidence="exchange 2", mismatches=()), replace(FAILED, test="another test")
    ledger.judgements += [FAILED, passed, elsewhere, FAILED, smallest]
    keep_smallest(ledger, "a test")
    assert ledger.judgements == [passed, elsewhere, replace(smallest, smallest_of=3)]


def test_page_and_junit_count_the_inputs_that_failed(tmp_path: Path) -> None:
    judgement = bundles.judgement("exchange 1", "fail") | {"smallest_of": 28}
    bundle = bundles.run(tmp_path, bundles.requirement(4, outcome="fail", judgements=[judgement]))
    assert "The smallest of 28 generated inputs that failed." in render_index(bundle)
    assert b"the smallest of 28 generated inputs that failed" in render_junit(bundle)
