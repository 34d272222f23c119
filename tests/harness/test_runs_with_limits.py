"""Runs with --max-cents: nothing exceeds it, nothing that was left out passes or fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pix_conformance.proof.suite_run import Finished, run_suite


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
    assert done.results["run"]["left_out_by"] == limit
    assert f"part of the suites ({limit}): the" in done.results["headline"]
    assert "conforms" not in done.results["headline"]
    for file in ("index.html", "summary.md"):
        assert f"part of the suites: {limit}" in (done.directory / file).read_text("utf-8").replace("\\", "")


def test_a_request_beyond_the_cents_is_not_sent(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-CHG-02,PAY-BAL-01", "--max-cents", "1")

    assert_part(done, "--max-cents 1")
    assert not [one for one in exchanges(done) if one["operation"] == "create_charge" and one["status"] == 200]
    assert done.outcome("PAY-BAL-01") == "pass"
    assert done.outcome("PAY-CHG-02") == "not applicable"
