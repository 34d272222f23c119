"""One requirement of several shards: the verdict by the judgements of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from pix_conformance.checks import passive
from pix_conformance.checks.rules_of_apis import RULES
from pix_conformance.model.catalogue import load
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Judgement, Observation, Outcome, Verdict
from pix_conformance.model.why import Why, is_of_selection
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.verdicts.judge import (
    UNSEEN,
    need_not_be_seen,
)
from pix_conformance.verdicts.requirement_outcome import Decision, Evidence, decide

SHARD_MISSING = "not selected: its worker left no report"
OF_ONE_SHARD = "a history check judged the requests of one worker only: it needs what is not recorded"


@dataclass(frozen=True)
class MergedRun:
    """What the verdicts of merged shards rest on beside their entries."""

    bundle: Bundle
    """All messages of the shards."""
    whole_run: Mapping[str, Sequence[Judgement]]
    """By node id, the judgements of the tests that judge the whole run, over all exchanges."""
    not_run: frozenset[str]
    """Such tests that could only be run in the shards."""

    @property
    def succeeded(self) -> frozenset[str]:
        """The operations that worked in some shard, as `api.operation`."""
        return frozenset(self.bundle.succeeded or ())


def merged_entry(shards: Sequence[Entry], run: MergedRun) -> Entry:
    """Return the entry of a requirement by its entries in the shards, which are in the order of the shards."""
    first = shards[0]
    judgements = tuple(_judgements(shards, run))
    observations = _observations(first.id, shards, run)
    judged_by = {one.test for one in judgements}
    verdicts = Evidence(
        requirement=first.id,
        level=first.level,
        of_tests=[one for shard in shards for one in _lasting(shard, run, judged_by)],
        judgements=judgements,
        observations=observations,
    ).weighed(run.succeeded)
    decision = _waived(decide(verdicts), shards) if verdicts else _without_verdict(first, shards, run)
    return replace(
        first,
        outcome=decision.outcome,
        reason=decision.reason,
        why=decision.why,
        not_asked=tuple(dict.fromkeys(_not_asked(shards, verdicts, run))),
        observations=observations,
        tests=tuple(dict.fromkeys(one.test for one in verdicts if one.test)),
        seconds=round(sum(each.seconds for each in shards), 3),
        judged_on=tuple(sorted({name for each in shards for name in each.judged_on})),
        evidence=decision.evidence,
        verdicts=tuple(one for one in verdicts if one.test is None or not one.evidence),
        judgements=judgements,
    )


def _judgements(shards: Sequence[Entry], run: MergedRun) -> Iterator[Judgement]:
    """Yield the judgements of all shards, then those over the whole run that no shard has made."""
    made = [one for each in shards for one in each.judgements]
    yield from made
    if all(each.why is Why.NOT_SELECTED for each in shards):
        return
    over_all = (one for some in run.whole_run.values() for one in some if one.requirement == shards[0].id)
    yield from (one for one in over_all if one not in made)


def _observations(requirement: str, shards: Sequence[Entry], run: MergedRun) -> tuple[Observation, ...]:
    found = tuple(one for each in shards for one in each.observations)
    api = load()[requirement].api if requirement in load() else None
    if api is None or requirement != RULES[api].undocumented_fields or not found:
        return found
    answers = [one for one in run.bundle.exchanges if one.api == api]
    fields = {name: one.evidence for one in answers for name in passive.undocumented_fields(one)}
    return (passive.undocumented_fields_observed(requirement, fields),)


def _lasting(entry: Entry, run: MergedRun, judged_by: AbstractSet[str | None]) -> Iterator[Verdict]:
    """Yield the verdicts of one shard that are no judgement of a test; `judged_by` are the tests that judged.

    A test that judges the whole run has nothing to judge in some shards: that says nothing if it judged in another.
    """
    found = [one for one in entry.verdicts if one.outcome is not Outcome.OBSERVED]
    for one in found:
        idle = one.outcome is Outcome.NOT_APPLICABLE and one.test in judged_by
        if not idle:
            yield _with_all_successes(one, run)
    selected = not is_of_selection(entry.why)
    if selected and not (found or entry.judgements or entry.observations):
        yield Verdict(entry.id, entry.outcome, entry.reason, why=entry.why)


def _with_all_successes(verdict: Verdict, run: MergedRun) -> Verdict:
    """Return that a message met its requirement, where its operation worked in another shard."""
    if verdict.test is not None or verdict.outcome is not Outcome.INCONCLUSIVE or not verdict.evidence:
        return verdict
    message = run.bundle.message(verdict.evidence[0])
    worked = isinstance(message, Exchange) and f"{message.api}.{message.operation}" in run.succeeded
    return replace(verdict, outcome=Outcome.PASS, reason="", why=None) if worked else verdict


def _waived(decision: Decision, shards: Sequence[Entry]) -> Decision:
    """Return that a failure is waived, if it was in every shard that saw it."""
    outcomes = {each.outcome: each for each in shards}
    known = outcomes.get(Outcome.WAIVED)
    if known is None or decision.outcome not in {Outcome.FAIL, Outcome.WARN} or decision.outcome in outcomes:
        return decision
    return replace(decision, outcome=Outcome.WAIVED, reason=known.reason, why=None)


def _without_verdict(entry: Entry, shards: Sequence[Entry], run: MergedRun) -> Decision:
    """Decide on a requirement that no shard has asked: no message shows it, or it was not selected."""
    for each in shards:
        if is_of_selection(each.why) and each.why is not Why.OTHER_WORKER:
            return Decision(Outcome.NOT_APPLICABLE, each.reason, (), each.why)
    if run.bundle.run.partial:
        return Decision(Outcome.NOT_APPLICABLE, SHARD_MISSING, (), Why.LOST_WORKER)
    known = load()[entry.id]
    why = need_not_be_seen(known, set(run.bundle.capabilities), run.succeeded, interrupted=False)
    if why:
        return Decision(Outcome.NOT_APPLICABLE, why[1], (), why[0])
    return Decision(Outcome.INCONCLUSIVE, UNSEEN, (), Why.UNSEEN)


def _not_asked(shards: Sequence[Entry], verdicts: Sequence[Verdict], run: MergedRun) -> Iterator[str]:
    """Yield what kept a part of the tests from asking, where the others did ask."""
    silent = [one for one in verdicts if one.outcome is Outcome.NOT_APPLICABLE]
    if len(silent) < len(verdicts):
        yield from (one.reason for one in silent if one.why is not Why.OTHER_WORKER)
    yield from (words for each in shards for words in each.not_asked)
    if run.not_run.intersection(one.test or "" for one in verdicts):
        yield OF_ONE_SHARD
