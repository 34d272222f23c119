"""The evidence of one requirement as a bundle has it, and the fields of a row that a result decides."""

from __future__ import annotations

from typing import Any

from pix_conformance.model.vocabulary import Outcome, Verdict
from pix_conformance.recording.bundle.values import Entry
from pix_conformance.verdicts.judge import RequirementResult


def lasting_verdicts(entry: Entry) -> list[Verdict]:
    """Return the verdicts that neither a recorded exchange, a judgement nor an observation of the row shows."""
    judged = {judgement.evidence for judgement in entry.judgements if judgement.test is None}
    return [
        verdict
        for verdict in entry.verdicts
        if verdict.outcome is not Outcome.OBSERVED
        and not any(message.startswith("exchange") or message in judged for message in verdict.evidence)
    ]


def judged_fields(result: RequirementResult) -> dict[str, Any]:
    """Return the fields of a row of the bundle that its result decides."""
    return {
        "outcome": result.outcome,
        "reason": result.reason,
        "why": result.why,
        "not_asked": result.not_asked,
        "tests": result.tests,
        "evidence": result.evidence,
        "judgements": result.judgements,
        "observations": result.observations,
        "verdicts": result.explanation,
    }
