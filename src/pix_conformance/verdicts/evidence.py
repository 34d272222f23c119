"""The evidence of a run for each requirement, from the facts of all its processes; `verdicts.judge` weighs it.

Who says that a requirement, or a test of it, is not applicable or inconclusive:

- a test: it raises NotApplicable or Inconclusive, by `precondition` or itself; what a matcher cannot know becomes one
  of them in `harness.outcomes.outcome_of`
- the receiver, where no event can come: `harness.webhook_channel`
- what the run was not to ask, or could not: `_Gathered._settled`, before all else
- a route that is not built: `verdicts.not_built.verdict_without`
- a refusal of an operation that never worked: `verdicts.judge`, as `Expected.control` says
- nothing that was seen: `_Gathered._unseen`

`model.vocabulary.merge` makes one outcome of several.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from pix_conformance.checks import passive
from pix_conformance.checks.built_routes import unbuilt_routes
from pix_conformance.checks.passive import broken_description
from pix_conformance.checks.shown_requirements import optional
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.profile import PROFILES, RECEIVERS
from pix_conformance.model.vocabulary import (
    Api,
    Capability,
    Judgement,
    Level,
    Observation,
    Outcome,
    Party,
    Requirement,
    Role,
    Verdict,
)
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import Ended, Facts, Shown
from pix_conformance.recording.recorder import KEPT
from pix_conformance.verdicts.expectations import judgements_of, tests_and_requirements
from pix_conformance.verdicts.judge import Decision, Evidence, Excuse, Recording, RequirementResult, judge
from pix_conformance.verdicts.messages import MessageFinding, findings_of_deliveries, said_of_events
from pix_conformance.verdicts.not_built import not_built, said_of, verdict_without

Reason = tuple[Why, str]
"""Why a requirement has no verdict, and the sentence that says it."""
SAID_INTERRUPTED = "not reached: the run was interrupted"
SAID_NOT_REACHED = "not reached: the test ended on another requirement before it"
NOT_SELECTED = Why.NOT_SELECTED, "not selected"
SAID_UNSEEN = "no response or webhook in this run contained what it is about"
NO_MESSAGE_SHOWS_IT = Why.NOT_SELECTED, "not selected: no message of the selected tests shows it"
SAID_OF_LOST_WORKER = "not selected: its worker left no report"


@dataclass(frozen=True)
class Selection:
    """Which tests name which requirement, in all and after -k, --only and --api; and what the run was to ask."""

    collected: Mapping[str, set[str]] = field(default_factory=dict)
    selected: Mapping[str, set[str]] = field(default_factory=dict)
    only: AbstractSet[str] = frozenset()
    """The requirements of --only; empty without it."""
    apis: Sequence[Api] = tuple(Api)
    api_chosen: bool = False
    """Whether --api chose them."""
    party: Party = Party.SERVICE
    """Whom the run tests."""
    is_whole: bool = True
    """Whether all suites were collected, not only some files of them."""
    left_out_by: str = ""
    """The option that left tests out which were not chosen by name, such as `--quick`; empty without one."""
    is_interrupted: bool = False
    """Whether the run was interrupted, so that tests which have not ended were not reached."""
    lost: AbstractSet[str] = frozenset()
    """The tests of workers that left no report."""

    @property
    def narrowed(self) -> bool:
        """Whether some requirement of an API that is tested lost a test."""
        tested = {name: tests for name, tests in self.collected.items() if catalogue()[name].api in self.apis}
        return not self.is_whole or any(self.selected.get(name, set()) != tests for name, tests in tested.items())

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

    def unreached(self, requirement: str, ended: AbstractSet[str]) -> str | None:
        """Say that the run ended before tests of a requirement did, and which share of them."""
        tests = self.selected.get(requirement, set())
        missed = tests - ended if self.is_interrupted else tests & self.lost - ended
        if not missed:
            return None
        reason = SAID_INTERRUPTED if self.is_interrupted else SAID_OF_LOST_WORKER
        return reason if len(missed) == len(tests) else f"{reason} before {len(missed)} of its {len(tests)} tests"


@dataclass(frozen=True)
class Verdicts:
    """The result of each requirement, and the operations that worked and the events that came, as `api.operation`."""

    results: Sequence[RequirementResult]
    succeeded: AbstractSet[str]


def judge_run(
    facts: Facts, selection: Selection, requirements: Iterable[Requirement], excuses: Mapping[str, Excuse]
) -> Verdicts:
    """Give each of these requirements its result, from the facts of all processes of a run and from nothing else."""
    gathered = _Gathered(facts, selection)
    evidence = [gathered.evidence(requirement) for requirement in requirements]
    recording = Recording(evidence, gathered.succeeded, gathered.absent.unasked)
    return Verdicts(judge(recording, excuses), gathered.succeeded)


class _Gathered:
    """The facts of a run by requirement."""

    def __init__(self, facts: Facts, selection: Selection) -> None:
        """Judge the deliveries, which takes all facts, and sort everything by requirement."""
        self._facts, self._selection = facts, selection
        self._ended = facts.ended_tests
        self._offered = {Capability(name) for fact in facts.concluded for name in fact.capabilities}
        by_delivery = findings_of_deliveries(facts)
        self.succeeded = facts.operations | {finding.shown.operation for finding in by_delivery}
        self._findings: dict[str, list[MessageFinding]] = defaultdict(list)
        routes = unbuilt_routes(facts.exchanges, facts.created)
        self.absent = not_built(routes, facts.exchanges, facts.ended)
        for finding in (*map(MessageFinding, facts.shown), *by_delivery):
            if finding.shown.evidence not in self.absent.evidence:
                self._findings[finding.shown.requirement].append(finding)
        self._judgements = judgements_of(facts)
        self._asked = tests_and_requirements(facts)
        self._ends: dict[str, list[Ended]] = defaultdict(list)
        for end in facts.ended:
            for name in end.requirements:
                self._ends[name].append(end)
        self._observations = _observations(facts)

    def evidence(self, requirement: Requirement) -> Evidence:
        """Return what the run has of one requirement."""
        judged_on = self._judged_on(requirement.id)
        if (route := self.absent.stated_by(requirement)) and not self._not_to_be_asked(requirement):
            failure = self.absent.failure(route)
            return Evidence(requirement=requirement, judgements=[failure], unseen=Decision(Outcome.FAIL))
        if settled := self._settled(requirement):
            return Evidence(requirement=requirement, settled=settled, unseen=settled, judged_on=judged_on)
        name, findings = requirement.id, self._findings.get(requirement.id, [])
        shown = findings if requirement.level is not Level.OPEN else []
        missed = (self._selection.unreached(name, self._ended), self._selection.left_out(name))
        judgements = self._judgements.get(name, ())
        broken = [finding.shown for finding in shown if finding.shown.problem and not finding.unknown][:KEPT]
        verdicts = [*self._verdicts(name), *(_undecided(finding) for finding in shown if finding.unknown)]
        return Evidence(
            requirement=requirement,
            verdicts=[*verdicts, *(() if findings else self._without_events(requirement))],
            judgements=[
                *(row for row in judgements if not self.absent.lacks_route(requirement, row)),
                *map(_broken, broken),
            ],
            met={finding.shown.operation: finding.shown.evidence for finding in shown if not finding.shown.problem},
            observations=self._observed(name),
            unseen=self._unseen(requirement),
            not_asked=[sentence for sentence in missed if sentence],
            judged_on=judged_on,
        )

    def _judged_on(self, requirement: str) -> tuple[str, ...]:
        """Return the operations and events whose messages showed a requirement, as `api.operation`."""
        return tuple(sorted({finding.shown.operation for finding in self._findings.get(requirement, ())}))

    def _verdicts(self, name: str) -> Iterator[Verdict]:
        """Give each test that ended without asking a requirement its verdict."""
        for end in self._ends.get(name, ()):
            if not self._counts(end, name) and (route := self.absent.route_missing_for(end, catalogue()[name])):
                yield verdict_without(route, catalogue()[name], end.test)
            elif end.outcome is None and not self._counts(end, name) and (void := list(self._void(end, name))):
                yield from void
            elif end.outcome is not None:
                reason, why = said_of_events(self._facts, name, end) or (end.reason, end.why)
                yield Verdict(name, end.outcome, reason, end.test, (), end.source_line, end.trace, why)
            elif end.is_failure or (end.test, name) in self._asked or self._observations.get(name):
                continue
            elif end.is_generated:
                words = "no generated request could show it"
                yield Verdict(name, Outcome.INCONCLUSIVE, words, end.test, why=Why.NOT_SHOWN)
            else:
                what = "observed" if catalogue()[name].level is Level.OPEN else "judged"
                reason, place = f"error of the suite: nothing was {what}", end.test.partition("[")[0]
                yield Verdict(name, Outcome.ERROR, reason, end.test, (), place, f"{end.test} ended without it")

    def _void(self, end: Ended, name: str) -> Iterator[Verdict]:
        """Give a test the verdict of a message that it judged, of a route that is not built."""
        requirement, judgements = catalogue()[name], self._judgements.get(name, ())
        own = (row for row in judgements if row.test == end.test and self.absent.lacks_route(requirement, row))
        yield from [self.absent.verdict_without_route(requirement, row) for row in own][:1]

    def _counts(self, end: Ended, name: str) -> bool:
        """Return whether something that a test asked or saw counts: it is about routes that are built."""
        requirement, judgements = catalogue()[name], self._judgements.get(name, ())
        own = (row for row in judgements if row.test == end.test and not self.absent.lacks_route(requirement, row))
        return end.outcome is None and (any(own) or bool(self._observed(name)))

    def _observed(self, name: str) -> list[Observation]:
        """Return what was seen at an open point, of routes that are built."""
        return [row for row in self._observations.get(name, ()) if not self.absent.sent_to_missing_route(row.evidence)]

    def _settled(self, requirement: Requirement) -> Decision | None:
        if reason := self._not_to_be_asked(requirement):
            return Decision(Outcome.NOT_APPLICABLE, *reason)
        if route := self.absent.of_operation(requirement):
            return Decision(Outcome.INCONCLUSIVE, Why.NOT_BUILT, said_of(route))
        has_answered = any(success.api is requirement.api for success in self._facts.succeeded)
        unusable = [fact.reason for fact in self._facts.unusable if fact.api is requirement.api and not has_answered]
        return Decision(Outcome.INCONCLUSIVE, Why.UNUSABLE, unusable[-1]) if unusable else None

    def _not_to_be_asked(self, requirement: Requirement) -> Reason | None:
        selection, name = self._selection, requirement.id
        if selection.only and name not in selection.only:
            return NOT_SELECTED
        if requirement.unobservable and name not in self._findings:
            left = not selection.only and selection.narrowed
            return NOT_SELECTED if left else (Why.UNOBSERVABLE, f"unobservable: {requirement.unobservable}")
        if requirement.api not in selection.apis:
            variable = PROFILES[requirement.api].variables(Role.MERCHANT)[0]
            without_hook = Why.NOT_SET, f"hook has no address for {requirement.api}, or --api does not name it"
            of_service = Why.NOT_SELECTED, "not selected: --api"
            chosen = without_hook if selection.party is Party.INTEGRATION else of_service
            return chosen if selection.api_chosen else (Why.NOT_SET, f"{variable} is not set")
        if selection.selected.get(name) or name in self._findings or not selection.narrowed:
            return None
        if selection.is_whole and name not in selection.collected:
            return (
                None if name in selection.only or next(self._without_events(requirement), None) else NO_MESSAGE_SHOWS_IT
            )
        return selection.unselected

    def _without_events(self, requirement: Requirement) -> Iterator[Verdict]:
        """Give a requirement that only events show the reason why the run could receive none."""
        reasons = [fact for fact in self._facts.no_events if fact.api is requirement.api]
        came = any(fact.api is requirement.api for fact in self._facts.late)
        if requirement.passive and requirement.needs & RECEIVERS and reasons and not came:
            reason = reasons[-1]
            if route := self.absent.needed_by(requirement):
                yield verdict_without(route, requirement, None)
                return
            yield Verdict(requirement.id, reason.outcome, reason.reason, why=reason.why)

    def _unseen(self, requirement: Requirement) -> Decision:
        """Say why nothing is known of a requirement."""
        interrupted = self._selection.is_interrupted
        if route := self.absent.needed_by(requirement):
            return Decision(Outcome.INCONCLUSIVE, Why.NOT_BUILT, said_of(route))
        if requirement.passive and (free := self._need_not_be_shown(requirement)):
            return Decision(Outcome.NOT_APPLICABLE, *free)
        missed = requirement.passive or self._selection.unreached(requirement.id, self._ended)
        if self._selection.lost and missed and not interrupted:
            return Decision(Outcome.NOT_APPLICABLE, Why.LOST_WORKER, SAID_OF_LOST_WORKER)
        reason = (Why.UNSEEN, SAID_UNSEEN) if requirement.passive else (Why.NO_TEST, "no test yet")
        if any(end.is_failure for end in self._ends.get(requirement.id, ())):
            reason = Why.NOT_REACHED, SAID_NOT_REACHED
        if interrupted:
            unreached = self._selection.unreached(requirement.id, self._ended)
            reason = Why.INTERRUPTED, unreached or SAID_INTERRUPTED
        return Decision(Outcome.INCONCLUSIVE, *reason)

    def _need_not_be_shown(self, requirement: Requirement) -> Reason | None:
        """Say why no message of a whole run had to show a requirement; None if one should have."""
        if lacking := sorted(requirement.needs - self._offered):
            return Why.CAPABILITY, f"needs {', '.join(lacking)}"
        worked = f"{requirement.api}.{requirement.operation}" in self.succeeded
        if worked and not self._selection.is_interrupted and requirement.id in optional(requirement.api):
            return Why.NOT_SHOWN, "no answer of this target carries the field, and none has to"
        return None


def _observations(facts: Facts) -> dict[str, list[Observation]]:
    """Return what was observed at each open point; of fields that are not documented, what all responses show."""
    fields: dict[str, dict[str, str]] = defaultdict(dict)
    for fact in facts.undocumented:
        fields[fact.requirement] |= {fact.field: fact.evidence} if fact.field else {}
    observations: dict[str, list[Observation]] = defaultdict(list)
    for observation in facts.observed:
        if observation.requirement not in fields:
            observations[observation.requirement].append(observation)
    for point, evidence in fields.items():
        observation = passive.undocumented_fields_observed(point, evidence)
        observations[point].append(replace(observation, evidence=observation.evidence[:KEPT]))
    return observations


def _undecided(finding: MessageFinding) -> Verdict:
    unknown = finding.unknown
    sentence, why = (unknown.sentence, unknown.why) if unknown else ("", None)
    shown = finding.shown
    return Verdict(shown.requirement, Outcome.INCONCLUSIVE, sentence, None, (shown.evidence,), why=why)


def _broken(shown: Shown) -> Judgement:
    """Judge a message that breaks a requirement; of a delivery no matcher is recorded."""
    judgement = broken_description(shown.requirement, shown.operation, str(shown.problem), shown.evidence)
    if shown.evidence.startswith("delivery"):
        return replace(judgement, matchers=())
    return replace(judgement, test=shown.test, curl=shown.curl)
