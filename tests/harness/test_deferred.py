"""No deferred test fails a right server, however long the run takes until it is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import run_suite
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
