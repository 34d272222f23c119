"""Runs with --budget or --max-cents: nothing exceeds a limit, nothing that was left out passes or fails."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from pix_conformance.proof.suite_run import Finished, run_suite

TINY, SECONDS = 30, 2


def exchanges(done: Finished) -> list[dict[str, Any]]:
    """Return every request that a run sent."""
    return [json.loads(one) for one in (done.directory / "exchanges.jsonl").read_text("utf-8").splitlines()]


def assert_part(done: Finished, limit: str) -> None:
    """Assert that a run says that it asked a part of the suites, and that nothing failed."""
    rows = done.results["requirements"]
    outcomes = {one["outcome"] for one in rows}
    left_out = [one for one in rows if one["reason"].startswith("not selected")]
    assert done.exit == 0, done.output
    assert outcomes <= {"pass", "observed", "not applicable"}
    assert {one["outcome"] for one in left_out} == {"not applicable"}
    assert done.results["run"]["partial"]
    assert done.results["run"]["budget"] == limit
    assert f"part of the suites ({limit}): the" in done.results["headline"]
    assert "conforms" not in done.results["headline"]
    for file in ("index.html", "summary.md"):
        assert f"part of the suites: {limit}" in (done.directory / file).read_text("utf-8").replace("\\", "")


def test_a_run_sends_no_more_requests_than_its_budget(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--budget", str(TINY))

    assert_part(done, f"--budget {TINY}")
    assert TINY - 10 < len(exchanges(done)) <= TINY
    assert "of our" in done.output


def test_a_budget_that_does_not_suffice_for_the_preflight_is_kept_too(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--budget", "2")

    assert_part(done, "--budget 2")
    assert len(exchanges(done)) == 2


def test_no_test_begins_when_the_time_is_over(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--budget", f"{SECONDS}s")

    assert_part(done, f"--budget {SECONDS}s")
    started = [datetime.fromisoformat(one["started"]) for one in exchanges(done) if one["test"] != "cleanup"]
    assert (max(started) - min(started)).total_seconds() <= SECONDS


def test_a_request_beyond_the_cents_is_not_sent(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-CHG-02,PAY-BAL-01", "--max-cents", "1")

    assert_part(done, "--max-cents 1")
    assert not [one for one in exchanges(done) if one["operation"] == "create_charge" and one["status"] == 200]
    assert done.outcome("PAY-BAL-01") == "pass"
    assert done.outcome("PAY-CHG-02") == "not applicable"


def test_a_plan_says_what_a_budget_leaves_out(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--plan", "--budget", "10s")

    assert "left out    " in done.output
    assert "for which --budget 10s does not suffice, if a response takes 20 ms" in done.output
