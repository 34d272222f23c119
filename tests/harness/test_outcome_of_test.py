"""The outcome of requirements after an exception in their test."""

from __future__ import annotations

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable, RequirementFailed
from pix_conformance.harness.outcome_of_test import record_test_end
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.results.run_record import RunRecord


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

    ledger = RunRecord()
    record_test_end(ledger, "test_it", ("BUS-CAN-01",), pytest.CallInfo.from_call(end, "call"))
    assert [one.outcome for one in ledger.verdicts] == [outcome]
