"""The pace of requests: it adapts to 429 with and without Retry-After, to slow answers and to missing ones."""

from __future__ import annotations

import time

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.transport.pacing import FAULTS_IN_A_ROW, LONGEST_GAP_S, PAUSE_AFTER_FAULTS_S, SLOW_S, Pacer

QUICK_S = 0.01


class PacedTarget:
    """A target that is sent one request after another; no real time passes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rate: float | None = None) -> None:
        """Begin at time 0, with the configured rate in requests per second."""
        self.now = 0.0
        waits = Waits()
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(waits, "pause", self.wait)
        self.pacer = Pacer(rate, waits)

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


def test_requests_follow_each_other_without_a_pause_if_no_rate_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PacedTarget(monkeypatch).sent(100) == pytest.approx(QUICK_S)


def test_the_configured_rate_is_kept_after_many_quick_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PacedTarget(monkeypatch, rate=4).sent(100) == pytest.approx(0.25, rel=0.02)


def test_after_a_429_the_run_waits_as_retry_after_says_and_then_sends_more_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = PacedTarget(monkeypatch)
    for _ in range(3):
        target.sent(limited=True)
        begun = target.now
        assert target.pacer.wait_or_give_up("7", 0)
        assert target.now - begun == pytest.approx(7)
    assert target.gap() == pytest.approx(0.2, rel=0.03)


def test_without_retry_after_each_wait_is_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PacedTarget(monkeypatch)
    waited = []
    for attempt in range(4):
        target.sent(limited=True)
        begun = target.now
        assert target.pacer.wait_or_give_up(None, attempt)
        waited.append(round(target.now - begun))
    assert waited == [1, 2, 4, 8]


def test_a_request_of_another_thread_waits_for_the_end_of_the_429(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PacedTarget(monkeypatch)
    target.sent(limited=True)
    monkeypatch.setattr(target.pacer.waits, "pause", lambda _: None)  # the wait of the first thread goes on
    target.pacer.wait_or_give_up("7", 0)
    monkeypatch.setattr(target.pacer.waits, "pause", target.wait)
    target.pacer.wait_for_slot()
    assert target.now >= 7


def test_the_run_becomes_faster_again(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PacedTarget(monkeypatch)
    target.sent(3, limited=True)
    target.sent(2_000)
    assert target.gap() == pytest.approx(QUICK_S)


def test_slow_answers_are_followed_by_longer_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PacedTarget(monkeypatch)
    target.sent(9, seconds=SLOW_S + 1)
    assert target.gap() == pytest.approx(LONGEST_GAP_S, rel=0.03)


def test_an_operation_that_is_not_answered_is_not_asked_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PacedTarget(monkeypatch)
    for _ in range(FAULTS_IN_A_ROW):
        assert not target.pacer.circuit_open("pay_charge")
        target.pacer.record_fault("no response", "pay_charge", SLOW_S + 1)
    assert target.pacer.circuit_open("pay_charge")
    target.wait(4 * PAUSE_AFTER_FAULTS_S)
    assert not target.pacer.circuit_open("pay_charge")
