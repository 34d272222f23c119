"""From judgements to one verdict per requirement, and from verdicts to the exit status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from pix_conformance.checks.passive import MatchesDescription
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import load
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import (
    Api,
    Capability,
    Judgement,
    Level,
    Observation,
    Outcome,
    Requirement,
    Verdict,
)
from pix_conformance.results.curl import curl
from pix_conformance.results.exit_status import NO_TEST, NOT_SELECTED, VARIABLE, Result, WholeRun
from pix_conformance.results.passive_findings import Seen
from pix_conformance.results.requirement_outcome import Breach, decide, of_judgement, of_traffic
from pix_conformance.results.run_record import RunRecord
from pix_conformance.results.waivers import Waiver

INTERRUPTED = "not reached: the run was interrupted"
NOT_REACHED = "not reached: the test ended on another requirement before it"


@dataclass(frozen=True)
class Selection:
    """Which tests name which requirement, in all and after -k, --only and --api; and what the target offers."""

    collected: Mapping[str, set[str]] = field(default_factory=dict)
    selected: Mapping[str, set[str]] = field(default_factory=dict)
    offered: frozenset[Capability] = frozenset(Capability)
    whole: bool = True
    """Whether all suites were collected, not only some files of them."""
    reached: AbstractSet[str] | None = None
    """The tests that ended before the run was interrupted; None if it was not."""

    @property
    def partial(self) -> bool:
        """Whether some requirement lost a test."""
        return not self.whole or any(self.selected.get(one, set()) != tests for one, tests in self.collected.items())

    def of(self, apis: Iterable[Api]) -> Selection:
        """Leave out the requirements of other APIs: a target that offers one API alone is tested wholly."""
        collected = {one: tests for one, tests in self.collected.items() if load()[one].api in apis}
        return replace(self, collected=collected)

    def unreached(self, requirement: str) -> str | None:
        """Say that the run was interrupted before tests of a requirement ended, and which share of them."""
        tests = self.selected.get(requirement, set())
        if self.reached is None or not (missed := len(tests - self.reached)):
            return None
        return INTERRUPTED if missed == len(tests) else f"{INTERRUPTED} before {missed} of its {len(tests)} tests"


@dataclass(frozen=True)
class RequirementResult:
    """One requirement of the results, with all that stands behind its outcome."""

    requirement: Requirement
    outcome: Outcome
    reason: str
    not_asked: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    observations: tuple[Observation, ...] = ()
    explanation: tuple[Verdict, ...] = ()
    """The verdicts that no recorded exchange can show again: of tests without evidence, and of all messages."""


def results_of(
    ledger: RunRecord, target: Target, selection: Selection, waivers: Mapping[str, Waiver]
) -> list[RequirementResult]:
    """Give every requirement of both documents its row, in the order of the documents."""
    return [_waived(result_of(one, ledger, target, selection), waivers.get(one.id)) for one in load().values()]


def result_of(requirement: Requirement, ledger: RunRecord, target: Target, selection: Selection) -> RequirementResult:
    """Give a requirement its row: from judgements and verdicts of tests, and from the messages of the run."""
    if why := _left_out(requirement, ledger, target, selection):
        return RequirementResult(requirement, Outcome.NOT_APPLICABLE, why)
    if why := ledger.unusable.get(requirement.api):
        return RequirementResult(requirement, Outcome.INCONCLUSIVE, why)
    judgements = tuple(one for one in ledger.judgements if one.requirement == requirement.id)
    observations = tuple(one for one in ledger.observations if one.requirement == requirement.id)
    seen, broken = _passive(requirement, ledger, target)
    verdicts = [*_of_tests(requirement, judgements, ledger), *seen]
    if observations and requirement.level is Level.OPEN:
        verdicts += [Verdict(requirement.id, Outcome.OBSERVED, observations[0].words, None, observations[0].evidence)]
    if not verdicts and requirement.passive and (lacking := sorted(requirement.needs - selection.offered)):
        return RequirementResult(requirement, Outcome.NOT_APPLICABLE, f"needs {', '.join(lacking)}")
    if not verdicts and requirement.passive and selection.reached is None and _may_be_absent(requirement, ledger):
        return RequirementResult(
            requirement, Outcome.NOT_APPLICABLE, "no answer of this target carries the field, and none has to"
        )
    decision = decide(verdicts)
    return RequirementResult(
        requirement=requirement,
        outcome=decision.outcome,
        reason=decision.reason or _without_reason(requirement, verdicts, selection),
        not_asked=_not_asked(requirement, verdicts, selection),
        tests=tuple(dict.fromkeys(one.test for one in verdicts if one.test)),
        evidence=decision.evidence,
        judgements=(*judgements, *broken),
        observations=observations,
        explanation=tuple(one for one in verdicts if one.test is None or not one.evidence),
    )


def _not_asked(requirement: Requirement, verdicts: list[Verdict], selection: Selection) -> tuple[str, ...]:
    """List what kept a part of the tests from asking, where the others did ask."""
    reasons = [one.reason for one in verdicts if one.outcome is Outcome.NOT_APPLICABLE]
    if len(reasons) == len(verdicts):
        return ()
    unreached = selection.unreached(requirement.id)
    return tuple(dict.fromkeys([*reasons, *([unreached] if unreached else [])]))


def _may_be_absent(requirement: Requirement, ledger: RunRecord) -> bool:
    """Whether the operation worked, and the field that was not seen is one that its answers may lack."""
    worked = ledger.succeeded.get(f"{requirement.api}.{requirement.operation}")
    return bool(worked) and requirement.id in openapi.optional(requirement.api)


def _without_reason(requirement: Requirement, verdicts: list[Verdict], selection: Selection) -> str:
    """Say why a requirement has no verdict; one that has verdicts without a reason, such as a pass, needs none."""
    if verdicts:
        return ""
    if selection.reached is not None:
        return selection.unreached(requirement.id) or INTERRUPTED
    return "no response or webhook in this run contained what it is about" if requirement.passive else NO_TEST


def _left_out(requirement: Requirement, ledger: RunRecord, target: Target, selection: Selection) -> str | None:
    if target.only and requirement.id not in target.only:
        return NOT_SELECTED
    if requirement.unobservable and requirement.id not in ledger.passive.seen:
        return f"unobservable: {requirement.unobservable}"
    if requirement.api not in target.apis:
        return f"{NOT_SELECTED}: --api" if target.api_chosen else f"{VARIABLE[requirement.api]} is not set"
    lost = not selection.selected.get(requirement.id) and (requirement.id in selection.collected or not selection.whole)
    return NOT_SELECTED if lost and selection.partial and requirement.id not in ledger.passive.seen else None


def _of_tests(requirement: Requirement, judgements: tuple[Judgement, ...], ledger: RunRecord) -> Iterator[Verdict]:
    entered = [one for one in ledger.verdicts if one.requirement == requirement.id]
    yield from (one for one in entered if one.reason != NOT_REACHED)
    for one in judgements:
        weighed = of_judgement(requirement.level, one.mismatches, one.control, ledger.succeeded)
        yield Verdict(requirement.id, *weighed, one.test, (one.evidence,))
    if not judgements:
        yield from (one for one in entered if one.reason == NOT_REACHED)


def _passive(requirement: Requirement, ledger: RunRecord, target: Target) -> tuple[list[Verdict], list[Judgement]]:
    """Say what all answers and deliveries showed of a requirement, and judge those that broke it."""
    seen: Seen | None = ledger.passive.seen.get(requirement.id)
    if seen is None:
        return list(_without_events(requirement, ledger)), []
    if requirement.level is Level.OPEN:
        return [], []
    breaches = [_breach(*one, ledger) for one in seen.broken]
    subjects = [subject for _, _, subject in seen.broken]
    broken = [_judgement(requirement, *one, ledger, target) for one in zip(breaches, subjects, strict=True)]
    return of_traffic(requirement, seen.met, breaches, ledger.succeeded), broken


def _breach(operation: str, problem: str, subject: Exchange | Delivery, ledger: RunRecord) -> Breach:
    test = subject.test if isinstance(subject, Exchange) else None
    return Breach(operation, ledger.redact(problem), subject.evidence, test)


def _judgement(
    requirement: Requirement, breach: Breach, subject: Exchange | Delivery, ledger: RunRecord, target: Target
) -> Judgement:
    if not isinstance(subject, Exchange):
        return Judgement(requirement.id, None, breach.evidence, (), (breach.reason,))
    matcher = MatchesDescription(requirement.id, *breach.operation.split(".", 1)).to_dict()
    line = curl(subject, target.base_url, ledger.redact)
    return Judgement(requirement.id, breach.test, breach.evidence, (matcher,), (breach.reason,), None, line)


def _without_events(requirement: Requirement, ledger: RunRecord) -> Iterator[Verdict]:
    """Give a requirement that only events show the reason why the run could receive none."""
    of_deliveries = requirement.needs & {Capability.RECEIVER, Capability.BUSINESS_RECEIVER}
    if requirement.passive and of_deliveries and requirement.api in ledger.events_unavailable:
        yield replace(ledger.events_unavailable[requirement.api], requirement=requirement.id)


def _waived(row: RequirementResult, waiver: Waiver | None) -> RequirementResult:
    if waiver is None or row.outcome not in {Outcome.FAIL, Outcome.WARN}:
        return row
    failures = ["; ".join(one.mismatches) for one in row.judgements if one.mismatches] or [row.reason]
    if not all(map(waiver.covers, failures)):
        return row
    return replace(row, outcome=Outcome.WAIVED, reason=f"waived ({waiver.ticket}): {waiver.reason}")


def stale(rows: list[RequirementResult], waivers: Mapping[str, Waiver]) -> list[str]:
    """List waivers whose failure is gone; none is stale where the question could not be asked."""
    gone = {Outcome.PASS, Outcome.WARN, Outcome.FAIL, Outcome.OBSERVED}
    return [row.requirement.id for row in rows if row.requirement.id in waivers and row.outcome in gone]


def failed_gate(
    rows: list[RequirementResult], waivers: Mapping[str, Waiver], missing: Iterable[Capability]
) -> list[str]:
    """Say why the run fails though no requirement does: waivers without their failure, missing capabilities."""
    outcomes = {row.requirement.id: row.outcome for row in rows}
    gone = stale(rows, waivers)
    failing = {Outcome.FAIL, Outcome.WARN}
    return [
        *(f"the waiver of {one} is no longer needed" for one in gone if outcomes[one] not in failing),
        *(f"{one} fails in another way than its waiver says" for one in gone if outcomes[one] in failing),
        *(f"the required capability {one} is missing" for one in sorted(missing)),
    ]


def whole_run(rows: list[RequirementResult], target: Target, gate: list[str], *, partial: bool) -> WholeRun:
    """Put the results together, for the exit status and the headline."""
    name = "the embedded reference" if target.embedded else target.name
    results = [Result(row.requirement.api, row.requirement.level, row.outcome, row.reason) for row in rows]
    return WholeRun(name, results, target.level, target.apis, target.api_chosen, partial, tuple(gate))
