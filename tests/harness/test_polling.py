"""How long a story looks again for what is late, and what a rate limit costs."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.polling import LOOK_AGAIN_S, Poller, poll_until
from pix_conformance.harness.transport.pacing import Pacer
from pix_conformance.model.exchange import Exchange


def looks(patience: Poller, needed: int) -> int:
    """Look until the answer is the one needed; return how often it was asked."""
    asked: list[int] = []

    def once() -> Exchange:
        asked.append(len(asked) + 1)
        return cast("Exchange", asked[-1])

    patience.until(once, lambda found: cast("Any", found) >= needed)
    return len(asked)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """Return waits that take no time."""
    now, found = [0.0], Waits()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(found, "pause", lambda seconds: now.append(now.pop() + seconds))
    return found


def test_what_is_there_is_seen_at_once(waits: Waits) -> None:
    assert looks(Poller(waits, 6, 1), 1) == 1


def test_what_is_late_is_waited_for_each_time(waits: Waits) -> None:
    patience = Poller(waits, 6, 1)
    assert [looks(patience, 10), looks(patience, 10)] == [10, 10]


def test_what_never_comes_is_waited_for_at_length_only_once(waits: Waits) -> None:
    patience = Poller(waits, 6, 1)
    assert [looks(patience, 1000), looks(patience, 1000)] == [6 / LOOK_AGAIN_S + 1, 1 / LOOK_AGAIN_S + 1]


def test_who_was_slow_once_may_be_slow_again(waits: Waits) -> None:
    patience = Poller(waits, 6, 1)
    assert looks(patience, 10) == 10
    assert looks(patience, 1000) == looks(patience, 1000) == 6 / LOOK_AGAIN_S + 1


def test_the_last_answer_was_asked_for_when_the_time_was_over(waits: Waits) -> None:
    """A slow answer shows what was when it was asked for, not what is when it comes."""

    def state() -> str:
        shown = "late" if time.monotonic() >= 1 else "early"
        waits.pause(3)
        return shown

    assert poll_until(waits, 1.5, state, lambda shown: shown == "late") == "late"


def test_simultaneous_refusals_for_rate_cost_patience_once(monkeypatch: pytest.MonkeyPatch, waits: Waits) -> None:
    monkeypatch.setattr(waits, "pause", lambda _: None)
    pacer = Pacer(None, waits)
    assert all(pacer.wait_or_give_up("200", 0) for _ in range(8))
    assert pacer.wait_or_give_up("300", 0)
    assert not pacer.wait_or_give_up("600", 0)
