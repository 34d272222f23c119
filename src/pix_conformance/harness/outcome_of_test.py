"""How the end of a test becomes verdicts."""

from __future__ import annotations

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable, RequirementFailed, RequirementWarned
from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Level, Outcome, Verdict
from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.verdicts import NOT_REACHED


def record_test_end(ledger: RunRecord, test: str, ids: tuple[str, ...], call: pytest.CallInfo[None]) -> None:
    """Enter the verdicts of one phase of a test that its judgements do not already tell."""
    raised = call.excinfo.value if call.excinfo else None
    if raised is None:
        if call.when == "call":
            _silent(ledger, test, ids)
        return
    outcome, reason = _meaning(raised)
    for one in ids:
        if outcome is not None:
            ledger.verdicts.append(Verdict(one, outcome, ledger.redact(reason), test))
        elif not _asked(ledger, test, one):
            ledger.verdicts.append(Verdict(one, Outcome.INCONCLUSIVE, NOT_REACHED, test))


def _meaning(raised: BaseException) -> tuple[Outcome | None, str]:
    """Return the outcome that an exception stands for; None where the judgements tell."""
    text = str(raised).splitlines()[0][:500] if str(raised) else type(raised).__name__
    if isinstance(raised, FlakyFailure):  # what came once came, though it did not come again
        return _meaning(raised.exceptions[0])
    if isinstance(raised, RequirementFailed | RequirementWarned):
        return None, ""
    if isinstance(raised, NotApplicable):
        return Outcome.NOT_APPLICABLE, text
    if isinstance(raised, Inconclusive | pytest.skip.Exception):
        return Outcome.INCONCLUSIVE, text
    return Outcome.ERROR, f"the suite erred: {type(raised).__name__}: {text}"


def _asked(ledger: RunRecord, test: str, requirement: str) -> bool:
    judged = any(one.test == test and one.requirement == requirement for one in ledger.judgements)
    return judged or any(one.requirement == requirement for one in ledger.observations)


def _silent(ledger: RunRecord, test: str, ids: tuple[str, ...]) -> None:
    """A test that passed without asking its question is our error."""
    for one in ids:
        if not _asked(ledger, test, one):
            what = "observed" if load()[one].level is Level.OPEN else "asked"
            ledger.verdicts.append(Verdict(one, Outcome.ERROR, f"the suite erred: nothing was {what}", test))
