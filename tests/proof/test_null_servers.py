"""Servers of other services: nothing passes, the exit status is right, and there is no traceback.

What answers with another service's 401, 404, page or redirect, or not at all, ends the preflight: see its tests.
"""

from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import run_suite
from tests.support.servers import always, serving

RESPONDS = ["PAY-GEN-19", "BUS-GEN-18"]
"""Each route responds: this is all that such a server does."""


@pytest.mark.parametrize(("status", "passed"), [(200, RESPONDS), (500, [])])
def test_a_server_that_answers_everything_with_an_empty_object_passes_nothing_else(
    status: int, passed: list[str], tmp_path: Path
) -> None:
    credentials = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
    with serving(always(status, b"{}")) as url:
        words = ("--no-waiting", "--event-deadline", "1", "--tb=no")
        done = run_suite(tmp_path / "out", *words, PIX_BASE_URL=url, **credentials)
    assert (done.exit, done.with_outcome("pass"), done.with_outcome("error")) == (1, passed, [])
    assert "Traceback" not in done.output
