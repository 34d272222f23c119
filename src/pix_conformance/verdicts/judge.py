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
from pix_conformance.model.profile import PROFILES, RECEIVERS
from pix_conformance.model.shard import Shard
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import (
    Api,
    Capability,
    Judgement,
    Level,
    Observation,
    Outcome,
    Requirement,
    Role,
    Verdict,
)
from pix_conformance.model.why import Why
from pix_conformance.recording.curl import curl
from pix_conformance.recording.findings import Seen
from pix_conformance.recording.recorder import Recorder
from pix_conformance.verdicts.exit_status import Result, WholeRun
from pix_conformance.verdicts.requirement_outcome import Breach, Decision, Evidence, decide, of_traffic
from pix_conformance.verdicts.waivers import Waiver

Reason = tuple[Why, str]
"""Why a requirement has no verdict, and the sentence that says it."""
INTERRUPTED = "not reached: the run was interrupted"
UNSEEN = "no response or webhook in this run contained what it is about"
NOT_SELECTED = Why.NOT_SELECTED, "not selected"
NOT_SHOWN = Why.NOT_SELECTED, "not selected: no message of the selected tests shows it"


@dataclass(frozen=True)
class Selection:
    """Which tests name which requirement, in all and after -k, --only and --api; and what the target offers."""

    collected: Mapping[str, set[str]] = field(default_factory=dict)
    selected: Mapping[str, set[str]] = field(default_factory=dict)
    offered: frozenset[Capability] = frozenset(Capability)
    whole: bool = True
    """Whether all suites were collected, not only some files of them."""
    left_out_by: str = ""
    """The option that left tests out which were not chosen by name, such as `--quick`; empty without one."""
    reached: AbstractSet[str] | None = None
    """The tests that ended before the run was interrupted; None if it was not."""
    shard: Shard | None = None
    unsharded: Mapping[str, set[str]] = field(default_factory=dict)
    """The tests that name each requirement in all shards together; empty if the run has no shards."""

    @property
    def partial(self) -> bool:
        """Whether some requirement lost a test."""
        return self.shard is not None or self.narrowed

    @property
    def narrowed(self) -> bool:
        """Whether some requirement lost a test that no other shard runs."""
        left = self.selected if self.shard is None else self.unsharded
        return not self.whole or any(left.get(one, set()) != tests for one, tests in self.collected.items())

    def divided(self, shard: Shard | None, unsharded: Mapping[str, set[str]]) -> Selection:
        """Return the same selection as that of a shard."""
        return replace(self, shard=shard, unsharded=unsharded)

    def decided(self, waivers: Mapping[str, Waiver]) -> dict[str, Waiver]:
        """Leave out the waivers of requirements that another shard asks too: the failure may be there."""
        asked_elsewhere = {one for one, tests in self.unsharded.items() if tests != self.selected.get(one)}
        return {name: one for name, one in waivers.items() if name not in asked_elsewhere}

    def of(self, apis: Iterable[Api]) -> Selection:
        """Leave out the requirements of other APIs: a target that offers one API alone is tested wholly."""
        collected = {one: tests for one, tests in self.collected.items() if load()[one].api in apis}
        return replace(self, collected=collected)

    @property
    def unselected(self) -> Reason:
        """Why a requirement without a selected test has no verdict."""
        return (Why.LEFT_OUT, f"not selected: {self.left_out_by}") if self.left_out_by else NOT_SELECTED

    def left_out(self, requirement: str) -> str | None:
        """Say that an option left out tests of a requirement, and how many of them."""
        every, selected = self.collected.get(requirement, set()), self.selected.get(requirement, set())
        if not self.left_out_by or every <= selected:
            return None
        return f"{self.unselected[1]} left out {len(every - selected)} of its {len(every)} tests"

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
    why: Why | None = None
    not_asked: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    observations: tuple[Observation, ...] = ()
    explanation: tuple[Verdict, ...] = ()
    """The verdicts that no recorded exchange can show again: of tests without evidence, and of all messages."""

    @property
    def is_unobservable(self) -> bool:
        """Whether no test from outside can decide it, and no message of the run did."""
        return bool(self.requirement.unobservable) and self.outcome is Outcome.NOT_APPLICABLE


