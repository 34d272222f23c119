"""The time of the target, whose clock is advanced."""

from __future__ import annotations

import time

from pix_conformance.harness.clock import Clock


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
