"""The end of a run in pytest's session: the facts of all its processes, every verdict, the report, the exit status."""

import os
import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from pix_conformance.harness.current_test import CLEANUP
from pix_conformance.harness.offers import capabilities, missing
from pix_conformance.harness.run import Run, begin, empty_run
from pix_conformance.model.editions import requirements_of_edition
from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle.values import AgainFacts, Bundle
from pix_conformance.recording.bundle.writer import write
from pix_conformance.recording.facts import Concluded, Facts
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.session.bundle_of_run import Ending, bundle_of_run
from pix_conformance.session.comparison import compared
from pix_conformance.session.progress import count_as_waived
from pix_conformance.session.report_draft import ReportDraft, write_pages_of_run
from pix_conformance.session.selection import asks_all, by_requirement, history_requirements
from pix_conformance.session.state import KEY, RunSummary, Session
from pix_conformance.session.workers.facts_of_workers import FactsOfWorkers
from pix_conformance.verdicts.evidence import Selection, Verdicts, judge_run
from pix_conformance.verdicts.exit_status import (
    FAILED,
    INTERRUPTED,
    OUR_ERROR,
    TERMINATED,
    TESTED,
    concluded,
    whole_run_of,
)
from pix_conformance.verdicts.missing_settings import variables_for
from pix_conformance.verdicts.waivers import gate

MOST_NAMED = 3
"""Requirements that one notice names."""


def conclude_elsewhere(session: pytest.Session) -> None:
    """Conclude an interrupted run from another thread, because the main thread does not end."""
    state = session.config.stash[KEY]
    with state.concluding:
        if state.draft is None:
            end_process(session, INTERRUPTED)
            return
        conclude_run(session, state.draft, INTERRUPTED)
        state.draft.publish(session)
        page = (state.draft.directory / "index.html").resolve().as_uri()
        os.write(2, f"\n{state.summary.headline}\n{page}\n".encode())


def end_process(session: pytest.Session, exitstatus: int) -> Run:
    """End what this process has begun, and write its last facts. Return its run."""
    state = session.config.stash[KEY]
    run = state.run = state.run or _never_begun(session, state)
    state.current_test.begin(CLEANUP)
    run.finish()
    state.facts.add(
        Concluded(
            capabilities=tuple(sorted(capabilities(run))),
            missing=tuple(sorted(missing(run))),
            turns=tuple(run.clock.turns),
            status=outranking_status(state, exitstatus) or 0,
        )
    )
    return run


def conclude_run(
    session: pytest.Session, draft: ReportDraft, exitstatus: int, workers: FactsOfWorkers | None = None
) -> None:
    """Judge the facts of the run, write the report into the draft, and set the exit status.

    With `workers`, they are theirs and those of the first look, which this process took. Then the pages are
    written, and `ReportDraft` publishes them.
    """
    state = session.config.stash[KEY]
    workers = workers or FactsOfWorkers()
    run = state.run if workers.have_begun and state.run else end_process(session, exitstatus)
    facts = Facts()
    facts.extend(state.facts)
    facts.extend(workers.facts)
    selection = _selection(session, state, workers)
    every = requirements_of_edition(state.settings.gate.edition).values()
    requirements = [requirement for requirement in every if requirement.party is state.settings.party]
    verdicts = judge_run(facts, selection, requirements, state.comparisons.excuses)
    ending = _ending(state, facts, verdicts, selection, workers)
    bundle = bundle_of_run(facts, run.settings, verdicts, ending, state.tests.asked_by)
    before, bundle = bundle, compared(state.comparisons, bundle)
    session.exitstatus = _status(state, exitstatus, before, bundle, workers)
    bundle = concluded(bundle, session.exitstatus)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    count_as_waived(reporter, facts, state.comparisons.excuses)
    notices = [*bundle.notices, *bundle.environment]
    state.summary = RunSummary(verdicts.results, (), notices, bundle.headline)  # shown though the disk may be full
    written = write(draft.path, bundle, state.current_test.redact)
    state.summary = replace(state.summary, blocks=failure_blocks(written))
    write_pages_of_run(session.config, draft.path)


def _selection(session: pytest.Session, state: Session, workers: FactsOfWorkers) -> Selection:
    return Selection(
        collected=state.tests.collected,
        selected=by_requirement(state.tests.selected),
        only=state.settings.tests.only,
        apis=tuple(state.target.apis),
        api_chosen=state.settings.tests.api_chosen,
        party=state.settings.party,
        is_whole=asks_all(session.config),
        left_out_by="--quick" if state.settings.tests.quick else "",
        is_interrupted=bool(state.waits.interruption),
        lost=workers.lost_tests,
    )