def results_of(
    recorder: Recorder, target: Target, selection: Selection, waivers: Mapping[str, Waiver]
) -> list[RequirementResult]:
    """Give every requirement of both documents its row, in the order of the documents."""
    return [_waived(result_of(one, recorder, target, selection), waivers.get(one.id)) for one in load().values()]


def result_of(requirement: Requirement, recorder: Recorder, target: Target, selection: Selection) -> RequirementResult:
    """Give a requirement its row: from judgements and verdicts of tests, and from the messages of the run."""
    if reason := _left_out(requirement, recorder, target, selection):
        return RequirementResult(requirement, Outcome.NOT_APPLICABLE, reason[1], reason[0])
    if unusable := recorder.unusable.get(requirement.api):
        return RequirementResult(requirement, Outcome.INCONCLUSIVE, unusable, Why.UNUSABLE)
    judgements = tuple(one for one in recorder.judgements if one.requirement == requirement.id)
    observations = tuple(one for one in recorder.observations if one.requirement == requirement.id)
    seen, broken = _passive(requirement, recorder, target)
    verdicts = Evidence(
        requirement=requirement.id,
        level=requirement.level,
        of_tests=[one for one in recorder.verdicts if one.requirement == requirement.id],
        judgements=judgements,
        traffic=seen,
        observations=observations,
    ).weighed(recorder.succeeded)
    if not verdicts and requirement.passive and (reason := _not_seen(requirement, recorder, selection)):
        return RequirementResult(requirement, Outcome.NOT_APPLICABLE, reason[1], reason[0])
    decision = decide(verdicts) if verdicts else _without_verdict(requirement, selection)
    return RequirementResult(
        requirement=requirement,
        outcome=decision.outcome,
        reason=decision.reason,
        why=decision.why,
        not_asked=_not_asked(requirement, verdicts, selection),
        tests=tuple(dict.fromkeys(one.test for one in verdicts if one.test)),
        evidence=decision.evidence,
        judgements=(*judgements, *broken),
        observations=observations,
        explanation=tuple(one for one in verdicts if one.test is None or not one.evidence),
    )


def _not_asked(requirement: Requirement, verdicts: list[Verdict], selection: Selection) -> tuple[str, ...]:
    """List what kept a part of the tests from asking, where the others did ask."""
    silent = [one for one in verdicts if one.outcome is Outcome.NOT_APPLICABLE]
    if len(silent) == len(verdicts):
        return ()
    reasons = [one.reason for one in silent if one.why is not Why.OTHER_WORKER]
    missed = (selection.unreached(requirement.id), selection.left_out(requirement.id))
    return tuple(dict.fromkeys([*reasons, *(one for one in missed if one)]))


def _not_seen(requirement: Requirement, recorder: Recorder, selection: Selection) -> Reason | None:
    """Say why no message had to show a requirement; None if one should have."""
    if selection.shard is not None:
        return Why.OTHER_WORKER, "not selected: no message of this worker shows it"
    succeeded = {name for name, count in recorder.succeeded.items() if count}
    return need_not_be_seen(requirement, selection.offered, succeeded, interrupted=selection.reached is not None)


def need_not_be_seen(
    requirement: Requirement, offered: AbstractSet[str], succeeded: AbstractSet[str], *, interrupted: bool
) -> Reason | None:
    """Say why no message of a whole run had to show a requirement; None if one should have.

    `offered` are the capabilities of the target, `succeeded` the operations that worked, as `api.operation`.
    """
    if lacking := sorted(requirement.needs - offered):
        return Why.CAPABILITY, f"needs {', '.join(lacking)}"
    worked = f"{requirement.api}.{requirement.operation}" in succeeded
    if worked and not interrupted and requirement.id in openapi.optional(requirement.api):
        return Why.NOT_SHOWN, "no answer of this target carries the field, and none has to"
    return None


def _without_verdict(requirement: Requirement, selection: Selection) -> Decision:
    """Say why nothing was found of a requirement."""
    reason = (Why.UNSEEN, UNSEEN) if requirement.passive else (Why.NO_TEST, "no test yet")
    if selection.reached is not None:
        reason = Why.INTERRUPTED, selection.unreached(requirement.id) or INTERRUPTED
    return Decision(Outcome.INCONCLUSIVE, reason[1], (), reason[0])


