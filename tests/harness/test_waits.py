"""Waits: the pace of requests (429, slow, missing answers), polling, an advanced clock, the last of the workers."""

import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

from pix_conformance.harness.clock import Clock
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.polling import LOOK_AGAIN_S, Poller, poll_until
from pix_conformance.harness.transport.pacing import (
    FAULTS_IN_A_ROW,
    FIRST_GAP_S,
    LONGEST_GAP_S,
    PAUSE_AFTER_FAULTS_S,
    SLOW_S,
    Pacer,
    SharedPause,
)
from pix_conformance.harness.worker_phases import LOOK_AGAIN_S as LOOK_AT_OTHERS_S
from pix_conformance.harness.worker_phases import Phase, WorkerPhases
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.reception import Shard
from pix_conformance.model.vocabulary import Interrupted

QUICK_S = 0.01
SOON_S = 10 * LOOK_AT_OTHERS_S
LATEST_S = 10.0


class PacedTarget:
    """A target that is sent one request after another; no real time passes."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, rate: float | None = None, shared: SharedPause | None = None
    ) -> None:
        """Begin at time 0, with the configured rate in requests per second."""
        self.now = 0.0
        waits = Waits()
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(waits, "pause", self.wait)
        self.pacer = Pacer(rate, waits, shared)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def sent(self, count: int = 1, seconds: float = QUICK_S, *, limited: bool = False) -> float:
        """Send requests; return the seconds from one to the next, on average."""
        begun = self.now
        for _ in range(count):
            self.pacer.wait_for_slot()
            self.now += seconds
            self.pacer.record_answer("get_balance", seconds, limited=limited)
        return (self.now - begun) / count

    def gap(self) -> float:
        """Send two requests; return the seconds from the answer to the first to that to the second."""
        self.sent()
        return self.sent()


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> PacedTarget:
    return PacedTarget(monkeypatch)


def test_requests_follow_each_other_without_a_pause_if_no_rate_is_set(target: PacedTarget) -> None:
    assert target.sent(100) == pytest.approx(QUICK_S)


def test_the_configured_rate_is_kept_after_many_quick_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PacedTarget(monkeypatch, rate=4).sent(100) == pytest.approx(0.25, rel=0.02)


def test_after_a_429_the_run_waits_as_retry_after_says_and_then_sends_more_slowly(target: PacedTarget) -> None:
    for _ in range(3):
        target.sent(limited=True)
        begun = target.now
        assert target.pacer.wait_or_give_up(7.0, 0)
        assert target.now - begun == pytest.approx(7)
    assert target.gap() == pytest.approx(0.2, rel=0.03)


def test_the_429_of_one_worker_makes_all_of_them_wait_and_send_more_slowly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine, theirs = (PacedTarget(monkeypatch, shared=SharedPause(tmp_path, 2)) for _ in range(2))
    for clock in ("monotonic", "time"):
        monkeypatch.setattr(time, clock, lambda: theirs.now)
    mine.sent(limited=True)
    assert mine.pacer.wait_or_give_up(7.0, 0)
    assert theirs.sent() == pytest.approx(7 + QUICK_S, abs=0.1)
    assert theirs.sent() == pytest.approx(2 * FIRST_GAP_S, abs=0.01)


def test_without_retry_after_each_wait_is_longer(target: PacedTarget) -> None:
    waited = []
    for attempt in range(4):
        target.sent(limited=True)
        begun = target.now
        assert target.pacer.wait_or_give_up(None, attempt)
        waited.append(round(target.now - begun))
    assert waited == [1, 2, 4, 8]


def test_a_request_of_another_thread_waits_for_the_end_of_the_429(
    target: PacedTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.sent(limited=True)
    monkeypatch.setattr(target.pacer.waits, "pause", lambda _: None)  # the wait of the first thread goes on
    target.pacer.wait_or_give_up(7.0, 0)
    monkeypatch.setattr(target.pacer.waits, "pause", target.wait)
    target.pacer.wait_for_slot()
    assert target.now >= 7


def test_the_run_becomes_faster_again(target: PacedTarget) -> None:
    target.sent(3, limited=True)
    target.sent(2_000)
    assert target.gap() == pytest.approx(QUICK_S)


def test_slow_answers_are_followed_by_longer_gaps(target: PacedTarget) -> None:
    target.sent(9, seconds=SLOW_S + 1)
    assert target.gap() == pytest.approx(LONGEST_GAP_S, rel=0.03)


def test_an_operation_that_is_not_answered_is_not_asked_for_a_while(target: PacedTarget) -> None:
    for _ in range(FAULTS_IN_A_ROW):
        assert not target.pacer.is_paused("pay_charge")
        target.pacer.record_fault("no response", "pay_charge", SLOW_S + 1)
    assert target.pacer.is_paused("pay_charge")
    target.wait(4 * PAUSE_AFTER_FAULTS_S)
    assert not target.pacer.is_paused("pay_charge")


def looks(patience: Poller, needed: int) -> int:
    """Poll until the result is the wanted one; return the number of queries."""
    asked: list[int] = []

    def once() -> Exchange:
        asked.append(len(asked) + 1)
        return cast("Exchange", asked[-1])

    patience.until(once, lambda value: cast("Any", value) >= needed)
    return len(asked)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """Return waits that take no time."""
    now, instance = [0.0], Waits()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(instance, "pause", lambda seconds: now.append(now.pop() + seconds))
    return instance


def test_a_late_result_is_waited_for_each_time(waits: Waits) -> None:
    patience = Poller(waits, 6, 1)
    assert [looks(patience, 10), looks(patience, 10)] == [10, 10]


def test_a_result_that_never_comes_is_waited_for_only_once(waits: Waits) -> None:
    patience = Poller(waits, 6, 1)
    assert [looks(patience, 1000), looks(patience, 1000)] == [6 / LOOK_AGAIN_S + 1, 1 / LOOK_AGAIN_S + 1]


def test_a_target_that_was_slow_once_may_be_slow_again(waits: Waits) -> None:
    patience = Poller(waits, 6, 1)
    assert looks(patience, 10) == 10
    assert looks(patience, 1000) == looks(patience, 1000) == 6 / LOOK_AGAIN_S + 1


def test_the_last_query_is_sent_when_the_time_is_over(waits: Waits) -> None:
    """A slow response shows the state at the time of its request."""

    def state() -> str:
        shown = "late" if time.monotonic() >= 1 else "early"
        waits.pause(3)
        return shown

    assert poll_until(waits, 1.5, state, lambda shown: shown == "late") == "late"


def test_simultaneous_429s_use_the_retry_budget_once(monkeypatch: pytest.MonkeyPatch, waits: Waits) -> None:
    monkeypatch.setattr(waits, "pause", lambda _: None)
    pacer = Pacer(None, waits)
    assert all(pacer.wait_or_give_up(200.0, 0) for _ in range(8))
    assert pacer.wait_or_give_up(300.0, 0)
    assert not pacer.wait_or_give_up(600.0, 0)


def test_the_target_is_ahead_by_each_advance_that_began_before() -> None:
    clock, before = Clock(lambda _: None, waits=None, on_turn=lambda: None), time.time()
    clock.skip(60)
    between = time.time()
    clock.skip(3600)

    assert clock.at(before) == before
    assert clock.at(between) == between + 60
    assert clock.at(time.time() + 1) - time.time() > 3660
    assert clock.now() - time.time() > 3659


def test_a_clock_runs_freely_where_no_advance_was() -> None:
    clock, before = Clock(lambda _: None, waits=None, on_turn=lambda: None), time.time()
    clock.skip(60)
    after = time.time()

    assert clock.ran_freely(before - 2, before - 1)
    assert not clock.ran_freely(before, after)
    assert clock.ran_freely(after + 1, after + 2)


def waiting(phases: WorkerPhases, waits: Waits) -> Thread:
    def wait() -> None:
        with suppress(Interrupted):
            phases.wait(Shard(1, 3), Phase.ENDED, waits)

    thread = Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_the_first_worker_waits_for_the_last_of_the_others(tmp_path: Path) -> None:
    phases = WorkerPhases(tmp_path)
    thread = waiting(phases, Waits())
    phases.note(2, Phase.ENDED)
    phases.note(3, Phase.TESTED)
    thread.join(SOON_S)
    assert thread.is_alive()
    phases.note(3, Phase.ENDED)
    thread.join(LATEST_S)
    assert not thread.is_alive()


def test_an_interruption_ends_the_wait(tmp_path: Path) -> None:
    waits = Waits()
    thread = waiting(WorkerPhases(tmp_path), waits)
    thread.join(SOON_S)
    assert thread.is_alive()
    waits.interruption.expire()
    thread.join(LATEST_S)
    assert not thread.is_alive()
