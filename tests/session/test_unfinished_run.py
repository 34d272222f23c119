"""After `kill -9` the next run into the same directory says so, makes the report, and removes the webhooks."""

import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.proof.suite_run import ROOT, run_suite
from pix_conformance.recording.bundle.reader import read_results
from pix_conformance.recording.facts import Ended
from pix_conformance.recording.journal import Journal, left_facts
from pix_conformance.recording.report_directory import EARLIER, UNFINISHED, ReportDirectoryError
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from tests.recording.test_bundle import problems
from tests.support import bundles
from tests.support.interrupted_runs import started, webhooks

NEXT = ("--only", "PAY-BAL-01")
SEVERAL = 3


def is_journalled(directory: Path, webhook: Mapping[str, Any]) -> bool:
    """Tell whether a journal, of the run or of a worker, has the creation of the webhook."""
    lines = [line for path in directory.rglob("journal*.jsonl") for line in path.read_text("utf-8").splitlines()]
    created = [line for line in lines if line.startswith('{"created": ') and '"kind": "webhook"' in line]
    return any(f'"id": "{webhook["id"]}"' in line for line in created)


def killed(directory: Path, server: Running, *words: str) -> list[Any]:
    """Kill a run when its journal has all of several webhooks. Return those created since, before the kill.

    A single one may be that of a test which removes it at once.
    """
    with started(directory, *words, **variables(server.credentials)) as run:
        run.opened()
        while len(left := webhooks(server)) < SEVERAL or not all(is_journalled(directory, webhook) for webhook in left):
            assert run.process.poll() is None, run.output()
            time.sleep(0.05)
        run.process.kill()
        run.process.wait()
    return [webhook for webhook in webhooks(server) if not is_journalled(directory, webhook)]


@pytest.mark.parametrize("words", [(), ("--concurrency", "2")], ids=["alone", "workers"])
def test_the_next_run_makes_the_report_and_removes_the_webhooks(words: tuple[str, ...], tmp_path: Path) -> None:
    with start() as server:
        unknown = killed(bundles.write(tmp_path / "out"), server, *words)
        before = webhooks(server)
        assert (tmp_path / "out" / EARLIER).is_dir()
        assert not (tmp_path / "out" / "results.json").exists()
        journals = "".join(path.read_text("utf-8") for path in (tmp_path / "out").rglob("journal*.jsonl"))
        done = run_suite(tmp_path / "out", *NEXT, *words, **variables(server.credentials))
        left = webhooks(server)

    assert '{"exchanges": ' in journals
    given = variables(server.credentials)
    secrets = [name for name in given if name.endswith(("SECRET", "KEY")) and name != "PIX_TRANSFER_KEY"]
    assert [name for name in secrets if given[name] in journals] == []
    assert done.exit == 0
    assert "ended without a report" in done.output
    assert left == unknown
    assert len(before) > len(unknown)
    names = sorted(path.name for path in (tmp_path / "out").iterdir() if path.suffix in {"", ".jsonl"})
    assert names == ["deliveries.jsonl", "exchanges.jsonl", UNFINISHED]
    results = read_results(tmp_path / "out" / UNFINISHED)
    assert problems(results) == []
    assert (results["run"]["exit"], results["run"]["partial"]) == (2, True)
    assert "was not fully tested because the run was interrupted" in results["headline"]
    outcomes = {row["outcome"] for row in results["requirements"]}
    assert outcomes & {"fail", "error", "warn"} == set()
    assert outcomes >= {"pass", "inconclusive"}


def test_the_webhooks_of_another_account_stay(tmp_path: Path) -> None:
    with start() as server:
        killed(tmp_path / "out", server)
        given = variables(server.credentials)
        other = {name: text for name, text in given.items() if "OTHER" not in name and "LIVE" not in name}
        for name in ("PIX_CLIENT_ID", "PIX_CLIENT_SECRET"):
            other[name] = given[name.replace("PIX_", "PIX_OTHER_")]
        done = run_suite(tmp_path / "out", *NEXT, **other)
        left = webhooks(server)

    assert len(left) > 0
    assert "of them stay: they are removed with the address and credentials of that run only" in done.output


def test_two_runs_into_one_directory_at_the_same_time_are_refused(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / "journal.jsonl", str)) as journal:
        with pytest.raises(ReportDirectoryError, match="another run writes to"):
            Journal(tmp_path / "journal.jsonl", str)
        done = run_suite(tmp_path, *NEXT)
        journal.write(Ended(test="a", requirements=()))

    assert (done.exit, "another run writes to" in done.output) == (4, True)
    assert [fact.test for fact in left_facts(journal.path).ended] == ["a"]


def test_a_disk_without_room_is_status_3_and_a_sentence(tmp_path: Path) -> None:
    """No file may have more than 200 kB, which the report has and the output has not."""
    line = 'ulimit -f 200; exec "$@"'
    words = [sys.executable, "-m", "pytest", "--report-dir", str(tmp_path / "out"), *NEXT]
    command = ["bash", "-c", line, "bash", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  # our own suite

    assert done.returncode == 3, done.stdout
    assert "has no room for the report (File too large): set TMPDIR" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "index.html" not in done.stdout
