"""The start of a run in pytest's session: preflight, and APIs that cannot be tested."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.generation.examples import affordable, seconds_of_response, set_examples
from pix_conformance.harness.run import Run, begin
from pix_conformance.harness.transport.pacing import seconds_per_request
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.bundle.writer import write
from pix_conformance.recording.facts import Begun
from pix_conformance.recording.journal import Journal, left_facts
from pix_conformance.recording.report_directory import UNFINISHED, set_aside
from pix_conformance.session.end import reference_rules
from pix_conformance.session.plan import long_run
from pix_conformance.session.preflight import try_credentials
from pix_conformance.session.production import warning_of
from pix_conformance.session.report_draft import write_pages_of_run
from pix_conformance.session.runnable_tests import runnable_tests
from pix_conformance.session.selection import api_of, by_requirement
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.terminal import fewer_examples
from pix_conformance.session.unfinished_run import (
    LeftWebhooks,
    bundle_of_journal,
    heading,
    left_webhooks,
    remove_left_webhooks,
)
from pix_conformance.session.workers.facts_of_workers import journal_of_worker
from pix_conformance.session.workers.first_process import run_workers, said_of_workers, worker_count
from pix_conformance.session.workers.worker import WaitsForOthers, given_to_worker
from pix_conformance.verdicts.missing_settings import unlocks

REQUESTS_OF_LONG_TEST, LONG_TEST_S = 100, 30.0
"""How many requests a long test sends, and how many seconds it takes at most: before timely tests, none may begin."""
REQUESTS_BEFORE_TIMELY = 20
"""For how many requests a run waits at most without a test before a timely one."""


def begin_run(config: pytest.Config, state: Session) -> Run:
    """Start the run and try its credentials, unless that is done."""
    if state.run is None:
        state.waits.interruption.check()
        state.run = begin(state.settings, state.current_test, reference_rules(config), state.waits, state.recorded)
        state.settings = state.run.settings  # with the target that was started
        state.facts.add(Begun(heading(state.run, state.settings, by_requirement(state.tests.selected), state.command)))
        try_credentials(state.run)
    return state.run


class PreflightPlugin:
    """A pytest plugin that tries the credentials before the tests, and drops tests that cannot or may not run.

    It starts the workers.
    """

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Try the credentials and print the results. End the session if no test is left."""
        state = session.config.stash[KEY]
        if not session.items or session.testsfailed:
            return None
        run = begin_run(session.config, state)
        unusable = {fact.api: fact.reason for fact in state.facts.unusable}
        usable = [item for item in session.items if api_of(item) not in unusable]
        if given_to_worker(session.config):  # pytest-xdist counts the tests that were collected
            for item in set(session.items).difference(usable):
                item.add_marker(pytest.mark.skip(reason=unusable[Api(api_of(item))]))
        else:
            session.items[:] = usable
        if not state.target.embedded and self._run_by_workers(session, run):
            return True
        if state.left:
            state.facts.note(remove_left_webhooks(run, state.left))
        return None if session.items else True

    def _run_by_workers(self, session: pytest.Session, run: Run) -> bool:
        """Start workers if the target takes long for a response. Return whether they have run the tests."""
        state = session.config.stash[KEY]
        response = seconds_of_response(run.sender.facts.exchanges)
        fewer = _adapt_to(seconds_per_request(response, run.settings.bounds.rate), run, state)
        if given_to_worker(session.config):
            return False
        count = worker_count(session, run, response)
        if session.config.get_verbosity() >= 0:
            more = [] if state.settings.tests.only or not session.items else unlocks(run.settings)
            long = long_run(run.settings, session.items, response)
            _show(session.config, run, [*run.clients.access, *fewer, *more, *long, *said_of_workers(count, response)])
        tests = runnable_tests(state.settings, session.items)
        _show(session.config, run, warning_of(state.target, tests, run.clients.unusable))
        if count > 1:
            run_workers(session, run, count)
        return count > 1


def _adapt_to(seconds: float, run: Run, state: Session) -> list[str]:
    """Adapt timely tests and generated inputs to the seconds of a request; return the line that says so."""
    state.deferred.near_within = min(LONG_TEST_S, REQUESTS_OF_LONG_TEST * seconds)
    state.deferred.due_within = min(LONG_TEST_S, REQUESTS_BEFORE_TIMELY * seconds)
    return _lower_examples(run, seconds)


def _lower_examples(run: Run, seconds: float) -> list[str]:
    """Use fewer generated inputs where the preflight found that the target is slow; return the line that says so."""
    count = affordable(run.settings, seconds)
    if count == run.settings.generation.examples:
        return []
    run.settings = replace(run.settings, generation=replace(run.settings.generation, examples=count))
    set_examples(count)
    return [fewer_examples(count, seconds)]


def _show(config: pytest.Config, run: Run, lines: list[str]) -> None:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    for line in lines if reporter else ():
        reporter.write_line(for_terminal(run.current_test.redact(line), 1_000))


def open_journal(config: pytest.Config, state: Session) -> None:
    """Open the journal of this process, which from now on has what the run records.

    The process that the user started first makes the report of an earlier run that has left its journal, and sets an
    earlier report aside. ReportDirectoryError if another run writes into the directory.
    """
    worker = given_to_worker(config)
    directory = state.settings.report_dir
    path = journal_of_worker(directory, worker["number"]) if worker else directory / "journal.jsonl"
    journal = Journal(path, state.current_test.redact)
    if worker:
        state.left = LeftWebhooks(**worker["left"]) if worker["left"] else None
        others = WaitsForOthers(worker["number"], worker["of"], Path(worker["directory"]))
        config.pluginmanager.register(others, "pix-waits-for-others")
    else:
        facts = left_facts(journal.path)
        set_aside(directory)
        if facts.begun:
            (directory / UNFINISHED).mkdir(exist_ok=True)
            write(directory / UNFINISHED, bundle_of_journal(facts), state.current_test.redact)
            write_pages_of_run(config, directory / UNFINISHED)
            state.left = left_webhooks(facts, directory / UNFINISHED / "index.html")
            state.warnings.append(state.left.said)
        journal.begin()
    state.facts.write = journal.write
    config.add_cleanup(journal.close)
