"""The outcome of requirements after an exception in their test."""

from html import unescape
from pathlib import Path

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.recorder import Recorder
from pix_conformance.session.outcome_of_test import record_test_end


@pytest.mark.parametrize(
    ("raised", "outcome"),
    [
        (RequirementFailed("it is paid"), Outcome.INCONCLUSIVE),
        (Inconclusive("nothing came"), Outcome.INCONCLUSIVE),
        (NotApplicable("no receiver"), Outcome.NOT_APPLICABLE),
        (KeyError("id"), Outcome.ERROR),
        (FlakyFailure("it came once", [RequirementFailed("it is paid")]), Outcome.INCONCLUSIVE),
        (FlakyFailure("it came once", [KeyError("id")]), Outcome.ERROR),
    ],
    ids=["mismatch", "inconclusive", "not-applicable", "bug", "mismatch-once", "bug-once"],
)
def test_an_exception_before_a_judgement_has_its_outcome(raised: Exception, outcome: Outcome) -> None:
    """A failure of another requirement leaves this one inconclusive, also in a flaky test."""

    def end() -> None:
        raise raised

    recorder = Recorder()
    record_test_end(recorder, "test_it", ("BUS-CAN-01",), pytest.CallInfo.from_call(end, "call"))
    assert [verdict.outcome for verdict in recorder.verdicts] == [outcome]


@pytest.mark.parametrize(("is_generated", "outcome"), [(False, Outcome.ERROR), (True, Outcome.INCONCLUSIVE)])
def test_a_test_without_a_judgement_is_an_error_and_a_generated_one_inconclusive(
    *, is_generated: bool, outcome: Outcome
) -> None:
    recorder = Recorder()
    call = pytest.CallInfo.from_call(lambda: None, "call")
    record_test_end(recorder, "test_it", ("BUS-CAN-01",), call, is_generated=is_generated)
    assert [verdict.outcome for verdict in recorder.verdicts] == [outcome]


def test_an_error_of_the_suite_has_its_place_and_its_trace_wherever_it_is_shown(tmp_path: Path) -> None:
    words = ("--only", "PAY-IDEM-09", "-p", "tests.support.altered_run")
    done = run_suite(tmp_path, *words, SUITE_FAULTS="test_another_key")
    error = next(entry for entry in read(tmp_path).entries if entry.id == "PAY-IDEM-09").error
    assert done.exit == 3
    assert error is not None
    assert error.place.startswith("tests/support/altered_run.py:")
    assert error
    assert error.trace.splitlines()[-1] == "KeyError: 'a fault of the suite'"
    for text in (done.output, (tmp_path / "index.html").read_text("utf-8")):
        assert error.place in text
        assert 'raise KeyError("a fault of the suite")' in unescape(text)