def _left_out(requirement: Requirement, recorder: Recorder, target: Target, selection: Selection) -> Reason | None:
    if target.only and requirement.id not in target.only:
        return NOT_SELECTED
    if requirement.unobservable and requirement.id not in recorder.passive.seen:
        left = not target.only and selection.narrowed
        return NOT_SELECTED if left else (Why.UNOBSERVABLE, f"unobservable: {requirement.unobservable}")
    if requirement.api not in target.apis:
        variable = PROFILES[requirement.api].variables(Role.MERCHANT)[0]
        chosen = Why.NOT_SELECTED, "not selected: --api"
        return chosen if target.api_chosen else (Why.NOT_SET, f"{variable} is not set")
    if selection.selected.get(requirement.id) or requirement.id in recorder.passive.seen or not selection.partial:
        return None
    if selection.whole and requirement.id not in selection.collected:
        asked_for = requirement.id in target.only or not selection.narrowed
        return None if asked_for or next(_without_events(requirement, recorder), None) else NOT_SHOWN
    elsewhere = Why.OTHER_WORKER, "not selected: another worker asks it"
    return elsewhere if requirement.id in selection.unsharded else selection.unselected


def _passive(requirement: Requirement, recorder: Recorder, target: Target) -> tuple[list[Verdict], list[Judgement]]:
    """Say what all answers and deliveries showed of a requirement, and judge those that broke it."""
    seen: Seen | None = recorder.passive.seen.get(requirement.id)
    if seen is None:
        return list(_without_events(requirement, recorder)), []
    if requirement.level is Level.OPEN:
        return [], []
    breaches = [_breach(*one, recorder) for one in seen.broken]
    subjects = [subject for _, _, subject in seen.broken]
    broken = [_judgement(requirement, *one, recorder, target) for one in zip(breaches, subjects, strict=True)]
    return of_traffic(requirement, seen.met, breaches, recorder.succeeded), broken


def _breach(operation: str, problem: str, subject: Exchange | Delivery, recorder: Recorder) -> Breach:
    test = subject.test if isinstance(subject, Exchange) else None
    return Breach(operation, recorder.redact(problem), subject.evidence, test)


def _judgement(
    requirement: Requirement, breach: Breach, subject: Exchange | Delivery, recorder: Recorder, target: Target
) -> Judgement:
    if not isinstance(subject, Exchange):
        return Judgement(requirement.id, None, breach.evidence, (), (breach.reason,))
    matcher = MatchesDescription(requirement.id, *breach.operation.split(".", 1)).to_dict()
    line = curl(subject, target.base_url, recorder.redact)
    return Judgement(requirement.id, breach.test, breach.evidence, (matcher,), (breach.reason,), None, line)


def _without_events(requirement: Requirement, recorder: Recorder) -> Iterator[Verdict]:
    """Give a requirement that only events show the reason why the run could receive none."""
    of_deliveries = requirement.needs & RECEIVERS
    if requirement.passive and of_deliveries and requirement.api in recorder.events_unavailable:
        yield replace(recorder.events_unavailable[requirement.api], requirement=requirement.id)


def _waived(row: RequirementResult, waiver: Waiver | None) -> RequirementResult:
    if waiver is None or row.outcome not in {Outcome.FAIL, Outcome.WARN}:
        return row
    failures = ["; ".join(one.mismatches) for one in row.judgements if one.mismatches] or [row.reason]
    if not all(map(waiver.covers, failures)):
        return row
    return replace(row, outcome=Outcome.WAIVED, reason=f"waived ({waiver.ticket}): {waiver.reason}", why=None)


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


def whole_run(
    rows: list[RequirementResult], target: Target, gate: list[str], *, partial: bool, left_out_by: str = ""
) -> WholeRun:
    """Put the results together, for the exit status and the headline."""
    name = "the embedded reference" if target.embedded else target.name
    results = [
        Result(row.requirement.api, row.requirement.level, row.outcome, row.reason, row.why, row.is_unobservable)
        for row in rows
    ]
    return WholeRun(name, results, target.level, target.apis, target.api_chosen, partial, tuple(gate), left_out_by)
