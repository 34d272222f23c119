"""The verdicts that follow from how a test ended: by an exception, or without any judgement."""

from __future__ import annotations

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable, RequirementFailed, RequirementWarned
from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Level, Outcome, Verdict
from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.verdicts import NOT_REACHED


def record_test_end(ledger: RunRecord, test: str, ids: tuple[str, ...], call: pytest.CallInfo[None]) -> None:
    """Add verdicts for one phase of a test, unless its judgements already give them."""
    raised = call.excinfo.value if call.excinfo else None
    if raised is None:
        if call.when == "call":
            _record_unjudged(ledger, test, ids)
        return
    outcome, reason = _meaning(raised)
    for one in ids:
        if outcome is not None:
            ledger.verdicts.append(Verdict(one, outcome, ledger.redact(reason), test))
        elif not _is_judged(ledger, test, one):
            ledger.verdicts.append(Verdict(one, Outcome.INCONCLUSIVE, NOT_REACHED, test))


def _meaning(raised: BaseException) -> tuple[Outcome | None, str]:
    """Return outcome and reason of an exception. Outcome None: the judgements of the test give the verdict."""
    text = str(raised).splitlines()[0][:500] if str(raised) else type(raised).__name__
    if isinstance(raised, FlakyFailure):  # a failure of one run of a flaky test counts
        return _meaning(raised.exceptions[0])
    if isinstance(raised, RequirementFailed | RequirementWarned):
        return None, ""
    if isinstance(raised, NotApplicable):
        return Outcome.NOT_APPLICABLE, text
    if isinstance(raised, Inconclusive | pytest.skip.Exception):
        return Outcome.INCONCLUSIVE, text
    return Outcome.ERROR, f"error of the suite: {type(raised).__name__}: {text}"


def _is_judged(ledger: RunRecord, test: str, requirement: str) -> bool:
    latest_first = reversed(ledger.judgements)
    judged = any(one.test == test and one.requirement == requirement for one in latest_first)
    return judged or any(one.requirement == requirement for one in ledger.observations)


def _record_unjudged(ledger: RunRecord, test: str, ids: tuple[str, ...]) -> None:
    """Add an error for each requirement that a passing test neither judged nor observed."""
    for one in ids:
        if not _is_judged(ledger, test, one):
            what = "observed" if load()[one].level is Level.OPEN else "judged"
            ledger.verdicts.append(Verdict(one, Outcome.ERROR, f"error of the suite: nothing was {what}", test))
