"""The figures of one run of the suites."""

import pytest

from benchmarks.costs import of_parts
from benchmarks.costs_plugin import Stopwatch


def work() -> int:
    return sum(range(3_000_000))


def fails() -> None:
    work()
    raise ValueError


def test_the_parts_of_a_run_add_up_to_the_whole() -> None:
    found = {"requests": 3, "cpu_s": 2.0, "memory_mb": 90.0, "own_ms_per_exchange": 1.0}
    parts = of_parts(found | {"first_request": 103.0, "last_test": 110.0}, began=100.0, ended=111.5)
    assert (parts["start_s"], parts["tests_s"], parts["end_s"], parts["wall_s"]) == (3.0, 7.0, 1.5, 11.5)
    assert parts.items() >= found.items()


def test_a_stopwatch_adds_up_the_cpu_of_its_function_and_no_other() -> None:
    watch = Stopwatch()
    measured = watch.watch(work)
    assert measured() == work()
    once = watch.seconds
    work()
    assert watch.seconds == once
    measured()
    assert watch.seconds > once > 0


def test_a_stopwatch_counts_a_call_that_fails() -> None:
    watch = Stopwatch()
    with pytest.raises(ValueError, match=r"^$"):
        watch.watch(fails)()
    assert watch.seconds > 0
