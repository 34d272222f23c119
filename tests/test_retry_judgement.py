"""What pauses between attempts say, with noise and without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.deliveries import Delivery
from fixtures.outcomes import NotApplicable
from fixtures.stories.business_retries import Attempts, behind, beyond, changed, timed_out, too_long, undoubled

ONE = Delivery(1, "/business", "POST", 0.0, (), b'{"id": "a", "type": "t", "data": {"n": 1}}', api="business")


def attempts(*pauses: float | None, seen: int = 8, ended: bool = True, copies: int = 1) -> Attempts:
    return Attempts([ONE] * seen, pauses, ended, copies=copies)


@pytest.mark.parametrize(
    "pauses",
    [
        (0.25, 0.5, 1, 2, 4),
        (0.8, 0.5, 1, 2, 4),
        (0.25, 0.5, 1.6, 2, 4.3),
        (10, 16, 25, 60),
        (1, 2.2, 4.1, 8.7),
        (4.8, 6.4, 19.2, 25.6),
        (100, 200, 300, 300, 300),
        (0.25, 0.5, None, None, 4),
        (2.9, 2.15, 5.4, 8.24, 16.23),
        (2.14, 0.5, 2.35, 2.1, 4),
        (1, 3.8, 4, 8),
    ],
    ids=[
        "clean",
        "a-late-second",
        "noisy",
        "lazy-factor",
        "jitter",
        "a-fifth-of-jitter",
        "capped",
        "clock-turned",
        "first-late",
        "two-late",
        "second-late",
    ],
)
def test_doubling_is_seen_through_noise(pauses: tuple[float | None, ...]) -> None:
    assert undoubled(attempts(*pauses)) is None


def test_one_call_at_a_time_holds_a_pause_back_by_as_long_as_a_call_may_take() -> None:
    held = attempts(None, 2.05, 4.09, 12.86)
    assert undoubled(held) is not None
    assert undoubled(replace(held, late_s=10.0)) is None


def test_an_event_that_is_long_on_its_way_shows_that_attempts_wait_too() -> None:
    late = replace(ONE, received=9.0, body=b'{"data": {"external_ref": "a"}}')
    assert behind({"a": 1.0, "b": 2.0}, [late, replace(late, received=20.0)]) == [(1.0, 9.0)]
    assert behind({"a": 8.0}, [late]) == []


@pytest.mark.parametrize(
    ("pauses", "words"),
    [
        ((0.26, 0.26, 0.27, 0.26, 0.26, 0.26), "do not double"),
        ((10, 10), "do not double"),
        ((4, 4.5), "do not double"),
        ((1, 2, 3, 4, 5, 6), "do not double"),
        ((8, 4, 2), "do not double"),
        ((0.25, 0.5, 0.75, 1, 1.25, 1.5), "less than doubling"),
        ((0.5, 1, 1.5, 2, 2.5, 3), "do not double"),
        ((5, 10, 15, 20), "do not double"),
        ((0.25, 1, 4, 16), "more than doubling"),
        ((0.57, 0.86, 1.29, 1.93), "less than doubling"),
        ((1, 3, 9, 27), "more than doubling"),
    ],
    ids=[
        "steady",
        "steady-and-long",
        "nearly-steady",
        "linear",
        "falling",
        "linear-and-short",
        "linear-and-middling",
        "linear-and-long",
        "fourfold",
        "by-half",
        "threefold",
    ],
)
def test_what_does_not_double_is_told(pauses: tuple[float, ...], words: str) -> None:
    assert words in str(undoubled(attempts(*pauses)))


@pytest.mark.parametrize("few", [attempts(seen=1, ended=False), attempts(2.0), attempts(1, 1, 1, copies=2)])
def test_too_little_is_no_verdict(few: Attempts) -> None:
    with pytest.raises(NotApplicable):
        undoubled(few)


def test_eight_attempts_are_the_most() -> None:
    assert beyond(attempts()) is None
    assert beyond(attempts(seen=16, copies=2)) is None
    assert "9 times" in str(beyond(attempts(seen=9, ended=False)))
    with pytest.raises(NotApplicable, match="5 attempts"):
        beyond(attempts(seen=5, ended=False))


def test_a_pause_beyond_five_minutes_is_too_long() -> None:
    assert too_long(attempts(100, 200, 300)) is None
    assert "longer" in str(too_long(replace(attempts(), late=600.0)))
    assert "400 s" in str(too_long(attempts(400.0, ended=False)))
    with pytest.raises(NotApplicable, match="unseen"):
        too_long(attempts(10, 20, ended=False))


def test_a_call_is_given_up_after_ten_seconds() -> None:
    assert timed_out(replace(ONE, left_s=9.4), relayed=False) is None
    assert "after 3.0 s" in str(timed_out(replace(ONE, left_s=3.0), relayed=False))
    assert "still waiting" in str(timed_out(ONE, relayed=False))
    with pytest.raises(NotApplicable, match="relay"):
        timed_out(ONE, relayed=True)


def test_attempts_are_compared_by_field() -> None:
    other = replace(ONE, body=b'{"id": "b", "type": "t", "data": {"n": 1}}')
    assert changed([ONE, ONE], "id", "data") is None
    assert changed([ONE, other], "id", "data") == "id differ between attempts"
