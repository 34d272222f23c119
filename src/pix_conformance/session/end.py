"""The end of a run in pytest's session: the verdict of every requirement, the report, the exit status."""

import os
import time

import pytest

from pix_conformance.harness.deferred import waits_of
from pix_conformance.harness.run import Run, begin, empty_run
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle.values import AgainFacts
from pix_conformance.recording.bundle.writer import write
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.session.bundle_of_run import Ending, bundle_of_run
from pix_conformance.session.comparison import compared
from pix_conformance.session.progress import count_as_waived
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.selection import asks_all, by_requirement, history_requirements
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.workers import given_to_worker
from pix_conformance.verdicts.evidence_of_run import Selection, recording_of_run
from pix_conformance.verdicts.exit_status import TESTED, concluded, whole_run_of
from pix_conformance.verdicts.judge import judge
from pix_conformance.verdicts.waivers import gate

INTERRUPTED, OUR_ERROR = 2, 3


def conclude_elsewhere(session: pytest.Session) -> None:
    """Conclude an interrupted run from another thread, because the main thread does not end."""
    ours = session.config.stash[KEY]
    with ours.concluding:
        if ours.draft:
            conclude_run(session, ours.draft, INTERRUPTED)
            ours.draft.publish(session)
            if not given_to_worker(session.config):
                os.write(2, f"\n{ours.closing}\n{(ours.draft.directory / 'index.html').resolve().as_uri()}\n".encode())


def conclude_run(session: pytest.Session, draft: ReportDraft, exitstatus: int) -> None:
    """Determine every verdict, write the report into the draft, and set the exit status.

    `report.plugin` then writes the pages, and `ReportDraft` publishes them.
    """
    ours = session.config.stash[KEY]
    ours.run = ours.run or _never_begun(session, ours)
    ours.recorder.test = "cleanup"
    ours.run.finish()
    ours.recorder.observe_all_messages()
    every = asks_all(session.config)
    reached = ours.early_end.reached if ours.early_end and ours.waits.interruption else None
    quick = "--quick" if ours.settings.quick else ""
    collected = Selection(ours.collected, by_requirement(ours.selected), ours.run.capabilities(), every, quick, reached)
    selection = collected.of(ours.target.apis).divided(ours.settings.shard, ours.unsharded)
    ours.results = judge(recording_of_run(ours.recorder, ours.run.settings, selection), ours.excuses)
    ours.recorder.notices += _notices(ours)
    count_as_waived(session.config.pluginmanager.get_plugin("terminalreporter"), ours.recorder, ours.excuses)
    ending = _ending(ours, selection, given_to_worker(session.config).get("report_dir", str(ours.settings.report_dir)))
    bundle = bundle_of_run(ours.run, ours.results, ending, ours.asked_by, waits_of(ours.selected))
    bundle = bundle if ours.settings.shard else compared(ours, bundle)
    session.exitstatus = outranking_status(ours, exitstatus) or whole_run_of(bundle).exit_status
    bundle = concluded(bundle, session.exitstatus)
    ours.closing = bundle.headline
    ours.recorder.notices = [*bundle.notices, *bundle.environment]
    ours.blocks = failure_blocks(write(draft.path, bundle, ours.recorder.redact))
    session.config.hook.pytest_pix_bundle_written(config=session.config, directory=draft.path)


def _ended_early(ours: Session) -> set[str | None]:
    """Return the tests that --max-cents left out or ended."""
    return {verdict.test for verdict in ours.recorder.verdicts if verdict.why is Why.LEFT_OUT}


def _notices(ours: Session) -> list[str]:
    """Say what was judged on few requests only, what the documents and pytest noted, and what --max-cents left out."""
    tested = {result.requirement.id for result in ours.results if result.outcome in TESTED | {Outcome.OBSERVED}}
    notices = [
        f"{name}: checked on the few requests of this run only; a whole run checks more"
        for name in history_requirements(ours.selected, ours.settings.only & tested)
    ]
    notices += ours.settings.documents.notices
    notices += [ours.early_end.error] if ours.early_end and ours.early_end.error else []
    if count := len(_ended_early(ours)):
        words = "1 test was" if count == 1 else f"{count:,} tests were"
        notices.append(f"--max-cents {ours.settings.max_cents}: {words} left out or ended early")
    return notices


def _ending(ours: Session, selection: Selection, report: str) -> Ending:
    ended_early = _ended_early(ours)
    again = AgainFacts(str(ours.settings.again), ours.gone) if ours.settings.again else None
    cents = f"--max-cents {ours.settings.max_cents}" if ended_early else ""
    earlier = f"--again {again.report}" if again else ""
    return Ending(
        narrowed=selection.narrowed or bool(ours.settings.only or ended_early),
        left_out_by=" ".join(option for option in (selection.left_out_by, earlier, cents) if option),
        seconds=time.monotonic() - ours.begun,
        command=ours.command,
        report=report,
        gate=[
            # whether a waiver is needed, all workers show together
            *gate(
                {result.requirement.id: result.outcome for result in ours.results},
                {} if ours.settings.shard else ours.excuses,
            ),
            *(f"the required capability {name} is missing" for name in (sorted(ours.run.missing) if ours.run else ())),
        ],
        again=again,
    )


def _never_begun(session: pytest.Session, ours: Session) -> Run:
    """Return a run for a session without tests. An interrupted session starts nothing."""
    if ours.waits.interruption:
        return empty_run(ours.settings, ours.recorder, ours.waits)
    return begin(ours.settings, ours.recorder, reference_rules(session.config), ours.waits)


def outranking_status(ours: Session, exitstatus: int) -> int | None:
    """Return the exit status of a signal or of pytest if it takes precedence over the verdict, else None."""
    if ours.waits.interruption:
        return ours.waits.interruption.status
    if exitstatus == INTERRUPTED and ours.early_end and ours.early_end.error:
        return OUR_ERROR
    return exitstatus if exitstatus in {INTERRUPTED, OUR_ERROR} else None


def reference_rules(config: pytest.Config) -> list[str]:
    """Return the rules of other plugins for the embedded reference."""
    return [rules for some in config.hook.pytest_pix_reference_rules(config=config) for rules in some]
