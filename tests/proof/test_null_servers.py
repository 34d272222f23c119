"""Servers of other services: nothing passes, the exit status is right, and there is no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import Finished, run_suite
from tests.support.servers import Answer, always, by_api, serving

CREDENTIALS = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
QUICK = ("--no-waiting", "--event-deadline", "1", "--tb=no")
NO_SERVER = "nothing listens"
NULL: dict[str, tuple[Answer, int]] = {
    "200 {}": (always(200, b"{}"), 1),
    "401": (by_api(b'{"error": "UNAUTHORIZED", "message": "no"}', b'{"detail": "no"}', 401), 6),
    "404": (always(404, b'{"error": "NOT_FOUND", "message": "no"}'), 6),  # the address is that of another API
    "500": (always(500, b"{}"), 1),
    "html": (always(200, b"<html><script>alert(1)</script></html>", "text/html"), 6),
    "redirect": (always(302, b"", Location="http://127.0.0.1:9/"), 6),
}


def against(url: str, directory: Path) -> Finished:
    return run_suite(directory, *QUICK, PIX_BASE_URL=url, **CREDENTIALS)


def against_null(name: str, directory: Path) -> Finished:
    with serving(NULL[name][0]) as url:
        return against(url, directory)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Finished]]]:
    """Yield a run against each server, two at a time."""
    directory = tmp_path_factory.mktemp("null")
    with ThreadPoolExecutor(2) as pool:
        begun = {name: pool.submit(against_null, name, directory / f"{number}") for number, name in enumerate(NULL)}
        yield begun | {NO_SERVER: pool.submit(against, "http://127.0.0.1:9", directory / "no-server")}


@pytest.mark.parametrize("name", NULL)
def test_a_null_server_passes_nothing(runs: dict[str, Future[Finished]], name: str) -> None:
    done = runs[name].result()

    assert done.with_outcome("pass") == []
    assert done.with_outcome("error") == []
    assert done.exit == NULL[name][1]
    assert "Traceback" not in done.output


def test_without_a_server_the_run_names_the_address_and_ends_with_6(runs: dict[str, Future[Finished]]) -> None:
    done = runs[NO_SERVER].result()

    assert (done.exit, done.with_outcome("pass"), done.with_outcome("fail")) == (6, [], [])
    assert "ConnectError" in done.output
    assert "Traceback" not in done.output
