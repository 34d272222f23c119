"""Runs of the suites against references with other rules, each in a process forked after the collection."""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import math
import os
import signal
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.main import pytest_runtestloop

import pix_conformance.harness.run
import pix_conformance.session.plugin
from pix_conformance.generation import requests as generation
from pix_conformance.harness.interruption import SIGNALS
from pix_conformance.harness.transport.recording import authorities
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.openapi import operations
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.settings import ChosenTests, Generation
from pix_conformance.model.vocabulary import Api, Level, Outcome, Requirement
from pix_conformance.proof import examples
from pix_conformance.proof.forked_reference import Launcher
from pix_conformance.sandbox.mutants import registry as mutants
from pix_conformance.sandbox.variants import registry as variants
from pix_conformance.session.plugin import pytest_sessionfinish
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.selection import by_requirement, chosen, in_order
from pix_conformance.session.state import KEY, Session, TestsOfRun
from pix_conformance.verdicts.evidence import Selection, judge_run
from pix_conformance.verdicts.judge import RequirementResult

ROOT = TEST_TREE
LONGEST_RUN_S = 1_200
WORKERS = 8
"""Simultaneous runs on 2 cores: more than half of the time a run waits for events (with five, 21 % was idle)."""
MORE_WORKERS = 16
"""Simultaneous runs of right servers: those with many variants mostly wait."""
TOO_LONG, NO_RESULT = 99, 98
"""The exits of a run that took longer than it may, and of one that broke off."""
RED = {Level.MUST: Outcome.FAIL, Level.SHOULD: Outcome.WARN}
NOTHING: dict[str, Any] = {"outcomes": {}, "reasons": {}, "wrong": {}, "killers": {}, "error": ""}
EVERY_MESSAGE = "every message"
"""The killer of a requirement that no test asks: every response and event is judged by it."""


@dataclass(frozen=True)
class Job:
    """One run: the rules of the reference and the requirements; no `only` means the whole suite.

    The run ends when all of `until` have failed; without them it runs to its end. A bundle is written if the run
    reaches its end, or if an example of the failure is wanted (`shown`).
    """

    name: str
    rules: tuple[str, ...]
    only: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    apis: str = "both"
    shown: bool = False
    then: Job | None = None
    """The job that follows if not all of `until` have failed, unless this one took too long."""
    seconds: int = LONGEST_RUN_S
    """How long the run may take."""


@dataclass(frozen=True)
class JobResult:
    """The result of a job: exit status, and outcome and reason of each selected requirement."""

    name: str
    exit: int
    seconds: float
    outcomes: dict[str, str]
    reasons: dict[str, str]
    wrong: dict[str, Any]
    """An example of a failure for each failed requirement of the job."""
    killers: dict[str, list[str]]
    """For each failed requirement, the test cases that failed; those that ran before the run ended."""
    error: str
    """The last line of what the reference logged; empty if it logged nothing, as a reference without an error does."""

    def failed(self) -> set[str]:
        """Return the musts that failed."""
        return {name for name, outcome in self.outcomes.items() if outcome == "fail"}


class UseRules:
    """A pytest plugin that gives the embedded reference its rules."""

    def __init__(self, rules: tuple[str, ...]) -> None:
        self._rules = rules

    def pytest_pix_reference_rules(self) -> list[str]:
        """Return the class names of the rules."""
        return list(self._rules)


