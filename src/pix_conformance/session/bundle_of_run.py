"""The bundle of a run that has ended."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version

from pix_conformance.harness.run import Run
from pix_conformance.model import editions
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.printable import clip
from pix_conformance.model.vocabulary import Party
from pix_conformance.recording.bundle.values import AgainFacts, AskingTest, Bundle, Entry, RunFacts, ShardFacts
from pix_conformance.report.dependency_chain import RecordedExchanges
from pix_conformance.report.reproduction import reproduction
from pix_conformance.report.requests_of_failure import Causes
from pix_conformance.verdicts.judge import RequirementResult, judged_fields
from pix_conformance.verdicts.missing_settings import unlocks

REPRODUCED = 20
"""Failures of one requirement whose lines are written."""
LONGEST_NAME = 200
"""Characters of an id or label in the journal."""


@dataclass(frozen=True)
class Ending:
    """How the run ended."""

    narrowed: bool
    """Whether only some requirements were asked for, by all workers together."""
    left_out_by: str
    """The options that left out a part of the suites, such as `--quick`; empty without any."""
    seconds: float
    command: str
    """How it was started."""
    gate: list[str]
    """Why the run failed though no requirement did."""
    again: AgainFacts | None = None


def bundle_of_run(
    run: Run,
    results: list[RequirementResult],
    ending: Ending,
    asked_by: Mapping[str, tuple[AskingTest, ...]],
    ages: Mapping[str, float],
) -> Bundle:
    """Make the bundle of a run, without its exit status and headline.

    `asked_by` names each requirement's tests, `ages` the seconds that a test waits for.

    Each of the first failures of a requirement gets the curl lines of all requests that show it again, each later
    one keeps the line of its last request.
    """
    target, recorder = run.settings.target, run.recorder
    bundle = Bundle(
        suite=version("pix-conformance"),
        documents=catalogue().documents,
        target=target.name,
        base_url=target.base_url,
        embedded=target.embedded and run.settings.party is Party.SERVICE,
        apis=tuple(target.apis),
        api_chosen=run.settings.api_chosen,
        capabilities=tuple(sorted(run.capabilities())),
        run=_facts(run, ending),
        headline="",
        notices=tuple(recorder.notices),
        succeeded=tuple(sorted(name for name, count in recorder.succeeded.items() if count)),
        journal=tuple(
            replace(created, id=clip(created.id, LONGEST_NAME), label=clip(created.label, LONGEST_NAME))
            for created in recorder.journal.values()
        ),
        entries=tuple(_entry(result, run, asked_by.get(result.requirement.id, ())) for result in results),
        exchanges=tuple(recorder.exchanges),
        deliveries=tuple(recorder.deliveries),
    )
    causes = Causes(RecordedExchanges(bundle), ages)
    return replace(bundle, entries=tuple(_with_reproductions(entry, causes) for entry in bundle.entries))


def _facts(run: Run, ending: Ending) -> RunFacts:
    shard = run.settings.shard
    return RunFacts(
        id=run.id,
        seed=run.settings.seed,
        started=datetime.fromtimestamp(run.started, UTC).isoformat(timespec="seconds"),
        seconds=round(ending.seconds, 1),
        turns=tuple(run.clock.turns),
        partial=ending.narrowed or run.settings.shard is not None,
        shard=ShardFacts(shard.number, shard.of, ending.narrowed) if shard else None,
        again=ending.again,
        left_out_by=ending.left_out_by,
        level=run.settings.level,
        edition=run.settings.edition or editions.current(),
        exit=0,
        command=ending.command,
        gate=tuple(ending.gate),
        access=tuple(run.access),
        unlocks=tuple(unlocks(run.settings)),
    )


def _entry(result: RequirementResult, run: Run, asked_by: tuple[AskingTest, ...]) -> Entry:
    requirement = result.requirement
    return Entry(
        id=requirement.id,
        document=requirement.api,
        level=requirement.level,
        section=requirement.section,
        lines=requirement.lines,
        cited=tuple(run.settings.documents.cited(requirement)),
        statement=requirement.statement,
        note=requirement.note or "",
        needs=tuple(sorted(requirement.needs)),
        unobservable=requirement.unobservable or "",
        asked_by=asked_by,
        passive=requirement.passive,
        seconds=round(run.recorder.seconds.get(requirement.id, 0.0), 3),
        judged_on=tuple(run.recorder.passive_judge.judged_on(requirement.id)),
        **judged_fields(result),
    )


def _with_reproductions(entry: Entry, causes: Causes) -> Entry:
    failed = entry.missed[:REPRODUCED]
    if not failed:
        return entry
    judgements = (
        replace(judgement, curl=reproduction(causes, judgement))
        if any(judgement is failure for failure in failed)
        else judgement
        for judgement in entry.judgements
    )
    return replace(entry, judgements=tuple(judgements))
