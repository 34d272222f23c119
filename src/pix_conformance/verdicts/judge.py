"""The verdict on every requirement, from the evidence of a whole run or of a bundle that is read again."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pix_conformance.model import editions
from pix_conformance.model.vocabulary import Judgement, Level, Observation, Outcome, Requirement, Verdict, merge
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle.values import Entry

LONGEST_REASON = 2_000
MOST_EVIDENCE = 20
DECIDED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.WARN, Outcome.OBSERVED})


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome, with the reasons and the evidence of the verdicts that have it."""

    outcome: Outcome
    why: Why | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a recording has of one requirement."""

    requirement: Requirement
    settled: Decision | None = None
    """What counts before all evidence: it is not selected, a setting is missing, its API cannot be used."""
    verdicts: Sequence[Verdict] = ()
    """Of tests that ended without a judgement, and of deliveries."""
    judgements: Sequence[Judgement] = ()
    met: Mapping[str, str] = field(default_factory=dict)
    """`api.operation` to the evidence of a message of it that meets the requirement."""
    observations: Sequence[Observation] = ()
    unseen: Decision
    """What counts where there is no evidence; it is not read beside a judgement."""
    not_asked: Sequence[str] = ()
    """What kept a part of its tests from asking, beside the reasons of the verdicts."""
    judged_on: tuple[str, ...] = ()
    """The operations and events whose messages showed it, as `api.operation`."""


@dataclass(frozen=True)
class Recording:
    """What is judged: the evidence of each requirement, and the operations that worked, as `api.operation`."""

    evidence: Sequence[Evidence]
    succeeded: Container[str]
    not_built: Mapping[str, str] = field(default_factory=dict)
    """By operation that cannot work because a route is not built, what that leaves unasked."""


@dataclass(frozen=True)
class RequirementResult:
    """One requirement of the results, with all that stands behind its outcome."""

    requirement: Requirement
    outcome: Outcome
    reason: str
    why: Why | None = None
    not_asked: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    observations: tuple[Observation, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    """The verdicts that no recorded exchange can show again: of tests without evidence, and of all messages."""
    judged_on: tuple[str, ...] = ()
    """The operations and events whose messages showed it, as `api.operation`."""


class Excuse(Protocol):
    """Why a requirement that is not met does not count: a waiver, a baseline, or that it is newer than an edition."""

    def covers(self, outcome: Outcome, problem: str) -> bool:
        """Whether it is about this problem."""

    def said(self, reason: str) -> str:
        """Return the reason of the verdict that is excused, from the reason that it had."""


@dataclass(frozen=True)
class Newer:
    """Excuses all that a requirement shows which is newer than an edition; one that passes is marked as newer too."""

    edition: str

    def covers(self, _outcome: Outcome, _problem: str) -> bool:
        """Whether it is about this problem: about any."""
        return True

    def said(self, reason: str) -> str:
        """Return the reason of the verdict that is excused."""
        return f"newer than edition {self.edition}: {reason}"


def newer_than(edition: str) -> dict[str, Excuse]:
    """Return what excuses each requirement that an edition does not ask."""
    return dict.fromkeys(editions.newer_than(edition), Newer(edition))


def judge(recording: Recording, excuses: Mapping[str, Excuse]) -> list[RequirementResult]:
    """Give every requirement of a recording its result; what an excuse covers is waived.

    `verdicts.evidence` gathers the evidence of a run, `session.bundle_of_run` writes the results into its bundle.
    """
    results = (_result(evidence, recording) for evidence in recording.evidence)
    return [_excused(result, excuses.get(result.requirement.id)) for result in results]


def unmet(level: Level) -> Outcome:
    """Return the outcome of a requirement of this level that is not met."""
    return Outcome.FAIL if level is Level.MUST else Outcome.WARN


def _result(evidence: Evidence, recording: Recording) -> RequirementResult:
    if settled := evidence.settled:
        requirement, outcome = evidence.requirement, settled.outcome
        return RequirementResult(requirement, outcome, settled.reason, settled.why, judged_on=evidence.judged_on)
    verdicts = _inconclusive_if_no_verdict_decides(_verdicts(evidence, recording))
    decision = _merged(verdicts) if verdicts else evidence.unseen
    return RequirementResult(
        requirement=evidence.requirement,
        outcome=decision.outcome,
        reason=decision.reason,
        why=decision.why,
        not_asked=_not_asked(evidence, verdicts),
        tests=tuple(dict.fromkeys(verdict.test for verdict in verdicts if verdict.test)),
        evidence=decision.evidence,
        judgements=tuple(evidence.judgements),
        observations=tuple(evidence.observations),
        verdicts=tuple(verdict for verdict in verdicts if verdict.test is None or not verdict.evidence),
        judged_on=evidence.judged_on,
    )


def _verdicts(evidence: Evidence, recording: Recording) -> list[Verdict]:
    """Return what each piece of the evidence says."""
    name, level = evidence.requirement.id, evidence.requirement.level
    judged = [_of_judgement(level, judgement, recording) for judgement in evidence.judgements]
    verdicts = [*evidence.verdicts, *judged]
    for operation, message in evidence.met.items():
        decision = Decision(Outcome.PASS) if operation in recording.succeeded else _without(operation, recording)
        verdicts.append(Verdict(name, decision.outcome, decision.reason, None, (message,), why=decision.why))
    if evidence.observations and level is Level.OPEN:
        first = evidence.observations[0]
        verdicts.append(Verdict(name, Outcome.OBSERVED, first.words, None, first.evidence))
    return verdicts


def _of_judgement(level: Level, judgement: Judgement, recording: Recording) -> Verdict:
    """Weigh one judgement: it counts only if its precondition, an `api.operation`, succeeded in the run."""
    problems = "; ".join(judgement.mismatches)
    decision = Decision(unmet(level), reason=problems) if problems else Decision(Outcome.PASS)
    if judgement.control is not None and judgement.control not in recording.succeeded:
        decision = _without(judgement.control, recording)
    message = (judgement.evidence,)
    return Verdict(judgement.requirement, decision.outcome, decision.reason, judgement.test, message, why=decision.why)


def _without(operation: str, recording: Recording) -> Decision:
    if operation in recording.not_built:
        return Decision(Outcome.INCONCLUSIVE, Why.NOT_BUILT, recording.not_built[operation])
    return Decision(Outcome.INCONCLUSIVE, Why.PRECONDITION, f"not tested: {operation} never succeeded in this run")


def _inconclusive_if_no_verdict_decides(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts; of a missing route, not applicable becomes inconclusive if no other verdict decides."""
    is_decided = any(verdict.outcome in DECIDED for verdict in verdicts)
    leave = [verdict.why is Why.NOT_BUILT and verdict.outcome is Outcome.NOT_APPLICABLE for verdict in verdicts]
    return [
        replace(verdict, outcome=Outcome.INCONCLUSIVE) if leaves_it and not is_decided else verdict
        for verdict, leaves_it in zip(verdicts, leave, strict=True)
    ]