class StopWhenKilled:
    """A pytest plugin that ends a run when certain requirements have failed: a failure is final."""

    def __init__(self, state: Session, until: Iterable[str]) -> None:
        self._state, self._until, self._judged = state, [catalogue()[name] for name in until], 0
        self.all = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Check after each test that added judgements or verdicts."""
        result = yield
        known = len(self._state.facts.expected) + len(self._state.facts.ended) + len(self._state.facts.shown)
        rows = results_of(self._state, self._until) if known > self._judged else ()
        if rows and all_fail({row.requirement.id: row.outcome for row in rows}, [row.id for row in self._until]):
            self.all = True
            item.session.shouldstop = "all requirements of the job have failed"
        self._judged = known
        return result


def all_fail(outcomes: Mapping[str, str], requirements: Iterable[str]) -> bool:
    """Return whether each of these requirements has failed: a should warns."""
    return all(outcomes.get(name) == RED.get(catalogue()[name].level) for name in requirements)


def results_of(state: Session, requirements: Iterable[Requirement]) -> list[RequirementResult]:
    """Judge these requirements by what the session has recorded so far."""
    selection = Selection(only=state.settings.tests.only)
    return list(judge_run(state.facts, selection, requirements, {}).results)


class Forking:
    """A pytest plugin that runs each job in a forked process instead of running the tests here."""

    def __init__(self, jobs: Iterable[Job], workers: int, ends: float, directory: Path, results: int) -> None:
        """No job starts after `ends` (monotonic clock).

        `directory` is for bundles, `results` is the pipe for results.
        """
        self._jobs, self._workers, self._ends, self._directory = deque(jobs), workers, ends, directory
        self._results, self._next = os.fdopen(results, "w"), deque[Job]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork, wait for the jobs, report their results."""
        prepare_forks(session.config.stash[KEY].settings.generation)
        running: dict[int, tuple[Job, Path, float]] = {}
        places = (self._directory / str(number) for number in itertools.count())
        while self._next or self._jobs or running:
            while (waiting := self._next or self._jobs) and len(running) < self._workers:
                job, place = waiting.popleft(), next(places)
                pid = os.fork()
                if pid == 0:
                    _run_job(session, job, place)
                running[pid] = (job, place, time.monotonic())
            pid, status = os.wait()
            job, place, begun = running.pop(pid)
            is_cut = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
            self._report(job, place.with_suffix(".json"), time.monotonic() - begun, is_cut=is_cut)
            if time.monotonic() > self._ends:
                self._jobs.clear()
        self._results.close()
        return True

    def _report(self, job: Job, path: Path, seconds: float, *, is_cut: bool) -> None:
        without = NOTHING | {"exit": TOO_LONG if is_cut else NO_RESULT}
        result = json.loads(path.read_text()) if path.exists() else without
        path.unlink(missing_ok=True)
        if job.then and not all_fail(result["outcomes"], job.until) and result["exit"] != TOO_LONG:
            self._next.append(job.then)
        else:
            print(json.dumps(asdict(JobResult(job.name, seconds=seconds, **result))), file=self._results, flush=True)


def prepare_forks(given: Generation) -> None:
    """Make what all forked processes use, once: schemathesis's requests and the certificates."""
    for api in Api:
        for operation, description in operations(api).items():
            generation.coverage(api, operation)
            for mode in generation.BOTH if "requestBody" in description else ():
                generation.drawn(api, operation, mode, generation.few(given.examples), given.seed)
    authorities()
    for number in SIGNALS:  # a forked process has no thread that reads signals
        signal.signal(number, signal.SIG_DFL)
    gc.freeze()  # otherwise garbage collection in each process would copy the shared memory


