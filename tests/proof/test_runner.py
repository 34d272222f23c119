"""A run of the proof that takes too long has another exit than one that ends without a result, which is a failure."""

from pix_conformance.proof.runner import NO_RESULT, TOO_LONG, Job, run_all


def test_a_run_that_is_cut_and_one_that_breaks_off_have_exits_of_their_own() -> None:
    jobs = [Job("cut", (), seconds=1), Job("broken off", (), apis="no such API")]
    assert {result.name: result.exit for result in run_all(jobs)} == {"cut": TOO_LONG, "broken off": NO_RESULT}