def _merged(verdicts: Sequence[Verdict]) -> Decision:
    outcome = merge(verdict.outcome for verdict in verdicts)
    deciding = [verdict for verdict in verdicts if verdict.outcome is outcome]
    reasons = dict.fromkeys(verdict.reason for verdict in deciding if verdict.reason)
    messages = dict.fromkeys(message for verdict in deciding for message in verdict.evidence)
    why = next((verdict.why for verdict in deciding if verdict.reason), None)
    return Decision(outcome, why, "; ".join(reasons)[:LONGEST_REASON], tuple(messages)[:MOST_EVIDENCE])


def _not_asked(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """List what kept a part of the tests from asking, where the others did ask."""
    silent = [verdict for verdict in verdicts if verdict.outcome is Outcome.NOT_APPLICABLE]
    if len(silent) == len(verdicts):
        return ()
    return tuple(dict.fromkeys([*(verdict.reason for verdict in silent), *evidence.not_asked]))


def _excused(result: RequirementResult, excuse: Excuse | None) -> RequirementResult:
    why = Why.NEWER if isinstance(excuse, Newer) else None
    if why and result.outcome is Outcome.PASS:
        return replace(result, why=why)
    if excuse is None or result.outcome not in {Outcome.FAIL, Outcome.WARN, Outcome.INCONCLUSIVE}:
        return result
    problems = ["; ".join(judgement.mismatches) for judgement in result.judgements if judgement.mismatches]
    if not all(excuse.covers(result.outcome, problem) for problem in problems or [result.reason]):
        return result
    return replace(result, outcome=Outcome.WAIVED, reason=excuse.said(result.reason), why=why)


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
        "verdicts": result.verdicts,
        "judged_on": result.judged_on,
    }
