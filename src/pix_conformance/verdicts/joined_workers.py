"""Joins the bundles of the workers of one run, each of which ran a shard, with one verdict for each requirement."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import attrgetter

from pix_conformance.checks import passive
from pix_conformance.model.editions import requirements_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.settings import Shard
from pix_conformance.model.vocabulary import Judgement, Observation, Outcome, Requirement, Verdict
from pix_conformance.model.why import Why, is_of_selection
from pix_conformance.recording.bundle.values import Bundle, BundleError, Entry, RunFacts
from pix_conformance.verdicts.evidence_of_run import UNSEEN, need_not_be_shown
from pix_conformance.verdicts.exit_status import FAILED, INTERRUPTED, OUR_ERROR, TERMINATED, concluded, whole_run_of
from pix_conformance.verdicts.judge import (
    Decision,
    Evidence,
    Excuse,
    Recording,
    RequirementResult,
    judge,
    judged_fields,
    lasting_verdicts,
)
from pix_conformance.verdicts.waivers import gate as waivers_gate

SHARD_MISSING = "not selected: its worker left no report"
OF_ONE_SHARD = "a history check judged the requests of one worker only: it needs what is not recorded"
MET = {Outcome.PASS, Outcome.INCONCLUSIVE}
"""Outcomes of a message that meets a requirement: inconclusive if its operation worked in another shard only."""


@dataclass(frozen=True)
class WholeRunTests:
    """The tests that judge the whole run: what those that could be run on the recording found, and the others."""

    judgements: Sequence[Judgement] = ()
    not_run: frozenset[str] = frozenset()
    """By node id."""


def joined(bundles: Sequence[Bundle]) -> Bundle:
    """Return a bundle with all messages of the shards in the order of time, and the entries of the first shard.

    Raises BundleError for a bundle that no worker wrote.
    """
    in_order = sorted(bundles, key=_shard)
    missing = _missing(bundles)
    return replace(
        in_order[0],
        capabilities=tuple(sorted({name for bundle in bundles for name in bundle.capabilities})),
        run=_facts(in_order, partial=bool(missing)),
        notices=(
            *_unique(bundle.notices for bundle in in_order),
            *(f"worker {shard} left no report" for shard in missing),
        ),
        succeeded=tuple(sorted({name for bundle in bundles for name in bundle.succeeded or ()})),
        journal=tuple(created for bundle in in_order for created in bundle.journal),
        exchanges=tuple(
            sorted((exchange for bundle in bundles for exchange in bundle.exchanges), key=attrgetter("started"))
        ),
        deliveries=tuple(
            sorted((event for bundle in bundles for event in bundle.deliveries), key=attrgetter("received"))
        ),
        unreadable=_unique(bundle.unreadable for bundle in in_order),
    )


def merge(bundles: Sequence[Bundle], whole_run: WholeRunTests, excuses: Mapping[str, Excuse]) -> Bundle:
    """Return the bundle of the run that the shards were, with a verdict of every requirement by the evidence of all.

    `whole_run` is what the tests that judge the whole run found over all exchanges. Raises BundleError as `joined`.
    """
    base, missing = joined(bundles), _missing(bundles)
    rows: dict[str, list[Entry]] = defaultdict(list)
    for bundle in sorted(bundles, key=_shard):
        for entry in bundle.entries:
            rows[entry.id].append(entry)
    evidence = [_evidence(entries, base, whole_run, is_incomplete=bool(missing)) for entries in rows.values()]
    results = judge(Recording(evidence, frozenset(base.succeeded or ())), excuses)
    gate = (*base.run.gate, *waivers_gate({result.requirement.id: result.outcome for result in results}, excuses))
    merged = replace(base, entries=tuple(map(_entry, rows.values(), results)), run=replace(base.run, gate=gate))
    exit_status = _exit_status(merged, {bundle.run.exit for bundle in bundles}, is_whole=not missing)
    return concluded(merged, exit_status)


def _entry(shards: Sequence[Entry], result: RequirementResult) -> Entry:
    return replace(
        shards[0],
        **judged_fields(result),
        seconds=round(sum(entry.seconds for entry in shards), 3),
        judged_on=tuple(sorted({name for entry in shards for name in entry.judged_on})),
    )


def _evidence(shards: Sequence[Entry], bundle: Bundle, whole_run: WholeRunTests, *, is_incomplete: bool) -> Evidence:
    """Join what the shards have of one requirement; their entries are in the order of the shards."""
    requirement = requirements_of(bundle.run.edition)[shards[0].id]
    judgements = _judgements(shards, whole_run)
    verdicts = list(_verdicts(shards, {judgement.test for judgement in judgements}))
    named = {judgement.test for judgement in judgements} | {verdict.test for verdict in verdicts}
    incomplete = [OF_ONE_SHARD] if whole_run.not_run & named else []
    return Evidence(
        requirement=requirement,
        settled=_settled(shards),
        verdicts=verdicts,
        judgements=judgements,
        met={operation: message for entry in shards for operation, message in _met(entry, bundle)},
        observations=_observations(requirement, shards, bundle),
        unseen=_unseen(requirement, bundle, is_incomplete=is_incomplete),
        not_asked=[*(sentence for entry in shards for sentence in entry.not_asked), *incomplete],
    )


def _settled(shards: Sequence[Entry]) -> Decision | None:
    """Return why no shard was to ask it; None if one was."""
    if not all(is_of_selection(entry.why) for entry in shards):
        return None
    left_out = (entry for entry in shards if entry.why is not Why.OTHER_WORKER)
    return next((Decision(entry.outcome, entry.why, entry.reason) for entry in left_out), None)


def _judgements(shards: Sequence[Entry], whole_run: WholeRunTests) -> list[Judgement]:
    """Return the judgements of all shards, then those over the whole run that no shard has made."""
    of_shards = [judgement for entry in shards for judgement in entry.judgements]
    added = (judgement for judgement in whole_run.judgements if judgement.requirement == shards[0].id)
    return [*of_shards, *(judgement for judgement in added if judgement not in of_shards)]


def _verdicts(shards: Sequence[Entry], judged_by: AbstractSet[str | None]) -> Iterator[Verdict]:
    """Yield the verdicts of the shards that are no judgement of a test; `judged_by` are the tests that judged.

    A test that judges the whole run has nothing to judge in some shards: that says nothing if it judged in another.
    """
    for entry in shards:
        for verdict in lasting_verdicts(entry):
            if verdict.outcome is not Outcome.NOT_APPLICABLE or verdict.test not in judged_by:
                yield verdict
        if not is_of_selection(entry.why) and not (entry.verdicts or entry.judgements or entry.observations):
            yield Verdict(entry.id, entry.outcome, entry.reason, why=entry.why)


def _met(entry: Entry, bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield each `api.operation` of which an exchange met the requirement, with its evidence."""
    met = (verdict for verdict in entry.verdicts if verdict.test is None and verdict.outcome in MET)
    for message in (bundle.message(verdict.evidence[0]) for verdict in met if verdict.evidence):
        if isinstance(message, Exchange):
            yield f"{message.api}.{message.operation}", message.evidence


