"""The pytest plugin: options, fixtures, and one verdict per requirement at the end."""

import gc
import itertools
import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from pix_conformance.generation.examples import PROFILE, is_generated, seed_and_bound
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import judging_all
from pix_conformance.harness.run import Run
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import DeliveryFileError, read_deliveries
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import Level, Party, UsageError
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.report_directory import FAILED_EXAMPLES, ReportDirectoryError, prepare
from pix_conformance.report.assumptions import read_assumptions
from pix_conformance.session.again import earlier_report, keep_failed_examples, missing_tests, tests_again
from pix_conformance.session.early_end import EarlyEnd
from pix_conformance.session.end import conclude_elsewhere, conclude_run, end_process, outranking_status
from pix_conformance.session.hookspecs import MARKERS, Hooks
from pix_conformance.session.options import SETTINGS, gather, unknown_variables
from pix_conformance.session.outcome_of_test import record_test_end
from pix_conformance.session.plan import plan
from pix_conformance.session.progress import Progress
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.selection import (
    asked_by,
    asks_the_suites,
    by_requirement,
    chosen,
    in_order,
    is_unneeded,
    party_of,
    requirements_of,
)
from pix_conformance.session.start import PreflightPlugin, begin_run, open_journal
from pix_conformance.session.state import KEY, Comparisons, Session
from pix_conformance.session.stopped_target import StoppedTarget
from pix_conformance.session.target_settings import require_no_target, settings_of
from pix_conformance.session.terminal import Terminal
from pix_conformance.session.turns import Turns, run_deferred_parts
from pix_conformance.session.workers.first_process import check, conclude_workers
from pix_conformance.session.workers.worker import given_to_worker, worker_settings
from pix_conformance.verdicts.baseline import read_baseline
from pix_conformance.verdicts.judge import Excuse, newer_than
from pix_conformance.verdicts.waivers import read

SELDOM = (50_000, 50, 100)
"""Thresholds of the garbage collector: objects made before it looks at the new ones, looks before it looks at older."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer the hook by which others name the rules of the embedded reference; then modules are imported.

    The garbage collector looks seldom: modules stay, and a run keeps its exchanges to its end.
    """
    gc.set_threshold(*SELDOM)
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the public interface."""
    group = parser.getgroup("pix", "PIX conformance")
    for setting in SETTINGS:
        if setting.option is None:
            continue
        action = "append" if setting.is_list else "store"
        more = {"action": "store_true"} if setting.flag else {"action": action, "metavar": setting.metavar}
        words = f"{setting.meaning} (default: {setting.usual}) [{setting.environment}]"
        group.addoption(setting.option, dest=f"pix_{setting.key}", help=words, default=None, **more)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Read the settings; a usage error ends the run here, before any request."""
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    if not asks_the_suites(config) or config.option.collectonly:
        return
    unknown: list[str] = []
    try:
        state = config.stash[KEY] = _session(config, unknown)
        if not state.settings.plan:
            open_journal(config, state)
    except (UsageError, DeliveryFileError, ReportDirectoryError) as reason:
        raise pytest.UsageError("\n".join([str(reason), *unknown])) from None
    settings = state.settings
    state.early_end = EarlyEnd(conclude_elsewhere, state.waits.interruption)
    config.pluginmanager.register(state.early_end, "pix-early-end")
    config.pluginmanager.register(Terminal(config, state), "pix-terminal")
    if settings.plan:
        return
    config.pluginmanager.register(StoppedTarget(), "pix-stopped-target")
    if not given_to_worker(config):
        state.draft = ReportDraft(settings.report_dir)
        config.pluginmanager.register(state.draft, "pix-report-draft")
        config.option.htmlpath = str(state.draft.path / "pytest.html")
        config.option.self_contained_html = True
    config.option.tx, config.option.dist = [], "no"  # workers start when the tests are collected
    if config.get_verbosity() == 0:
        config.pluginmanager.register(Progress(config, state), "pix-progress")
    config.pluginmanager.register(Turns(), "pix-turns")  # asked after the preflight, which knows how slow a request is
    config.pluginmanager.register(PreflightPlugin(), "pix-preflight")
    _generation(settings)


def _session(config: pytest.Config, unknown: list[str]) -> Session:
    """Read the settings, and prepare the report directory; add to `unknown` what is said of variables that are none.

    Raises UsageError, DeliveryFileError or ReportDirectoryError.
    """
    values = gather(
        {setting.key: getattr(config.option, f"pix_{setting.key}", None) for setting in SETTINGS}, os.environ
    )
    unknown += [f"WARNING: {problem}" for problem in unknown_variables(values, os.environ)]
    if party_of(config) is Party.INTEGRATION:
        require_no_target(values)
    settings = worker_settings(config, settings_of(values))
    check(settings)
    again = earlier_report(config, settings)
    if again:
        generation = settings.generation if values["seed"] else replace(settings.generation, seed=again.bundle.run.seed)
        tests = replace(settings.tests, only=frozenset(again.failures) & catalogue().keys())
        settings = replace(settings, tests=tests, generation=generation)
    baseline = read_baseline(settings.gate.baseline)
    excuses: dict[str, Excuse] = {
        **(baseline.known if baseline else {}),
        **read(settings.gate.waivers, datetime.now(UTC).date()),
        **newer_than(settings.gate.edition),
    }
    file = settings.reception.file
    recorded = read_deliveries(file, is_growing=True) if file else []
    worker = given_to_worker(config)
    if not settings.plan and not worker:
        prepare(settings.report_dir)
        keep_failed_examples(config, settings)
    # no two processes of one run give the same number to two exchanges
    numbers = itertools.count(worker.get("sent", 0) + worker.get("number", 1), worker.get("of", 1))
    expectations = itertools.count(worker.get("number", 1), worker.get("of", 1))
    test = CurrentTest(Recorder(Facts(numbers=expectations), numbers=numbers))
    comparisons = Comparisons(excuses, again, baseline, read_assumptions(settings.gate.assume))
    state = Session(settings, comparisons, test, recorded, warnings=unknown)
    state.command = worker.get("command", state.command)
    return state


