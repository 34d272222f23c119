"""The proof that runs tests alone: each run has a server of its own and judges something."""

from pix_conformance.proof.each_test_alone import run_all

TEST = "suites/business/test_cancel.py::test_a_pending_charge_is_canceled"


def test_a_test_is_run_alone_with_and_without_waiting() -> None:
    found = list(run_all(seed=1, subsets=0, only=TEST))
    assert [one.part.waiting for one in sorted(found, key=lambda one: one.part.waiting)] == [False, True]
    assert all(one.outcomes.get("pass", 0) > 0 for one in found)
    assert [one.wrong for one in found] == [{}, {}]
