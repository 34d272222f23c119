"""Pauses between attempts, with and without noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pix_conformance.checks.business.retries import (
    attempted_again,
    ends_the_attempts,
    given_up_in_time,
    held_back_periods,
    most_repetitions,
    no_pause_beyond_the_longest,
    not_attempted_too_often,
    not_sent_again,
    pauses_double,
    same_in_each_attempt,
)
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.why import Why
from tests.support.conclusions import mismatch, unknown

ONE = Delivery(1, "/business", "POST", 0.0, (), b'{"id": "a", "type": "t", "data": {"n": 1}}', api="business")


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
    assert mismatch(pauses_double(pauses), ONE) is None


def test_a_sender_of_one_call_at_a_time_may_add_the_longest_call_to_a_pause() -> None:
    held = (None, 2.05, 4.09, 12.86)
    assert mismatch(pauses_double(held), ONE) is not None
    assert mismatch(pauses_double(held, late_s=10.0), ONE) is None


def test_a_slow_first_attempt_shows_that_later_attempts_are_slow_too() -> None:
    late = replace(ONE, received=9.0, body=b'{"data": {"external_ref": "a"}}')
    assert held_back_periods({"a": 1.0, "b": 2.0}, [late, replace(late, received=20.0)]) == [(1.0, 9.0)]
    assert held_back_periods({"a": 8.0}, [late]) == []


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
def test_pauses_that_do_not_double_are_a_problem(pauses: tuple[float, ...], words: str) -> None:
    assert words in str(mismatch(pauses_double(pauses), ONE))


@pytest.mark.parametrize(("pauses", "copies"), [((), 1), ((2.0,), 1), ((1, 1, 1), 2)])
def test_too_few_pauses_give_no_verdict(pauses: tuple[float, ...], copies: int) -> None:
    assert unknown(pauses_double(pauses, copies), ONE).why is Why.NOT_SHOWN


def test_a_ninth_attempt_is_a_problem() -> None:
    assert mismatch(not_attempted_too_often([ONE] * 8, 1, ended=True), ONE) is None
    assert mismatch(not_attempted_too_often([ONE] * 16, 2, ended=True), ONE) is None
    assert "9 times" in str(mismatch(not_attempted_too_often([ONE] * 9, 1, ended=False), ONE))
    assert "5 attempts" in unknown(not_attempted_too_often([ONE] * 5, 1, ended=False), ONE).sentence


def test_a_pause_beyond_five_minutes_is_too_long() -> None:
    assert mismatch(no_pause_beyond_the_longest((100, 200, 300), None, ended=True), ONE) is None
    assert "longer" in str(mismatch(no_pause_beyond_the_longest((), 600.0, ended=True), ONE))
    assert "400 s" in str(mismatch(no_pause_beyond_the_longest((400.0,), None, ended=False), ONE))
    assert "unseen" in unknown(no_pause_beyond_the_longest((10, 20), None, ended=False), ONE).sentence


def test_a_call_must_time_out_after_ten_seconds() -> None:
    assert mismatch(given_up_in_time(relayed=False), replace(ONE, left_s=9.4)) is None
    assert "after 3.0 s" in str(mismatch(given_up_in_time(relayed=False), replace(ONE, left_s=3.0)))
    assert "still waiting" in str(mismatch(given_up_in_time(relayed=False), ONE))
    assert "relay" in unknown(given_up_in_time(relayed=True), ONE).sentence


def test_attempts_are_compared_by_field() -> None:
    other = replace(ONE, body=b'{"id": "b", "type": "t", "data": {"n": 1}}')
    assert mismatch(same_in_each_attempt([ONE, ONE], "id", "data"), ONE) is None
    assert mismatch(same_in_each_attempt([ONE, other], "id", "data"), ONE) == "id differ between attempts"


def test_an_event_is_attempted_again_if_it_comes_more_often_than_an_accepted_one() -> None:
    assert mismatch(attempted_again([ONE, ONE], 1, "in a minute"), ONE) is None
    assert mismatch(attempted_again([ONE, ONE], 2, "in a minute"), ONE) == "no second attempt came in a minute"


def test_an_accepted_event_comes_once() -> None:
    event = replace(ONE, answered=200, body=b'{"id": "a", "type": "business.pix.paid"}')
    assert [most_repetitions([event] * times) for times in (0, 1, 3)] == [0, 1, 3]
    assert most_repetitions([event, replace(event, answered=500)]) == 0
    assert "2 times" in str(mismatch(not_sent_again([event, event]), event))
    assert mismatch(ends_the_attempts([event] * 2, 1), event) is None
    assert mismatch(ends_the_attempts([event] * 3, 2), event) is None
    assert "3 times" in str(mismatch(ends_the_attempts([event] * 3, 1), event))
