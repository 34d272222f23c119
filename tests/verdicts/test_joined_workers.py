"""The reports of workers are joined into one: the strongest outcome counts, and a lost worker is an error."""

import json
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.vocabulary import Outcome
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle, BundleError
from pix_conformance.verdicts.exit_status import FAILED, OUR_ERROR
from pix_conformance.verdicts.joined_workers import WholeRunTests, merge
from tests.support import bundles


def shard(directory: Path, number: int, of: int = 2, **changed: Any) -> Bundle:
    """A shard's bundle in which nothing but one requirement was asked."""
    bundles.write(directory / str(number), requirements=0, exchanges=1)
    path = directory / str(number) / "results.json"
    content = json.loads(path.read_text()) | {"succeeded": [], "requirements": [asked(**changed)]}
    content["run"]["shard"] = {"number": number, "of": of, "narrowed": False}
    path.write_text(json.dumps(content))
    return read(path.parent)


def asked(**changed: Any) -> dict[str, Any]:
    """The row of a requirement."""
    return bundles.requirement(0) | {"id": "PAY-BAL-01", "level": "must", "judgements": []} | changed


def verdict(outcome: str, reason: str = "") -> dict[str, Any]:
    """The members of a row that was decided by a verdict without evidence."""
    row = {"outcome": outcome, "reason": reason, "test": "t", "evidence": []}
    return {"outcome": outcome, "reason": reason, "verdicts": [row]}


ELSEWHERE: dict[str, Any] = {
    "outcome": "not applicable",
    "reason": "not selected: another worker asks it",
    "why": "other worker",
    "not_asked": [],
}


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (verdict("pass"), verdict("fail", "it differs"), Outcome.FAIL),
        (verdict("pass"), verdict("inconclusive", "no answer"), Outcome.INCONCLUSIVE),
        (verdict("fail", "it differs"), verdict("inconclusive", "no answer"), Outcome.FAIL),
        (verdict("error", "KeyError"), verdict("pass"), Outcome.ERROR),
        (verdict("not applicable", "PIX_API_KEY is not set"), verdict("pass"), Outcome.PASS),
        (ELSEWHERE, verdict("pass"), Outcome.PASS),
        (ELSEWHERE, verdict("inconclusive", "no answer"), Outcome.INCONCLUSIVE),
        ({"outcome": "inconclusive", "reason": "the login was refused"}, verdict("pass"), Outcome.INCONCLUSIVE),
    ],
)
def test_the_strongest_outcome_is_that_of_all(
    first: dict[str, Any], second: dict[str, Any], wanted: Outcome, tmp_path: Path
) -> None:
    entry = merge([shard(tmp_path, 1, **first), shard(tmp_path, 2, **second)], WholeRunTests(), {}).entries[0]
    assert entry.outcome is wanted


def test_a_refusal_counts_if_its_operation_worked_for_another_worker(tmp_path: Path) -> None:
    judged = bundles.judgement("exchange 1", "pass") | {"control": "payments.create_charge"}
    alone = shard(tmp_path, 1, outcome="inconclusive", judgements=[judged])
    assert merge([alone], WholeRunTests(), {}).entries[0].outcome is Outcome.INCONCLUSIVE
    path = tmp_path / "2"
    shard(tmp_path, 2, **ELSEWHERE)
    results = json.loads((path / "results.json").read_text()) | {"succeeded": ["payments.create_charge"]}
    (path / "results.json").write_text(json.dumps(results))
    assert merge([alone, read(path)], WholeRunTests(), {}).entries[0].outcome is Outcome.PASS


@pytest.mark.parametrize(("outcome", "status"), [("pass", OUR_ERROR), ("fail", FAILED)])
def test_a_worker_that_left_no_report_is_an_error(outcome: str, status: int, tmp_path: Path) -> None:
    bundle = merge([shard(tmp_path, number, of=3, **verdict(outcome)) for number in (2, 1)], WholeRunTests(), {})
    assert (bundle.partial, bundle.run.exit) == (True, status)
    assert "worker 3/3 left no report" in bundle.notices


def test_a_report_that_no_worker_wrote_is_not_merged(tmp_path: Path) -> None:
    bundles.write(tmp_path / "whole", exchanges=1)
    with pytest.raises(BundleError, match="no worker has made"):
        merge([shard(tmp_path, 1), read(tmp_path / "whole")], WholeRunTests(), {})
