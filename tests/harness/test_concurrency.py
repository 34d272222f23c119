"""Tests of simultaneous requests."""

import threading
import time
from collections.abc import Callable

import pytest

from pix_conformance.harness.concurrency import LONGEST_HOLD_S, Hold, send_concurrently


@pytest.mark.parametrize("count", [1, 2, 8])
def test_requests_are_sent_in_their_order_once_all_are_connected(count: int) -> None:
    """The first one connects last, and all are sent after that."""
    sent: list[int] = []
    connected: list[int] = []

    def send(place: int, before_sending: Callable[[], None]) -> int:
        time.sleep((count - place) / 100)
        connected.append(place)
        before_sending()
        assert len(connected) == count
        sent.append(place)
        return place

    def call(place: int) -> Callable[..., int]:
        return lambda before_sending: send(place, before_sending)

    assert send_concurrently(*[call(place) for place in range(count)]) == list(range(count))
    assert sent == list(range(count))


def test_later_requests_are_sent_their_milliseconds_after_the_others() -> None:
    """Two of four are sent at once although they connect last, the others 30 ms after them, in their order."""
    sent: list[int] = []

    def send(place: int, before_sending: Callable[[], None]) -> float:
        time.sleep(0.05 if place in {1, 3} else 0)
        before_sending()
        sent.append(place)
        return time.monotonic()

    def call(place: int) -> Callable[..., float]:
        return lambda before_sending: send(place, before_sending)

    first, second, third, fourth = send_concurrently(*[call(place) for place in range(4)], after_ms=[30, 0, 30, 0])
    assert sent == [1, 3, 0, 2]
    assert min(first, third) - max(second, fourth) > 0.025


def test_a_request_that_is_not_sent_is_not_waited_for() -> None:
    """One call ends before it has a connection; the other one waits for nothing, also when it is sent again."""

    def send(before_sending: Callable[[], None]) -> float:
        begun = time.monotonic()
        before_sending()
        before_sending()
        return time.monotonic() - begun

    def end(before_sending: Callable[[], None]) -> float:
        del before_sending
        return 0.0

    waited, _ = send_concurrently(send, end)
    assert waited < LONGEST_HOLD_S


def test_no_request_waits_longer_than_that() -> None:
    """One of three gets no connection: the others are sent after half a second, and it is not kept back later."""
    hold, begun = Hold([0, 0, 0]), time.monotonic()
    threads = [threading.Thread(target=hold.wait, args=(place,)) for place in (0, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert LONGEST_HOLD_S <= time.monotonic() - begun < 2 * LONGEST_HOLD_S
    begun = time.monotonic()
    hold.wait(1)
    assert time.monotonic() - begun < LONGEST_HOLD_S / 2
