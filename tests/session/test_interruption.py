"""Ctrl-C and SIGTERM: a run ends within 5 s with a report of the judged requirements, and leaves no webhook."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.interruption import REPEATED_S, Interruption
from pix_conformance.model.exceptions import Interrupted
from pix_conformance.model.paths import PACKAGE
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.receiver import Receiver
from pix_conformance.recording.recorder import Recorder
from pix_conformance.session.early_end import EarlyEnd
from pix_conformance.verdicts.evidence_of_run import recording_of_run
from pix_conformance.verdicts.judge import judge
from pix_conformance.verdicts.selected_tests import Selection
from tests.session.test_usage import settled
from tests.support.interrupted_runs import Sandbox, Started, longest_end, sandbox, started, started_by_uv

SCHEMA = Draft202012Validator(json.loads((PACKAGE / "recording" / "results.schema.json").read_text(encoding="utf-8")))
STATUS = {signal.SIGINT: 2, signal.SIGTERM: 143}
TIMES = 5
LATEST_S = 20.0
AGEING = "suites/payments/test_authentication_of_routes.py"
"""Tests whose run is mostly one wait of a minute."""


def well_ended(run: Started, target: Sandbox, ended: tuple[int, float], wanted: int) -> dict[str, Any]:
    """Check what holds for every interrupted run; return its results."""
    status, seconds = ended
    assert status == wanted, run.output()
    assert seconds <= longest_end()
    results = run.results
    assert list(SCHEMA.iter_errors(results)) == []
    assert results["run"]["exit"] == wanted
    assert (run.directory / "index.html").stat().st_size > 0
    assert "Traceback" not in run.output()
    assert [row["id"] for row in results["requirements"] if row["outcome"] in {"fail", "error"}] == []
    assert [row["id"] for row in results["requirements"] if "no test yet" in row["reason"]] == []
    assert target.webhooks() == target.webhooks("OTHER_") == []
    return results


@pytest.mark.parametrize("sent", STATUS)
def test_a_signal_in_the_middle_ends_the_run_with_a_report(sent: signal.Signals, tmp_path: Path) -> None:
    with sandbox() as target, started(tmp_path / "out", **target.variables) as run:
        run.opened()
        while not target.webhooks():
            time.sleep(0.05)
        results = well_ended(run, target, run.end(sent), STATUS[sent])

    assert "because the run was" in results["headline"]
    assert "requirements not reached" in results["headline"]


def test_a_signal_during_the_collection_starts_nothing_more(tmp_path: Path) -> None:
    with sandbox() as target, started(tmp_path / "out", **target.variables) as run:
        run.opened()
        results = well_ended(run, target, run.end(signal.SIGTERM), 143)

    assert results["totals"]["requests"] == 0


def test_a_wait_of_a_minute_ends_at_once(tmp_path: Path) -> None:
    words = ("--only", "PAY-AUTH-10")
    with sandbox() as target, started(tmp_path / "out", *words, **target.variables) as run:
        run.opened()
        while "waiting for" not in run.output():
            assert run.process.poll() is None, run.output()
            time.sleep(0.05)
        well_ended(run, target, run.end(signal.SIGINT), 2)


def test_a_second_signal_ends_the_run_at_once(tmp_path: Path) -> None:
    """Also a run that is stuck, whose report another thread would write later."""
    with (
        sandbox() as target,
        started(tmp_path / "out", "-p", "tests.support.first_test_hangs", **target.variables) as run,
    ):
        run.opened()
        while not (tmp_path / "stuck").exists():
            time.sleep(0.05)
        run.process.send_signal(signal.SIGINT)
        time.sleep(REPEATED_S + 0.1)
        status, seconds = run.end(signal.SIGINT)
    assert status == 2
    assert seconds < 1


@pytest.mark.parametrize("sent", STATUS)
def test_a_signal_that_is_passed_on_to_the_run_again_loses_no_report(sent: signal.Signals, tmp_path: Path) -> None:
    """As by `uv run`, to whose process group the signal is sent."""
    with sandbox() as target, started(tmp_path / "out", **target.variables) as run:
        run.opened()
        while not target.webhooks():
            time.sleep(0.05)
        well_ended(run, target, run.end(sent, sent, sent), STATUS[sent])


@pytest.mark.parametrize("words", [(), ("--concurrency", "2")], ids=["alone", "workers"])
@pytest.mark.parametrize("sent", STATUS)
def test_a_signal_to_the_process_group_of_uv_loses_no_report(
    sent: signal.Signals, words: tuple[str, ...], tmp_path: Path
) -> None:
    """Both `uv run` and pytest get it, and `uv run` passes it on: so do `timeout` and the runner of a CI job."""
    with sandbox() as target, started_by_uv(tmp_path / "out", *words, **target.variables) as run:
        run.opened()
        while not target.webhooks():
            time.sleep(0.05)
        begun = time.monotonic()
        os.killpg(run.process.pid, sent)
        status = run.process.wait(30)
        well_ended(run, target, (status, time.monotonic() - begun), STATUS[sent])


@pytest.mark.battery
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("sent", STATUS)
def test_a_run_may_be_interrupted_at_any_time(sent: signal.Signals, part: int, tmp_path: Path) -> None:
    dice = random.Random(f"{sent} {part}")  # noqa: S311  # times, not secrets
    for number in range(TIMES):
        words = dice.choice([(), (), (AGEING,)])
        with sandbox() as target, started(tmp_path / f"out-{number}", *words, **target.variables) as run:
            run.opened()
            time.sleep(dice.uniform(0, LATEST_S))
            well_ended(run, target, run.end(sent), STATUS[sent])


def test_every_wait_of_every_thread_ends_when_the_run_is_interrupted() -> None:
    interruption, ended = Interruption(), []

    def wait() -> None:
        with pytest.raises(Interrupted):
            interruption.pause(60)
        ended.append(1)

    threads = [threading.Thread(target=wait, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    interruption.listen()
    try:
        signal.raise_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(5)
    finally:
        interruption.begin_to_end()
        interruption.restore_handlers()
    assert (len(ended), interruption.status) == (3, 143)


def test_an_interrupted_wait_for_a_delivery_is_no_missing_event() -> None:
    with Receiver(tls="off") as receiver:
        threading.Timer(0.1, receiver.interrupt).start()
        with pytest.raises(Interrupted):
            receiver.wait_for(lambda _: True, 60)


def test_a_requirement_that_was_not_reached_is_neither_pass_nor_not_tested() -> None:
    tests = {"PAY-BAL-01": {"a", "b"}, "PAY-BAL-02": {"c"}}
    rows = judge(recording_of_run(Recorder(), settled(), Selection(tests, tests, reached={"a"})), {})
    by_id = {row.requirement.id: row for row in rows}

    assert by_id["PAY-BAL-02"].outcome is Outcome.INCONCLUSIVE
    assert by_id["PAY-BAL-02"].reason == "not reached: the run was interrupted"


def test_the_timer_of_a_test_does_not_keep_the_process_alive() -> None:
    item: Any = SimpleNamespace()
    before = set(threading.enumerate())
    EarlyEnd.pytest_timeout_set_timer(cast("Any", None), item, SimpleNamespace(timeout=600))
    timers = set(threading.enumerate()) - before
    item.cancel_timeout()
    assert [timer.daemon for timer in timers] == [True]


def test_a_stuck_main_thread_does_not_prevent_the_report(tmp_path: Path) -> None:
    with (
        sandbox() as target,
        started(tmp_path / "out", "-p", "tests.support.first_test_hangs", **target.variables) as run,
    ):
        run.opened()
        while not (tmp_path / "stuck").exists():
            time.sleep(0.05)
        well_ended(run, target, run.end(signal.SIGTERM), 143)


def test_a_run_that_is_not_interrupted_waits_for_the_full_time() -> None:
    begun = time.monotonic()
    Waits().pause(0.05)
    assert time.monotonic() - begun >= 0.05
