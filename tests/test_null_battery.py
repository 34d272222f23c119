"""Servers that are no servers of these APIs: no pass, the right exit status, words instead of a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import Finished, run_suite
from tests.servers import Answer, always, by_api, serving

CREDENTIALS = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
QUICK = ("--no-waiting", "--event-deadline", "1", "--tb=no")
NULL: dict[str, tuple[Answer, int]] = {
    "200 {}": (always(200, b"{}"), 1),
    "401": (by_api(b'{"error": "UNAUTHORIZED", "message": "no"}', b'{"detail": "no"}', 401), 6),
    "404": (always(404, b'{"error": "NOT_FOUND", "message": "no"}'), 1),
    "500": (always(500, b"{}"), 1),
    "html": (always(200, b"<html><script>alert(1)</script></html>", "text/html"), 1),
    "redirect": (always(302, b"", Location="http://127.0.0.1:9/"), 1),
}


def against(url: str, directory: Path) -> Finished:
    return run_suite(directory, *QUICK, PIX_BASE_URL=url, **CREDENTIALS)


@pytest.mark.parametrize("name", NULL)
def test_a_null_server_passes_nothing(name: str, tmp_path: Path) -> None:
    answer, status = NULL[name]
    with serving(answer) as url:
        done = against(url, tmp_path / "out")

    assert done.with_outcome("pass") == []
    assert done.with_outcome("error") == []
    assert done.exit == status
    assert "Traceback" not in done.output


def test_where_nothing_listens_the_run_says_so_and_ends_with_6(tmp_path: Path) -> None:
    done = against("http://127.0.0.1:9", tmp_path / "out")

    assert (done.exit, done.with_outcome("pass"), done.with_outcome("fail")) == (6, [], [])
    assert "ConnectError" in done.output
    assert "Traceback" not in done.output
