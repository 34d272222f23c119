"""`pix-conformance todo`: what to build next, and when it tests again."""

import threading
from pathlib import Path

import pytest

from pix_conformance.model.operations import in_order_of_need
from pix_conformance.model.vocabulary import Api, UsageError
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report.todo import todo_lines
from pix_conformance.session.todo_command import main, wait_for_change
from tests.support.servers import always, serving


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run of the business API against a server without routes."""
    with serving(always(404, b"not found")) as url:
        words = ("--base-url", url, "--api", "business")
        return run_suite(tmp_path_factory.mktemp("empty") / "out", *words, PIX_API_KEY="ak_test_1")


def test_what_others_need_comes_first(empty: Finished, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row for row in in_order_of_need() if row.api is Api.BUSINESS]
    assert main([str(empty.directory)]) == 1
    lines = capsys.readouterr().out.splitlines()
    numbered = [line for line in lines if line[:1].isdigit() and ". " in line[:4]]
    assert [line.partition(" is not built")[0] for line in numbered] == [
        f"{number}. {row.route}" for number, row in enumerate(rows, 1)
    ]
    assert [line.split()[-1] for line in lines if line.startswith("  test ")] == [row.success for row in rows]
    assert "requirements wait for routes that are not built" in lines[-1]


def test_a_right_server_has_nothing_to_build(right_run: Finished, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(right_run.directory)]) == 0
    assert capsys.readouterr().out.startswith("nothing failed: ")
    assert len(list(todo_lines(read(right_run.directory)))) == 1


def test_without_a_report_it_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="run pix-conformance first"):
        main([str(tmp_path)])


def test_a_changed_file_or_a_restart_is_noticed(tmp_path: Path) -> None:
    """Hidden files and packages are not the server's."""
    (tmp_path / "server.js").write_text("1")
    looks = 0

    def change(_: float) -> None:
        nonlocal looks
        looks += 1
        hidden = tmp_path / ".git"
        hidden.mkdir(exist_ok=True)
        (hidden / "index").write_text(str(looks))
        if looks == 3:
            (tmp_path / "server.js").write_text("22")

    with serving(always(404, b"")) as url:
        wait_for_change(tmp_path, url, change)
        address = url
    assert looks == 3
    ended = threading.Event()
    again: list[str] = []

    def restart(_: float) -> None:
        again.append(address)
        if len(again) > 3:
            ended.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait_for_change(tmp_path, address, restart)
    assert ended.is_set()