def _run_job(session: pytest.Session, job: Job, directory: Path) -> None:
    """Run one job in this forked process. Never returns."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(job.seconds)
    try:
        errors = directory.with_suffix(".log")
        vars(pix_conformance.harness.run)["start"] = Launcher(errors).start
        state = _narrow(session, job, directory)
        decided = StopWhenKilled(state, job.until)
        if job.until:
            session.config.pluginmanager.register(decided)
        with contextlib.suppress(session.Interrupted):
            pytest_runtestloop(session)
        result = _decided(job, state) if decided.all and not job.shown else _concluded(session, job, state, directory)
        lines = errors.read_text("utf-8").splitlines()
        result["error"] = lines[-1] if lines else ""
        directory.with_suffix(".json").write_text(json.dumps(result))
    finally:
        os._exit(0)


def _narrow(session: pytest.Session, job: Job, directory: Path) -> Session:
    """Return a session with the tests of this job only."""
    config, before = session.config, session.config.stash[KEY]
    apis = tuple(Api) if job.apis == "both" else (Api(job.apis),)
    target = replace(before.target, apis=apis)
    settings = replace(before.settings, target=target, tests=ChosenTests(frozenset(job.only), api_chosen=True))
    left, _ = chosen(session.items, settings)
    session.items = in_order(left)
    draft = ReportDraft(directory, directory)
    tests = TestsOfRun(collected=by_requirement(session.items), selected=session.items)
    state = Session(settings, tests=tests, draft=draft)
    config.stash[KEY] = state
    config.pluginmanager.register(UseRules(job.rules))
    return state


def _decided(job: Job, state: Session) -> dict[str, Any]:
    """Return the result of a run that ended because all of `until` have failed."""
    rows = results_of(state, [catalogue()[name] for name in job.until])
    return NOTHING | {
        "exit": 1,
        "outcomes": {row.requirement.id: row.outcome for row in rows},
        "killers": killers(rows),
    }


def killers(rows: Iterable[RequirementResult]) -> dict[str, list[str]]:
    """Return the test cases that failed, for each requirement that did."""
    tests: dict[str, list[str]] = {}
    for row in rows:
        if row.outcome in RED.values():
            failed = [judgement.test for judgement in row.judgements if judgement.mismatches]
            failed += [verdict.test for verdict in row.verdicts if verdict.outcome in RED.values()]
            tests[row.requirement.id] = sorted({test or EVERY_MESSAGE for test in failed})
    return tests


def _concluded(session: pytest.Session, job: Job, state: Session, directory: Path) -> dict[str, Any]:
    """End the run as any run ends, with its bundle, and return its result."""
    directory.mkdir()
    pytest_sessionfinish(session, 0)
    rows = {row.requirement.id: row for row in state.summary.results if not job.only or row.requirement.id in job.only}
    return {
        "exit": int(session.exitstatus),
        "outcomes": {name: row.outcome for name, row in rows.items()},
        "reasons": {name: row.reason[:500] for name, row in rows.items()},
        "wrong": examples.wrong(directory, job.until),
        "killers": killers(rows.values()),
    }


def run_all(jobs: Iterable[Job], seconds: float = math.inf, workers: int = WORKERS) -> Iterator[JobResult]:
    """Run the jobs, `workers` of them simultaneously, and yield results as they end. None starts after `seconds`."""
    ends = time.monotonic() + seconds
    for line in lines_of(lambda directory, writes: Forking(jobs, workers, ends, directory, writes)):
        yield JobResult(**json.loads(line))


def lines_of(forking: Callable[[Path, int], object]) -> Iterator[str]:
    """Run a pytest plugin in a process that collects the suites; yield the lines that it writes to its pipe.

    `forking` makes the plugin from a temporary directory and the pipe's file descriptor.
    """
    reads, writes = os.pipe()
    with tempfile.TemporaryDirectory(prefix="pix-proof-") as directory:
        pid = os.fork()
        if pid == 0:
            os.close(reads)
            host(forking(Path(directory), writes), Path(directory))
        os.close(writes)
        with os.fdopen(reads) as lines:
            yield from lines
        os.waitpid(pid, 0)


def host(forking: object, directory: Path) -> None:
    """Collect everything once, then run the jobs; never returns."""
    for name in [name for name in os.environ if name.startswith("PIX_")]:
        del os.environ[name]
    os.chdir(ROOT)
    mutants.all_mutants()
    variants.all_variants()
    words = ["suites", "-q", "--tb=no", "--assert=plain", f"--report-dir={directory / 'host'}", "--seed=1"]
    words += ["-p", "no:pix_conformance.report.plugin", "-p", "no:html"]
    vars(pix_conformance.session.plugin)["example_database"] = lambda _: None  # a run must not depend on an earlier one
    with (directory / "log").open("w") as log:
        sys.stdout = sys.stderr = log
        try:
            pytest.main(words, plugins=[forking])
        finally:
            log.flush()
            os._exit(0)