def _observations(requirement: Requirement, shards: Sequence[Entry], bundle: Bundle) -> tuple[Observation, ...]:
    observations = tuple(observation for entry in shards for observation in entry.observations)
    if requirement.id != passive.RULES[requirement.api].undocumented_fields or not observations:
        return observations
    exchanges = [exchange for exchange in bundle.exchanges if exchange.api == requirement.api]
    fields = {name: exchange.evidence for exchange in exchanges for name in passive.undocumented_fields(exchange)}
    return (passive.undocumented_fields_observed(requirement.id, fields),)


def _unseen(requirement: Requirement, bundle: Bundle, *, is_incomplete: bool) -> Decision:
    """Say why no shard shows a requirement: a shard is lost, no message has to show it, or none does."""
    if is_incomplete:
        return Decision(Outcome.NOT_APPLICABLE, Why.LOST_WORKER, SHARD_MISSING)
    reason = need_not_be_shown(requirement, set(bundle.capabilities), set(bundle.succeeded or ()), interrupted=False)
    if reason:
        return Decision(Outcome.NOT_APPLICABLE, *reason)
    return Decision(Outcome.INCONCLUSIVE, Why.UNSEEN, UNSEEN)


def _shard(bundle: Bundle) -> Shard:
    facts = bundle.run.shard
    if facts is None:
        raise BundleError(f"no worker has made the run {bundle.run.id}")
    return Shard(facts.number, facts.of)


def _missing(bundles: Sequence[Bundle]) -> list[Shard]:
    """Return the shards of the run whose workers left no report."""
    shards = {_shard(bundle) for bundle in bundles}
    of = next(iter(shards)).of
    return sorted({Shard(number, of) for number in range(1, of + 1)} - shards)


def _facts(bundles: Sequence[Bundle], *, partial: bool) -> RunFacts:
    """Put together how the shards were started and how they ended. The time is that from first start to last end."""
    runs = [bundle.run for bundle in bundles]
    started = min(datetime.fromisoformat(run.started) for run in runs)
    ended = max(datetime.fromisoformat(run.started) + timedelta(seconds=run.seconds) for run in runs)
    narrowed = any(run.shard and run.shard.narrowed for run in runs)
    return replace(
        runs[0],
        id=" ".join(run.id for run in runs),
        started=started.isoformat(timespec="seconds"),
        seconds=round((ended - started).total_seconds(), 1),
        turns=tuple(turn for run in runs for turn in run.turns),
        partial=partial or narrowed,
        gate=_unique(run.gate for run in runs),
        shard=None,
    )


def _exit_status(merged: Bundle, statuses: set[int], *, is_whole: bool) -> int:
    """Return the exit status: an interrupted worker outranks the verdict, a broken or lost one all but a failure."""
    verdict = whole_run_of(merged).exit_status
    if statuses & {INTERRUPTED, TERMINATED}:
        return INTERRUPTED
    return OUR_ERROR if (OUR_ERROR in statuses or not is_whole) and verdict != FAILED else verdict


def _unique(some: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for group in some for text in group))
