"""No deferred test fails a right server, however long the run takes until it is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import run_suite
from pix_conformance.results.bundle.reader import read
from tests.support import run_is_old


@pytest.mark.parametrize("seconds", ["50.5", "54", "61"])
def test_no_deferred_test_fails_a_right_server_in_a_run_of_that_length(tmp_path: Path, seconds: str) -> None:
    words = (
        "suites",
        "--deselect",
        "suites/business/test_retries.py",
        "-m",
        "deferred",
        "--no-waiting",
        "-p",
        run_is_old.__name__,
    )
    done = run_suite(tmp_path, *words, **{run_is_old.SECONDS: seconds})
    assert done.exit in {0, 6}, done.output
    assert done.with_outcome("fail") + done.with_outcome("warn") + done.with_outcome("error") == []


def test_a_whole_run_that_is_late_judges_each_part_for_its_own_test(tmp_path: Path) -> None:
    done = run_suite(tmp_path, "-p", run_is_old.__name__, **{run_is_old.SECONDS: "100"})
    assert (done.exit, done.with_outcome("error")) == (0, []), done.output
    assert done.outcome("BUS-CAN-07") == "observed"  # no list of the run came between the expiry and the cancel
    judged = {entry.id: {one.test for one in entry.judgements} for entry in read(tmp_path).entries}
    queried = "test_a_query_before_expires_at_does_not_make_a_charge_live_longer"
    assert [rule for rule, tests in judged.items() if any(queried in str(test) for test in tests)] == [
        "BUS-EXP-01",
        "BUS-EXP-03",
    ]
