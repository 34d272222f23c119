"""Runs of a single test: each has its own server and judges something."""

from pix_conformance.proof.each_test_alone import run_all

TEST = "suites/business/test_cancel.py::test_a_pending_charge_is_canceled"


def test_a_test_runs_alone_with_and_without_idle_time() -> None:
    found = list(run_all(seed=1, subsets=0, only=TEST))
    assert [one.part.waiting for one in sorted(found, key=lambda one: one.part.waiting)] == [False, True]
    assert all(one.outcomes.get("pass", 0) > 0 for one in found)
    assert [one.wrong for one in found] == [{}, {}]
