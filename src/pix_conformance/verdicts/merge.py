"""Joins the bundles of the workers of one run, each of which ran a shard, with one verdict for each requirement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pix_conformance.model.shard import Shard
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.recording.bundle.values import Bundle, BundleError, Entry, RunFacts
from pix_conformance.verdicts.exit_status import FAILED, INTERRUPTED, OUR_ERROR, TERMINATED, whole_run_of
from pix_conformance.verdicts.merged_entry import MergedRun, merged_entry


@dataclass(frozen=True)
class WholeRunTests:
    """The tests that judge the whole run: what those that could be run on the recording found, and the others."""

    judgements: Mapping[str, Sequence[Judgement]] = field(default_factory=dict)
    """By node id."""
    not_run: frozenset[str] = frozenset()


def joined(bundles: Sequence[Bundle]) -> Bundle:
    """Return a bundle with all messages of the shards in the order of time, and the entries of the first shard.

    Raises BundleError for a bundle that no worker wrote.
    """
    in_order = sorted(bundles, key=_shard)
    missing = _missing(bundles)
    return replace(
        in_order[0],
        capabilities=tuple(sorted({name for one in bundles for name in one.capabilities})),
        run=_facts(in_order, partial=bool(missing)),
        notices=(*_unique(one.notices for one in in_order), *(f"worker {one} left no report" for one in missing)),
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
    run = MergedRun(base, whole_run.judgements, whole_run.not_run)
    rows: dict[str, list[Entry]] = defaultdict(list)
    for bundle in sorted(bundles, key=_shard):
        for entry in bundle.entries:
            rows[entry.id].append(entry)
    merged = replace(base, entries=tuple(merged_entry(some, run) for some in rows.values()))
    exit_status = _exit_status(merged, {one.run.exit for one in bundles}, is_whole=not _missing(bundles))
    return replace(
        merged, run=replace(merged.run, exit=exit_status), headline=whole_run_of(merged).headline(exit_status)
    )


def _shard(bundle: Bundle) -> Shard:
    found = bundle.run.shard
    if found is None:
        raise BundleError(f"no worker has made the run {bundle.run.id}")
    return Shard(found.number, found.of)


def _missing(bundles: Sequence[Bundle]) -> list[Shard]:
    """Return the shards of the run whose workers left no report."""
    shards = {_shard(one) for one in bundles}
    of = next(iter(shards)).of
    return sorted({Shard(number, of) for number in range(1, of + 1)} - shards)


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


def _exit_status(merged: Bundle, statuses: set[int], *, is_whole: bool) -> int:
    """Return the exit status: an interrupted worker outranks the verdict, a broken or lost one all but a failure."""
    verdict = whole_run_of(merged).exit_status
    if statuses & {INTERRUPTED, TERMINATED}:
        return INTERRUPTED
    return OUR_ERROR if (OUR_ERROR in statuses or not is_whole) and verdict != FAILED else verdict


def _unique(some: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for each in some for one in each))
