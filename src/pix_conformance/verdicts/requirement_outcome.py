"""From what was found of one requirement to its outcome: of a run, of joined workers, of a recording judged again."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pix_conformance.model.vocabulary import Judgement, Level, Observation, Outcome, Requirement, Verdict, merge
from pix_conformance.model.why import Why

LONGEST_REASON = 2_000
MOST_EVIDENCE = 20
PASSED: tuple[Outcome, str, Why | None] = Outcome.PASS, "", None


@dataclass(frozen=True, slots=True)
class Breach:
    """A response or delivery that broke a requirement: `api.operation`, the problem, the evidence and its test."""

    operation: str
    problem: str
    evidence: str
    test: str | None = None

    @property
    def reason(self) -> str:
        """The problem with the name of the operation before it."""
        return f"{self.operation.partition('.')[2]}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of several verdicts, with the reasons and the evidence of those that have this outcome."""

    outcome: Outcome
    reason: str
    evidence: tuple[str, ...]
    why: Why | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a recording has of one requirement."""

    requirement: str
    level: Level
    of_tests: Sequence[Verdict] = ()
    """Of tests that ended without a judgement."""
    judgements: Sequence[Judgement] = ()
    traffic: Sequence[Verdict] = ()
    """Of all messages: `of_traffic`."""
    observations: Sequence[Observation] = ()

    def weighed(self, succeeded: Container[str]) -> list[Verdict]:
        """Return the verdicts that it gives; `succeeded` are the operations that worked in the run.

        That a test ended on another requirement says nothing where a test judged.
        """
        reached = [one for one in self.of_tests if one.why is not Why.NOT_REACHED]
        unreached = [one for one in self.of_tests if one.why is Why.NOT_REACHED]
        judged = [of_judgement(self.level, one, succeeded) for one in self.judgements]
        verdicts = [*reached, *judged, *(unreached if not judged else ()), *self.traffic]
        if self.observations and self.level is Level.OPEN:
            first = self.observations[0]
            verdicts.append(Verdict(self.requirement, Outcome.OBSERVED, first.words, None, first.evidence))
        return verdicts


def decide(verdicts: Sequence[Verdict]) -> Decision:
    """Merge the verdicts of one requirement; without any the outcome is inconclusive."""
    outcome = merge(one.outcome for one in verdicts)
    deciding = [one for one in verdicts if one.outcome is outcome]
    reasons = dict.fromkeys(one.reason for one in deciding if one.reason)
    evidence = dict.fromkeys(name for one in deciding for name in one.evidence)
    why = next((one.why for one in deciding if one.reason), None)
    return Decision(outcome, "; ".join(reasons)[:LONGEST_REASON], tuple(evidence)[:MOST_EVIDENCE], why)


def unmet(level: Level) -> Outcome:
    """Return the outcome of a requirement of this level that is not met."""
    return Outcome.FAIL if level is Level.MUST else Outcome.WARN


def of_judgement(level: Level, judgement: Judgement, succeeded: Container[str]) -> Verdict:
    """Weigh one judgement: it counts only if its precondition, an `api.operation`, succeeded in the run."""
    problems = "; ".join(judgement.mismatches)
    outcome, reason, why = (unmet(level), problems, None) if problems else PASSED
    if judgement.control is not None and judgement.control not in succeeded:
        outcome, reason, why = _without(judgement.control)
    return Verdict(judgement.requirement, outcome, reason, judgement.test, (judgement.evidence,), why=why)


def of_traffic(
    requirement: Requirement, met: Mapping[str, str], broken: Iterable[Breach], succeeded: Container[str]
) -> list[Verdict]:
    """Weigh what all responses and deliveries showed: `met` maps `api.operation` to the evidence that it was met."""
    failed = unmet(requirement.level)
    verdicts = [Verdict(requirement.id, failed, one.reason, one.test, (one.evidence,)) for one in broken]
    for operation, evidence in met.items():
        outcome, reason, why = PASSED if operation in succeeded else _without(operation)
        verdicts.append(Verdict(requirement.id, outcome, reason, None, (evidence,), why=why))
    return verdicts


def _without(operation: str) -> tuple[Outcome, str, Why | None]:
    return Outcome.INCONCLUSIVE, f"not tested: {operation} never succeeded in this run", Why.PRECONDITION