def _ending(state: Session, facts: Facts, verdicts: Verdicts, selection: Selection, workers: FactsOfWorkers) -> Ending:
    ended_early = {end.test for end in facts.ended if end.why is Why.LEFT_OUT}  # by --max-cents
    earlier = state.comparisons.again
    again = AgainFacts(str(state.settings.tests.again), state.tests.gone) if earlier else None
    cents = f"--max-cents {state.settings.bounds.max_cents}" if ended_early else ""
    outcomes = {result.requirement.id: result.outcome for result in verdicts.results}
    missing = {name for fact in facts.concluded for name in fact.missing}
    by = (selection.left_out_by, f"--again {again.report}" if again else "", cents)
    return Ending(
        narrowed=selection.narrowed or bool(state.settings.tests.only or ended_early or workers.lost_tests),
        left_out_by=" ".join(option for option in by if option),
        seconds=time.monotonic() - state.begun,
        command=state.command,
        report=str(state.settings.report_dir),
        gate=[
            *gate(outcomes, state.comparisons.excuses),
            *(_without(state.settings, name) for name in sorted(missing)),
        ],
        again=again,
        access=state.run.clients.access if state.run else (),
        notices=[*workers.notices, *_notices(state, outcomes, len(ended_early))],
    )


def _without(settings: Settings, capability: str) -> str:
    """Say that a capability is missing which --require names, and what to set."""
    needed = ", ".join(variables_for(settings, capability))
    return f"the required capability {capability} is missing" + (f": it needs {needed}" if needed else "")


def _notices(state: Session, outcomes: Mapping[str, Outcome], left_out: int) -> list[str]:
    """Say what was judged on few requests only, what the documents and pytest noted, and what --max-cents left out."""
    tested = {name for name, outcome in outcomes.items() if outcome in TESTED | {Outcome.OBSERVED}}
    few = history_requirements(state.tests.selected, state.settings.tests.only & tested)
    named = ", ".join(few[:MOST_NAMED]) + (f" and {len(few) - MOST_NAMED} more" if len(few) > MOST_NAMED else "")
    notices = [f"{named}: checked on the few requests of this run only; a whole run checks more"] if few else []
    notices += state.settings.documents.notices
    notices += [state.early_end.error] if state.early_end and state.early_end.error else []
    if left_out:
        words = "1 test was" if left_out == 1 else f"{left_out:,} tests were"
        notices.append(f"--max-cents {state.settings.bounds.max_cents}: {words} left out or ended early")
    return notices


def _status(state: Session, exitstatus: int, judged: Bundle, bundle: Bundle, workers: FactsOfWorkers) -> int:
    """Return the exit status: a signal outranks the verdict, an error of ours or a lost worker all but a failure."""
    if (status := outranking_status(state, exitstatus)) is not None:
        return status
    if workers.statuses & {INTERRUPTED, TERMINATED}:
        return INTERRUPTED
    verdict = FAILED if bundle.run.gate != judged.run.gate else whole_run_of(bundle).exit_status
    is_broken = OUR_ERROR in workers.statuses or bool(workers.lost_tests)
    return OUR_ERROR if is_broken and verdict != FAILED else verdict


def _never_begun(session: pytest.Session, state: Session) -> Run:
    """Return a run for a session without tests. An interrupted session starts nothing."""
    if state.waits.interruption:
        return empty_run(state.settings, state.current_test, state.waits)
    return begin(state.settings, state.current_test, reference_rules(session.config), state.waits, state.recorded)


def outranking_status(state: Session, exitstatus: int) -> int | None:
    """Return the exit status of a signal or of pytest if it takes precedence over the verdict, else None."""
    if state.waits.interruption:
        return state.waits.interruption.status
    if exitstatus == INTERRUPTED and state.early_end and state.early_end.error:
        return OUR_ERROR
    return exitstatus if exitstatus in {INTERRUPTED, OUR_ERROR} else None


def reference_rules(config: pytest.Config) -> list[str]:
    """Return the rules of other plugins for the embedded reference."""
    return [rules for named in config.hook.pytest_pix_reference_rules(config=config) for rules in named]
