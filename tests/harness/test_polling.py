"""How long a test repeats a query, and the time budget of rate limits."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.polling import LOOK_AGAIN_S, Poller, poll_until
from pix_conformance.harness.transport.pacing import Pacer
from pix_conformance.model.exchange import Exchange


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


def test_a_result_that_is_there_takes_one_query(waits: Waits) -> None:
    assert looks(Poller(waits, 6, 1), 1) == 1


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
    assert all(pacer.wait_or_give_up("200", 0) for _ in range(8))
    assert pacer.wait_or_give_up("300", 0)
    assert not pacer.wait_or_give_up("600", 0)
