"""A budget: which tests fit, and what the run says of those that do not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from pix_conformance.harness import order_of_tests
from pix_conformance.harness.budget import SPARE, fitting, seconds_per_request, young
from pix_conformance.harness.order_of_tests import OrderOfTests, Place
from pix_conformance.model.budget import Budget
from pix_conformance.model.target import Target
from pix_conformance.model.usage_error import UsageError

ORDER = OrderOfTests(
    measured="2026-01-02",
    whole_runs=0,
    mutants={"payments": 10},
    preflight={},
    fixtures={"charge": 3, "webhook": 5},
    tests={
        "first": Place(1, (0,), killed=6, musts=2),
        "second": Place(2, (0,), killed=2, musts=1),
        "with webhook": Place(1, (1,), killed=2, musts=1),
        "cheap": Place(1, (), killed=0, musts=0),
        "cheap with webhook": Place(0, (1,), killed=0, musts=0),
    },
)


@dataclass(frozen=True)
class Item:
    """What is asked of a test of pytest."""

    nodeid: str
    fixturenames: tuple[str, ...] = ()
    age: float = -1

    def get_closest_marker(self, name: str) -> Any:
        """Return the marker of a deferred test."""
        return pytest.mark.deferred(self.age).mark if name == "deferred" and self.age >= 0 else None


FIXTURES = {
    "first": ("charge",),
    "second": ("charge",),
    "with webhook": ("webhook",),
    "cheap": (),
    "cheap with webhook": ("webhook",),
}


@pytest.fixture(autouse=True)
def _order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Store the order of this file in place of the measured one."""
    caches = (order_of_tests.order_of_tests, order_of_tests.positions)
    monkeypatch.setattr(order_of_tests, "ORDER", tmp_path / "order.json")
    ORDER.write()
    for one in caches:
        one.cache_clear()
    yield
    for one in caches:
        one.cache_clear()


def chosen(requests: float, *names: str) -> list[str]:
    """Return which of the tests fit."""
    items = [Item(one, FIXTURES.get(one, ())) for one in names or FIXTURES]
    return [one.nodeid for one in fitting(cast("list[pytest.Item]", items), (requests + 0.01) / (1 - SPARE))]


def test_the_stored_order_is_read_as_it_was_written() -> None:
    assert order_of_tests.order_of_tests() == ORDER
    assert [*order_of_tests.order_of_tests().tests] == [*ORDER.tests]
    assert list(ORDER.curve()) == [(4, 2, 6), (6, 3, 8), (12, 4, 10)]


def test_a_fixture_is_paid_by_the_first_test_that_uses_it() -> None:
    assert set(chosen(4)) == {"first"}
    assert set(chosen(6)) == {"first", "second"}
    assert set(chosen(13)) == set(FIXTURES)


def test_the_tests_keep_the_order_that_they_are_given_in() -> None:
    assert chosen(6, "second", "first") == ["second", "first"]


def test_a_later_test_fits_only_if_its_fixtures_are_made() -> None:
    assert set(chosen(7)) == {"first", "second", "cheap"}


def test_a_test_that_was_not_measured_does_not_fit() -> None:
    assert chosen(math.inf, "first", "new") == ["first"]


def test_a_test_that_waits_longer_than_the_budget_is_left_out_where_time_can_only_pass() -> None:
    items = cast("list[pytest.Item]", [Item("now"), Item("later", age=60), Item("last", age=math.inf)])
    elsewhere, embedded = Target("t", "http://t"), Target("t", "", embedded=True)
    assert [one.nodeid for one in young(items, elsewhere, 10)] == ["now", "last"]
    assert young(items, elsewhere, math.inf) == young(items, embedded, 10) == items


def test_a_request_takes_as_long_as_the_response_or_as_the_rate_says() -> None:
    assert seconds_per_request(0.1, rate=None) == pytest.approx(0.125)
    assert seconds_per_request(0.1, rate=2) == pytest.approx(0.5)


def test_a_budget_is_a_number_of_requests_or_of_seconds() -> None:
    assert (Budget.read("200").requests, Budget.read("200").seconds) == (200, None)
    assert (Budget.read("10s").requests, Budget.read("10s").seconds) == (None, 10)
    for text in ("", "0", "-1", "1.5", "10m", "s"):
        with pytest.raises(UsageError, match="--budget is"):
            Budget.read(text)
