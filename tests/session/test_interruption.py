"""Ctrl-C and SIGTERM: a run ends within 5 s with a report of the judged requirements, and leaves no webhook."""

import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.interruption import REPEATED_S, Interruption
from pix_conformance.model.vocabulary import Interrupted, Outcome
from pix_conformance.receiver import ListeningPort, Receiver
from pix_conformance.recording.facts import Ended, Facts
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.session.early_end import EarlyEnd
from pix_conformance.verdicts.evidence import Selection
from tests.recording.test_bundle import problems
from tests.support.interrupted_runs import Started, longest_end, started, webhooks
from tests.support.judged_facts import result

STATUS = {signal.SIGINT: 2, signal.SIGTERM: 143}
TIMES = 5
LATEST_S = 20.0
AGEING = "suites/payments/test_authentication_of_routes.py"
"""Tests whose run is mostly one wait of a minute."""


@contextmanager
def a_run(directory: Path, *words: str, **given: str) -> Iterator[tuple[Running, Started]]:
    """Start a server and a run that tests it; wait until the run handles signals."""
    with start() as server, started(directory, *words, **variables(server.credentials), **given) as run:
        run.opened()
        yield server, run


def until(condition: Callable[[], object], run: Started) -> None:
    while not condition():
        assert run.process.poll() is None, run.output()
        time.sleep(0.05)


def well_ended(run: Started, server: Running, ended: tuple[int, float], wanted: int) -> dict[str, Any]:
    """Check what holds for every interrupted run; return its results."""
    status, seconds = ended
    assert status == wanted, run.output()
    assert seconds <= longest_end()
    results = run.results
    assert problems(results) == []
    assert results["run"]["exit"] == wanted
    assert (run.directory / "index.html").stat().st_size > 0
    assert "Traceback" not in run.output()
    assert [row["id"] for row in results["requirements"] if row["outcome"] in {"fail", "error"}] == []
    assert [row["id"] for row in results["requirements"] if "no test yet" in row["reason"]] == []
    assert webhooks(server) == []
    return results


def test_a_signal_during_the_collection_starts_nothing_more(tmp_path: Path) -> None:
    with a_run(tmp_path / "out") as (server, run):
        results = well_ended(run, server, run.end(signal.SIGTERM), 143)
    assert results["totals"]["requests"] == 0


def test_a_wait_of_a_minute_ends_at_once(tmp_path: Path) -> None:
    with a_run(tmp_path / "out", "--only", "PAY-AUTH-10") as (server, run):
        until(lambda: "waiting for" in run.output(), run)
        well_ended(run, server, run.end(signal.SIGINT), 2)


def test_a_webhook_whose_registration_lost_its_response_is_removed(tmp_path: Path) -> None:
    with a_run(tmp_path / "out", "--only", "PAY-WH-53,PAY-AUTH-10") as (server, run):
        until(lambda: any("cut-registration" in hook["url"] for hook in webhooks(server)), run)
        well_ended(run, server, run.end(signal.SIGINT), 2)


@pytest.mark.parametrize("words", [(), ("--concurrency", "2")], ids=["alone", "workers"])
@pytest.mark.parametrize("sent", STATUS)
def test_a_signal_to_the_process_group_of_uv_loses_no_report(
    sent: signal.Signals, words: tuple[str, ...], tmp_path: Path
) -> None:
    """All of `uv run`, pytest and its workers get it, and `uv run` passes it on: so do `timeout` and CI runners."""
    with a_run(tmp_path / "out", *words, by="uv run --no-sync") as (server, run):
        until(lambda: webhooks(server), run)
        results = well_ended(run, server, run.end(sent, of_group=True), STATUS[sent])
    assert "because the run was" in results["headline"]
    assert "requirements not reached" in results["headline"]


@pytest.mark.parametrize("sent", STATUS)
def test_a_signal_while_workers_start_loses_no_report(sent: signal.Signals, tmp_path: Path) -> None:
    with a_run(tmp_path / "out", "--concurrency", "2") as (server, run):
        until(lambda: "created: 2" in run.output(), run)
        results = well_ended(run, server, run.end(sent), STATUS[sent])
    assert "requirements not reached" in results["headline"]


@pytest.mark.battery
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("sent", STATUS)
def test_a_run_may_be_interrupted_at_any_time(sent: signal.Signals, part: int, tmp_path: Path) -> None:
    dice = random.Random(f"{sent} {part}")  # noqa: S311  # times, not secrets
    for number in range(TIMES):
        words = dice.choice([(), (), (AGEING,)])
        with a_run(tmp_path / f"out-{number}", *words) as (server, run):
            time.sleep(dice.uniform(0, LATEST_S))
            well_ended(run, server, run.end(sent), STATUS[sent])


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
    with Receiver(ListeningPort(tls="off")) as receiver:
        threading.Timer(0.1, receiver.log.interrupt).start()
        with pytest.raises(Interrupted):
            receiver.wait_for(lambda _: True, 60)


@pytest.mark.parametrize("signals", [1, 2])
def test_a_stuck_main_thread_does_not_prevent_the_report_and_a_second_signal_ends_it_at_once(
    signals: int, tmp_path: Path
) -> None:
    """The report of a stuck run is written by another thread."""
    with a_run(tmp_path / "out", "-p", "tests.support.altered_run", HANGS="1") as (server, run):
        until((tmp_path / "stuck").exists, run)
        if signals == 1:
            well_ended(run, server, run.end(signal.SIGTERM), 143)
        else:
            run.process.send_signal(signal.SIGINT)
            time.sleep(REPEATED_S + 0.1)
            status, seconds = run.end(signal.SIGINT)
            assert status == 2
            assert seconds < 1


def test_a_requirement_that_was_not_reached_is_neither_pass_nor_not_tested() -> None:
    tests = {"PAY-BAL-01": {"a", "b"}, "PAY-BAL-02": {"c"}}
    facts = Facts(ended=[Ended(test="a", requirements=("PAY-BAL-01",))])
    row = result(facts, "PAY-BAL-02", Selection(tests, tests, is_interrupted=True))
    assert (row.outcome, row.reason) == (Outcome.INCONCLUSIVE, "not reached: the run was interrupted")


def test_the_limits_of_tests_do_not_keep_the_process_alive() -> None:
    early_end = EarlyEnd(lambda _: None, Interruption())
    before = set(threading.enumerate())
    for _ in range(2):
        item: Any = SimpleNamespace()
        early_end.pytest_timeout_set_timer(item, SimpleNamespace(timeout=600))
        item.cancel_timeout()
    early_end.pytest_unconfigure()
    assert [watcher.daemon for watcher in set(threading.enumerate()) - before] == [True]


def test_a_run_that_is_not_interrupted_waits_for_the_full_time() -> None:
    begun = time.monotonic()
    Waits().pause(0.05)
    assert time.monotonic() - begun >= 0.05
