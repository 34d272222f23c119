"""Shards are merged only if they are of one run; a payment of another shard explains a balance that differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.vocabulary import Api, Judgement, Outcome, Role
from pix_conformance.results.bundle.reader import read
from pix_conformance.results.bundle.values import Bundle, BundleError
from pix_conformance.results.merge import WholeRunTests, merge
from pix_conformance.results.other_payments import OtherPayments
from tests.support import bundles


def shard(directory: Path, number: int, of: int = 2, **changed: Any) -> Bundle:
    """A shard's bundle in which nothing but one requirement was asked."""
    bundles.write(directory / str(number), requirements=0, exchanges=1)
    path = directory / str(number) / "results.json"
    found = json.loads(path.read_text()) | {"succeeded": [], "requirements": [asked(**changed)]}
    found["run"]["shard"] = {"number": number, "of": of, "narrowed": False}
    path.write_text(json.dumps(found))
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
    "reason": "not selected: another shard asks it",
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
    entry = merge([shard(tmp_path, 1, **first), shard(tmp_path, 2, **second)], WholeRunTests()).entries[0]
    assert entry.outcome is wanted


def test_a_refusal_counts_if_its_operation_worked_in_another_shard(tmp_path: Path) -> None:
    judged = bundles.judgement("exchange 1", "pass") | {"control": "payments.create_charge"}
    alone = shard(tmp_path, 1, outcome="inconclusive", judgements=[judged])
    assert merge([alone], WholeRunTests()).entries[0].outcome is Outcome.INCONCLUSIVE
    path = tmp_path / "2"
    shard(tmp_path, 2, **ELSEWHERE)
    results = json.loads((path / "results.json").read_text()) | {"succeeded": ["payments.create_charge"]}
    (path / "results.json").write_text(json.dumps(results))
    assert merge([alone, read(path)], WholeRunTests()).entries[0].outcome is Outcome.PASS


def test_a_missing_shard_leaves_a_partial_run(tmp_path: Path) -> None:
    found = merge([shard(tmp_path, 2, of=3), shard(tmp_path, 1, of=3)], WholeRunTests())
    assert found.partial
    assert "shard 3/3 is missing" in found.notices


def test_a_report_without_a_shard_is_not_merged(tmp_path: Path) -> None:
    bundles.write(tmp_path / "whole", exchanges=1)
    with pytest.raises(BundleError, match="had no --shard"):
        merge([shard(tmp_path, 1), read(tmp_path / "whole")], WholeRunTests())


def test_shards_of_two_divisions_are_not_merged(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="not different shards of one run: 1/2, 3/3"):
        merge([shard(tmp_path, 1), shard(tmp_path, 3, of=3)], WholeRunTests())
    with pytest.raises(BundleError, match="not different shards of one run: 1/2, 1/2"):
        merge([shard(tmp_path, 1), shard(tmp_path, 1)], WholeRunTests())


def exchange(number: int, operation: str, started: float, test: str = "other") -> Exchange:
    """An exchange of one second."""
    sent = Request("GET", "http://h", ())
    return Exchange(number, Api.PAYMENTS, Role.MERCHANT, operation, test, started, 1000.0, sent)


@pytest.mark.parametrize(
    ("number", "operation", "started", "moved"),
    [
        (2, "create_transfer", 15.0, True),
        (2, "pay_charge", 9.5, True),
        (2, "pay_charge", 8.0, False),
        (2, "pay_charge", 22.0, False),
        (2, "create_charge", 15.0, False),
        (7, "pay_charge", 15.0, False),
    ],
)
def test_only_another_shard_that_moved_money_meanwhile_explains_a_balance(
    number: int, operation: str, started: float, *, moved: bool
) -> None:
    """The first of two shards queries the balance at 10 s and at 20 s."""
    queries = [exchange(1, "get_balance", 10.0, "t"), exchange(3, "get_balance", 20.0, "t")]
    seen = OtherPayments([*queries, exchange(number, operation, started)], 2)
    found = seen.meanwhile(Judgement("PAY-BAL-13", "t", "exchange 3", (), ("it rose twice",)))
    assert (found is not None) is moved
