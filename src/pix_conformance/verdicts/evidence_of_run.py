"""The evidence of a run that this process makes: from its recorder, its target and its selection of tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from pix_conformance.checks.passive import broken_description
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.editions import requirements_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES, RECEIVERS
from pix_conformance.model.settings import Settings, Shard
from pix_conformance.model.vocabulary import (
    Api,
    Capability,
    Judgement,
    Level,
    Outcome,
    Party,
    Requirement,
    Role,
    Verdict,
)
from pix_conformance.model.why import Why
from pix_conformance.recording.findings import FindingsOfRequirement
from pix_conformance.recording.recorder import Recorder
from pix_conformance.verdicts.judge import Decision, Evidence, Recording

Reason = tuple[Why, str]
"""Why a requirement has no verdict, and the sentence that says it."""
INTERRUPTED = "not reached: the run was interrupted"
NOT_SELECTED = Why.NOT_SELECTED, "not selected"
UNSEEN = "no response or webhook in this run contained what it is about"
NOT_SHOWN = Why.NOT_SELECTED, "not selected: no message of the selected tests shows it"


@dataclass(frozen=True)
class Selection:
    """Which tests name which requirement, in all and after -k, --only and --api; and what the target offers."""

    collected: Mapping[str, set[str]] = field(default_factory=dict)
    selected: Mapping[str, set[str]] = field(default_factory=dict)
    offered: frozenset[Capability] = frozenset(Capability)
    is_whole: bool = True
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
        return not self.is_whole or any(left.get(name, set()) != tests for name, tests in self.collected.items())

    def divided(self, shard: Shard | None, unsharded: Mapping[str, set[str]]) -> Selection:
        """Return the same selection as that of a shard."""
        return replace(self, shard=shard, unsharded=unsharded)

    def of(self, apis: Iterable[Api]) -> Selection:
        """Leave out the requirements of other APIs: a target that offers one API alone is tested wholly."""
        collected = {name: tests for name, tests in self.collected.items() if catalogue()[name].api in apis}
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


def recording_of_run(
    recorder: Recorder, settings: Settings, selection: Selection, requirements: Iterable[Requirement] | None = None
) -> Recording:
    """Return what the recorder has of these requirements, by default of all, in the order of the documents."""
    every = (row for row in requirements_of(settings.edition).values() if row.party is settings.party)
    wanted = every if requirements is None else requirements
    succeeded = {name for name, count in recorder.succeeded.items() if count}
    evidence = []
    for requirement in wanted:
        if settled := _settled(requirement, recorder, settings, selection):
            evidence.append(Evidence(requirement=requirement, settled=settled, unseen=settled))
        else:
            evidence.append(_evidence(requirement, recorder, selection, succeeded))
    return Recording(evidence, succeeded)


def _evidence(
    requirement: Requirement, recorder: Recorder, selection: Selection, succeeded: AbstractSet[str]
) -> Evidence:
    """Gather what the run has of one requirement; `verdicts.judge` weighs it."""
    seen = recorder.passive_judge.seen.get(requirement.id)
    shown = seen if seen and requirement.level is not Level.OPEN else FindingsOfRequirement()
    name = requirement.id
    missed = (selection.unreached(name), selection.left_out(name))
    return Evidence(
        requirement=requirement,
        verdicts=[
            *(verdict for verdict in recorder.verdicts if verdict.requirement == name),
            *(() if seen else _without_events(requirement, recorder)),
        ],
        judgements=[
            *(judgement for judgement in recorder.judgements if judgement.requirement == name),
            *(_judgement(name, broken, recorder) for broken in shown.broken),
        ],
        met=shown.met,
        observations=[observation for observation in recorder.observations if observation.requirement == name],
        unseen=_unseen(requirement, selection, succeeded),
        not_asked=[sentence for sentence in missed if sentence],
    )


def _judgement(requirement: str, broken: tuple[str, str, Exchange | Delivery], recorder: Recorder) -> Judgement:
    """Judge a message that breaks a requirement, by its `api.operation` and the problem."""
    operation, problem, message = broken
    judgement = broken_description(requirement, operation, recorder.redact(problem), message.evidence)
    if not isinstance(message, Exchange):
        return replace(judgement, matchers=())
    return replace(judgement, test=message.test, curl=recorder.curl(message))


def _settled(requirement: Requirement, recorder: Recorder, settings: Settings, selection: Selection) -> Decision | None:
    if reason := _left_out(requirement, recorder, settings, selection):
        return Decision(Outcome.NOT_APPLICABLE, *reason)
    unusable = recorder.unusable.get(requirement.api)
    return Decision(Outcome.INCONCLUSIVE, Why.UNUSABLE, unusable) if unusable else None


def _unseen(requirement: Requirement, selection: Selection, succeeded: AbstractSet[str]) -> Decision:
    """Say why nothing is known of a requirement."""
    interrupted = selection.reached is not None
    if requirement.passive and selection.shard is not None:
        words = "not selected: no message of this worker shows it"
        return Decision(Outcome.NOT_APPLICABLE, Why.OTHER_WORKER, words)
    free = need_not_be_shown(requirement, selection.offered, succeeded, interrupted=interrupted)
    if requirement.passive and free:
        return Decision(Outcome.NOT_APPLICABLE, *free)
    reason = (Why.UNSEEN, UNSEEN) if requirement.passive else (Why.NO_TEST, "no test yet")
    if interrupted:
        reason = Why.INTERRUPTED, selection.unreached(requirement.id) or INTERRUPTED
    return Decision(Outcome.INCONCLUSIVE, *reason)


def need_not_be_shown(
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


def _left_out(requirement: Requirement, recorder: Recorder, settings: Settings, selection: Selection) -> Reason | None:
    if settings.only and requirement.id not in settings.only:
        return NOT_SELECTED
    if requirement.unobservable and requirement.id not in recorder.passive_judge.seen:
        left = not settings.only and selection.narrowed
        return NOT_SELECTED if left else (Why.UNOBSERVABLE, f"unobservable: {requirement.unobservable}")
    if requirement.api not in settings.target.apis:
        variable = PROFILES[requirement.api].variables(Role.MERCHANT)[0]
        without_hook = Why.NOT_SET, f"hook has no address for {requirement.api}, or --api does not name it"
        of_service = Why.NOT_SELECTED, "not selected: --api"
        chosen = without_hook if settings.party is Party.INTEGRATION else of_service
        return chosen if settings.api_chosen else (Why.NOT_SET, f"{variable} is not set")
    if selection.selected.get(requirement.id) or requirement.id in recorder.passive_judge.seen or not selection.partial:
        return None
    if selection.is_whole and requirement.id not in selection.collected:
        asked_for = requirement.id in settings.only or not selection.narrowed
        return None if asked_for or next(_without_events(requirement, recorder), None) else NOT_SHOWN
    elsewhere = Why.OTHER_WORKER, "not selected: another worker asks it"
    return elsewhere if requirement.id in selection.unsharded else selection.unselected


def _without_events(requirement: Requirement, recorder: Recorder) -> Iterator[Verdict]:
    """Give a requirement that only events show the reason why the run could receive none."""
    of_deliveries = requirement.needs & RECEIVERS
    if requirement.passive and of_deliveries and requirement.api in recorder.events_unavailable:
        yield replace(recorder.events_unavailable[requirement.api], requirement=requirement.id)
