"""Servers of other services: nothing passes, the exit status is right, and there is no traceback.

What answers with another service's 401, 404, page or redirect ends the preflight: `tests/session/test_preflight.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import Finished, run_suite
from tests.support.servers import always, serving


def against(url: str, directory: Path) -> Finished:
    credentials = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
    words = ("--no-waiting", "--event-deadline", "1", "--tb=no")
    done = run_suite(directory, *words, PIX_BASE_URL=url, **credentials)
    assert done.with_outcome("pass") == done.with_outcome("error") == []
    assert "Traceback" not in done.output
    return done


@pytest.mark.parametrize("status", [200, 500])
def test_a_server_that_answers_everything_with_an_empty_object_passes_nothing(status: int, tmp_path: Path) -> None:
    with serving(always(status, b"{}")) as url:
        assert against(url, tmp_path / "out").exit == 1


def test_without_a_server_the_run_names_the_address_and_ends_with_6(tmp_path: Path) -> None:
    done = against("http://127.0.0.1:9", tmp_path / "out")
    assert (done.exit, done.with_outcome("fail")) == (6, [])
    assert "ConnectError" in done.output
