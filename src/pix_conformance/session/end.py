"""The end of a run in pytest's session: the verdict of every requirement, the report, the exit status."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest

from pix_conformance.harness.deferred import waits_of
from pix_conformance.harness.run import Run, begin, unbegun
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle.values import AgainFacts
from pix_conformance.recording.bundle.writer import write
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.session.again_sentences import sentences
from pix_conformance.session.bundle_of_run import Ending, bundle_of_run
from pix_conformance.session.progress import count_as_waived
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.selection import asks_all, by_requirement, history_requirements
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.workers import given_to_worker
from pix_conformance.verdicts.exit_status import TESTED
from pix_conformance.verdicts.judge import Selection, failed_gate, results_of, whole_run

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
    """Determine every verdict, write the report into the draft, and set the exit status."""
    ours = session.config.stash[KEY]
    ours.run = ours.run or _never_begun(session, ours)
    ours.recorder.test = "cleanup"
    ours.run.finish()
    ours.recorder.observe_all_messages()
    every = asks_all(session.config)
    reached = ours.stopping.reached if ours.stopping and ours.waits.interruption else None
    selected = by_requirement(ours.selected)
    quick = "--quick" if ours.target.quick else ""
    collected = Selection(ours.collected, selected, ours.run.capabilities(), every, quick, reached)
    whole = collected.of(ours.target.apis)
    selection = whole.divided(ours.target.shard, ours.unsharded)
    ours.rows = results_of(ours.recorder, ours.run.target, selection, ours.waivers)
    tested = {one.requirement.id for one in ours.rows if one.outcome in TESTED | {Outcome.OBSERVED}}
    gate = failed_gate(ours.rows, selection.decided(ours.waivers), ours.run.missing)
    ours.recorder.notices += [
        f"{one}: checked on the few requests of this run only; a whole run checks more"
        for one in history_requirements(ours.selected, ours.target.only & tested)
    ]
    ours.recorder.notices += ours.target.documents.notices
    ours.recorder.notices += [ours.stopping.error] if ours.stopping and ours.stopping.error else []
    ended_early = {one.test for one in ours.recorder.verdicts if one.why is Why.LEFT_OUT}
    narrowed = selection.narrowed or bool(ours.target.only or ended_early)
    partial = narrowed or ours.target.shard is not None
    if ended_early:
        lost = "1 test was" if len(ended_early) == 1 else f"{len(ended_early):,} tests were"
        ours.recorder.notices.append(f"--max-cents {ours.target.max_cents}: {lost} left out or ended early")
    again = AgainFacts(str(ours.target.again), ours.gone) if ours.target.again else None
    cents = f"--max-cents {ours.target.max_cents}" if ended_early else ""
    earlier = f"--again {again.report}" if again else ""
    left_out_by = " ".join(one for one in (selection.left_out_by, earlier, cents) if one)
    verdict = whole_run(ours.rows, ours.run.target, gate, partial=partial, left_out_by=left_out_by)
    session.exitstatus = outranking_status(ours, exitstatus) or verdict.exit_status
    ours.closing = verdict.headline(session.exitstatus)
    count_as_waived(session.config.pluginmanager.get_plugin("terminalreporter"), ours.recorder, ours.waivers)
    seconds = time.monotonic() - ours.begun
    ending = Ending(session.exitstatus, narrowed, left_out_by, ours.closing, seconds, ours.command, gate, again)
    bundle = bundle_of_run(ours.run, ours.rows, ending, ours.asked_by, waits_of(ours.selected))
    if ours.again and not ours.target.shard:
        ours.recorder.notices += sentences(ours.again, bundle)
        bundle = replace(bundle, notices=tuple(ours.recorder.notices))
    ours.recorder.notices += bundle.environment
    ours.blocks = failure_blocks(write(draft.path, bundle, ours.recorder.redact))
    session.config.hook.pytest_pix_bundle_written(config=session.config, directory=draft.path)


def _never_begun(session: pytest.Session, ours: Session) -> Run:
    """Return a run for a session without tests. An interrupted session starts nothing."""
    if ours.waits.interruption:
        return unbegun(ours.target, ours.recorder, ours.waits)
    return begin(ours.target, ours.recorder, departing_rules(session.config), ours.waits)


def outranking_status(ours: Session, exitstatus: int) -> int | None:
    """Return the exit status of a signal or of pytest if it takes precedence over the verdict, else None."""
    if ours.waits.interruption:
        return ours.waits.interruption.status
    if exitstatus == INTERRUPTED and ours.stopping and ours.stopping.error:
        return OUR_ERROR
    return exitstatus if exitstatus in {INTERRUPTED, OUR_ERROR} else None


def departing_rules(config: pytest.Config) -> list[str]:
    """Return the rules of other plugins for the embedded reference."""
    return [one for some in config.hook.pytest_pix_reference_rules(config=config) for one in some]
