"""Joins the bundles of shards into the bundle of one run, with one verdict for each requirement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pix_conformance.model.shard import Shard
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.results.bundle.values import Bundle, BundleError, Entry, RunFacts
from pix_conformance.results.exit_status import FAILED, INTERRUPTED, OUR_ERROR, TERMINATED
from pix_conformance.results.merged_entry import MergedRun, merged_entry
from pix_conformance.results.other_payments import OtherPayments

SAME = ("suite", "documents", "target", "base_url", "apis")
"""Fields that the bundles of one run share."""


@dataclass(frozen=True)
class WholeRunTests:
    """The tests that judge the whole run: what those that could be run on the recording found, and the others."""

    judgements: Mapping[str, Sequence[Judgement]] = field(default_factory=dict)
    """By node id."""
    not_run: frozenset[str] = frozenset()


def joined(bundles: Sequence[Bundle]) -> Bundle:
    """Return a bundle with all messages of the shards in the order of time, and the entries of the first shard.

    Raises BundleError if they are not different shards of one run.
    """
    shards = [_shard(one) for one in bundles]
    first = bundles[shards.index(min(shards))]
    if len({one.of for one in shards}) > 1 or len(set(shards)) < len(shards):
        raise BundleError(f"these are not different shards of one run: {', '.join(map(str, shards))}")
    for name in SAME:
        if any(getattr(one, name) != getattr(first, name) for one in bundles):
            raise BundleError(f"the shards differ in {name.replace('_', ' ')}: they are not of one run")
    in_order = [one for _, one in sorted(zip(shards, bundles, strict=True), key=lambda pair: pair[0])]
    missing = sorted({Shard(number, shards[0].of) for number in range(1, shards[0].of + 1)} - set(shards))
    return replace(
        first,
        capabilities=tuple(sorted({name for one in bundles for name in one.capabilities})),
        run=_facts(in_order, partial=bool(missing)),
        notices=(*_unique(one.notices for one in in_order), *(f"shard {one} is missing" for one in missing)),
        succeeded=tuple(sorted({name for one in bundles for name in one.succeeded or ()})),
        journal=tuple(each for one in in_order for each in one.journal),
        exchanges=tuple(sorted((each for one in bundles for each in one.exchanges), key=lambda each: each.started)),
        deliveries=tuple(sorted((each for one in bundles for each in one.deliveries), key=lambda each: each.received)),
        unreadable=_unique(one.unreadable for one in in_order),
    )


def merge(bundles: Sequence[Bundle], whole_run: WholeRunTests) -> Bundle:
    """Return the bundle of the run that the shards were, with a verdict of every requirement by the evidence of all.

    `whole_run` is what the tests that judge the whole run found over all exchanges. Raises BundleError as `joined`.
    """
    base = joined(bundles)
    others = OtherPayments(base.exchanges, _shard(bundles[0]).of)
    run = MergedRun(base, whole_run.judgements, whole_run.not_run, others)
    rows: dict[str, list[Entry]] = defaultdict(list)
    for bundle in sorted(bundles, key=_shard):
        for entry in bundle.entries:
            rows[entry.id].append(entry)
    merged = replace(base, entries=tuple(merged_entry(some, run) for some in rows.values()))
    exit_status = _exit_status(merged, {one.run.exit for one in bundles})
    return replace(merged, run=replace(merged.run, exit=exit_status), headline=merged.whole.headline(exit_status))


def _shard(bundle: Bundle) -> Shard:
    found = bundle.run.shard
    if found is None or bundle.succeeded is None:
        raise BundleError(f"the run {bundle.run.id} had no --shard: only the reports of shards are merged")
    return Shard(found.number, found.of)


def _facts(bundles: Sequence[Bundle], *, partial: bool) -> RunFacts:
    """Put together how the shards were started and how they ended. The time is that from first start to last end."""
    runs = [one.run for one in bundles]
    started = min(datetime.fromisoformat(one.started) for one in runs)
    ended = max(datetime.fromisoformat(one.started) + timedelta(seconds=one.seconds) for one in runs)
    narrowed = any(one.shard and one.shard.narrowed for one in runs)
    return replace(
        runs[0],
        id=" ".join(one.id for one in runs),
        started=started.isoformat(timespec="seconds"),
        seconds=round((ended - started).total_seconds(), 1),
        turns=tuple(turn for one in runs for turn in one.turns),
        partial=partial or narrowed,
        gate=_unique(one.gate for one in runs),
        shard=None,
    )


def _exit_status(merged: Bundle, statuses: set[int]) -> int:
    """Return the exit status: an interrupted shard outranks the verdict, a broken one all but a failure."""
    verdict = merged.whole.exit_status
    if statuses & {INTERRUPTED, TERMINATED}:
        return INTERRUPTED
    return OUR_ERROR if OUR_ERROR in statuses and verdict != FAILED else verdict


def _unique(some: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for each in some for one in each))
