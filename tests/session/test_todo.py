"""`pix-conformance todo`: what to build next, and when it tests again."""

import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pix_conformance.model.operations import in_order_of_need
from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.model.vocabulary import Api, UsageError
from pix_conformance.proof.served_sandbox import free_port, serve
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report.todo import todo_lines
from pix_conformance.session.todo_command import files_of, main, wait_for_change
from tests.support.interrupted_runs import as_in_the_foreground
from tests.support.servers import always, serving

LINES_OF_ITEM = 6
"""The failure, its requirement, a request, its script, the command that tests it, and an empty line."""


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
    (creation,) = (line for line in lines if line.startswith("  request    POST") and "{" in line)
    assert creation.split(maxsplit=3)[1:] == ["POST", "/v1/business/pix-charges", '{"amount_cents": 1}']
    assert len(lines) == len(rows) * LINES_OF_ITEM + 1
    assert "requirements wait for routes that are not built" in lines[-1]


def test_a_right_server_has_nothing_to_build(right_run: Finished, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(right_run.directory)]) == 0
    assert capsys.readouterr().out.startswith("nothing failed: ")
    assert len(list(todo_lines(read(right_run.directory)))) == 1


def test_a_run_that_judged_nothing_has_nothing_to_build_and_its_own_status(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--base-url", "http://127.0.0.1:9", PIX_API_KEY="ak_test_1")
    assert (done.exit, main([str(tmp_path / "out")])) == (6, 6)


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
        wait_for_change(tmp_path, url, files_of(tmp_path), pause=change)
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
        wait_for_change(tmp_path, address, files_of(tmp_path), pause=restart)
    assert ended.is_set()


def test_a_change_during_a_run_is_tested_but_for_files_that_the_server_writes(tmp_path: Path) -> None:
    tested = files_of(tmp_path)
    (tmp_path / "server.log").write_text("1")

    looks = iter([None, None])
    with serving(always(404, b"")) as url:
        wait_for_change(tmp_path, url, tested, pause=lambda _: next(looks))
        with pytest.raises(StopIteration):
            wait_for_change(tmp_path, url, tested, {str(tmp_path / "server.log")}, pause=lambda _: next(looks))


TODO = [
    sys.executable,
    "-c",
    "import sys; from pix_conformance.cli import conformance; sys.exit(conformance())",
    "todo",
]
BROKEN = {"BUS-CHG-13": "BUS-CHG-13/required", "BUS-CHG-47": "BUS-CHG-47/get_charge.amount_cents:wrong-type"}
LONGEST_STEP_S = 60


class Printed:
    """The lines that a process prints, as they come."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        self.thread = threading.Thread(target=self._read, args=(process,), daemon=True)
        self.thread.start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        with process.stdout:
            for line in process.stdout:
                self._lines.put(line)

    def until(self, begin: str) -> list[str]:
        """Return the lines up to the first that begins so."""
        lines, end = list[str](), time.monotonic() + LONGEST_STEP_S
        while not lines or not lines[-1].startswith(begin):
            try:
                lines.append(self._lines.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"no line begins with {begin!r}:\n{''.join(lines)}") from None
        return lines


def test_the_loop_tests_again_after_a_changed_file_and_after_a_restart(tmp_path: Path) -> None:
    """A server with two mistakes has one mended: what failed is tested again. Then all suites, once it is right."""
    server = ["--seed=1", f"--port={free_port()}"]
    source, report = tmp_path / "source", tmp_path / "report"
    source.mkdir()
    words = [*TODO, str(report), "--watch", str(source), "--", "--api=business", f"--only={','.join(BROKEN)}"]
    with serve([*server, *(f"--mutant={name}" for name in BROKEN.values())]) as served:
        environment = without_settings(**{name: served.variables[name] for name in ("PIX_BASE_URL", "PIX_API_KEY")})
        process = subprocess.Popen(  # noqa: S603  # our own command
            words,
            cwd=TEST_TREE,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=as_in_the_foreground,  # noqa: PLW1509  # the child has one thread, which does this first
        )
        printed = Printed(process)
        printed.until("2. ")
        (_, *test) = printed.until("  test ")[-1].split()
        assert "pix-conformance" in test
        time.sleep(1)  # it waits for a change now
        (source / "server.go").write_text("package main")
        assert any("still failing" in line for line in printed.until("2. "))
        printed.until("  test ")
        time.sleep(1)
    time.sleep(1)  # it has to see that the server is away
    with serve(server):
        printed.until("fixed ")
        printed.until("nothing failed: ")
        process.send_signal(signal.SIGINT)
        assert process.wait(LONGEST_STEP_S) == 0
        printed.thread.join()
    assert {path.name for path in tmp_path.iterdir()} == {"source", "report", "report-again"}