def example_database(report_dir: Path) -> ExampleDatabase | None:
    """Return where hypothesis keeps the inputs that failed: the next run into the directory tries them first."""
    return DirectoryBasedExampleDatabase(report_dir / FAILED_EXAMPLES)


def _generation(settings: Settings) -> None:
    """Bound the generated part; explaining is what costs most, and a network has no deadline."""
    phases = [phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain]
    hypothesis.settings.register_profile(
        PROFILE,
        max_examples=settings.generation.examples,
        deadline=None,
        database=example_database(settings.report_dir),
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        derandomize=False,
        print_blob=False,
    )
    hypothesis.settings.load_profile(PROFILE)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Have a worker print nothing: for an interrupted one pytest would format long tracebacks that are never shown."""
    if given_to_worker(session.config):
        session.config.pluginmanager.unregister(name="terminalreporter")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of which no test would run, since importing all takes half of the time."""
    if KEY not in config.stash:
        return None
    tests = given_to_worker(config).get("tests", ())
    return is_unneeded(collection_path, config, config.stash[KEY].settings.tests, tests) or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Set the markers that tell how a test works, for `-m`."""
    if is_generated(item):
        item.add_marker("generated")
    if (ids := requirements_of(item)) and all(catalogue()[requirement].level is Level.OPEN for requirement in ids):
        item.add_marker("observes")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Note what was collected, let -k and the like choose, then choose and order ourselves."""
    if KEY not in config.stash:
        return (yield)
    state = config.stash[KEY]
    if worker := given_to_worker(config):
        result = yield
        own = set(worker["tests"])
        left = [item for item in items if item.nodeid in own]
    else:
        state.tests.collected, state.tests.asked_by = by_requirement(items), asked_by(items)
        again = state.comparisons.again
        tests = tests_again(items, again) if again else None
        state.tests.gone = missing_tests(items, again) if again else ()
        result = yield
        left, deselected = chosen(items, state.settings, tests)
        if deselected:
            config.hook.pytest_deselected(items=deselected)
    items[:] = in_order(left)
    state.tests.selected = list(items)
    return result


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the garbage collector never look at the suites."""
    if KEY in session.config.stash:
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Say what would be done, if that is asked for instead of a run."""
    if KEY not in session.config.stash or not session.config.stash[KEY].settings.plan:
        return None
    state = session.config.stash[KEY]
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    for line in plan(state.settings, state.tests.selected):
        reporter.write_line(for_terminal(state.current_test.redact(line)))
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Arrange what deferred tests need before the first test; let every exchange and judgement know its test."""
    if KEY in item.config.stash:
        run_deferred_parts(item, item.config.stash[KEY])
        item.config.stash[KEY].current_test.begin(item.nodeid, requirements_of(item))
        seed_and_bound(item, item.config.stash[KEY].settings.generation.seed)
    try:
        return (yield)
    finally:
        if KEY in item.config.stash and (run := item.config.stash[KEY].run):
            run.sender.account_lock.release()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Judge each requirement of a test though another has failed, unless hypothesis looks for the smallest failure."""
    __tracebackhide__ = True
    state = item.config.stash.get(KEY, None)
    several = len(requirements_of(item)) > 1 and not item.get_closest_marker("generated")
    with judging_all(state.current_test) if several and state and not state.deferred.runs_early_part else nullcontext():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the part of a deferred test that is due."""
    state = pyfuncitem.config.stash.get(KEY, None)
    if state is None or state.run is None:
        return None
    return state.deferred.run_part(pyfuncitem, state.run.clock) or None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn the way in which a test ended into verdicts; an earlier part of a deferred test has no end."""
    if KEY in item.config.stash and item.config.stash[KEY].deferred.runs_early_part:
        return (yield)
    if KEY in item.config.stash and call.when != "teardown":
        test, ids = item.config.stash[KEY].current_test, requirements_of(item)
        generated = item.get_closest_marker("generated") is not None
        record_test_end(test, item.nodeid, ids, call, is_generated=generated)
    return (yield)


@pytest.fixture(scope="session")
def run(request: pytest.FixtureRequest) -> Run:
    """Begin the run: receiver, reference, clients."""
    return begin_run(request.config, request.config.stash[KEY])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Conclude, write the bundle, hand over to the reports, and set the exit status."""
    if KEY not in session.config.stash:
        return
    gc.freeze()  # pytest looks for garbage several times when it ends
    state = session.config.stash[KEY]
    with state.concluding:
        if state.draft and (started := session.config.pluginmanager.get_plugin("pix-workers")):
            conclude_workers(session, started, state.draft, exitstatus)
        elif state.draft:
            conclude_run(session, state.draft, exitstatus)
        else:
            session.exitstatus = outranking_status(state, exitstatus) or 0
            if not state.settings.plan:
                end_process(session, exitstatus)
