"""Workers side by side, so that the time in which a target answers is not waited for once per request.

Each worker is a process of pytest-xdist that runs one shard, with a run of its own. The process that the user started
collects the tests and looks at the target first, which shows whether workers help; then it joins their reports.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from pix_conformance.harness.ended_workers import EndedWorkers
from pix_conformance.harness.run import Run
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.settings import Settings, Shard
from pix_conformance.model.undecided import TOO_MANY
from pix_conformance.model.vocabulary import Interrupted, UsageError
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle, BundleError
from pix_conformance.recording.bundle.writer import write
from pix_conformance.recording.report_directory import holds_a_report
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.session import PLUGINS, whole_run_tests
from pix_conformance.session.comparison import compared
from pix_conformance.session.plan import real_wait, runnable_tests, workers
from pix_conformance.session.shards import divided
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.workers_progress import WorkersProgress
from pix_conformance.verdicts.exit_status import FAILED, concluded, whole_run_of
from pix_conformance.verdicts.joined_workers import WholeRunTests, merge
from pix_conformance.verdicts.judge import RequirementResult

GRACE_S = 8.0
"""Seconds for the reports of workers that are stopped."""
EARLIER = "earlier"
"""The copy of the report of --again, which this run may replace before a worker has read it."""
INPUT = "pix_conformance"
"""The key of our values in what pytest-xdist gives a worker."""


def worker_settings(config: pytest.Config, settings: Settings) -> Settings:
    """Return the settings of a worker: its shard, its share of the rate and of the cents, its report directory.

    In every other process these are the settings themselves, with the workers that `-n` asks for.
    """
    worker = given_to_worker(config)
    if not worker:
        count = getattr(config.option, "numprocesses", None)
        return settings if count is None else replace(settings, concurrency=max(1, int(count)))
    shard = Shard(worker["number"], worker["of"])
    directory = Path(worker["directory"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when workers stop, and sends SIGTERM
    rate = settings.rate / shard.of if settings.rate else None
    report = directory / str(shard.number)
    cents = settings.max_cents if settings.max_cents is None else settings.max_cents // shard.of
    alone = replace(settings, shard=shard, rate=rate, max_cents=cents, concurrency=1, baseline=None, assume=None)
    alone = replace(alone, examples=worker["examples"], examples_chosen=True)
    if alone.listens_on_own_port:
        host = urlsplit(f"//{alone.receiver_listen}").hostname or ""
        alone = replace(alone, receiver_listen=f"[{host}]:0" if ":" in host else f"{host}:0")
    return replace(alone, report_dir=report, account_locks=directory)


def given_to_worker(config: pytest.Config) -> dict[str, Any]:
    """Return what `Workers` tells a worker; empty in every other process."""
    settings: dict[str, Any] = getattr(config, "workerinput", {}).get(INPUT, {})
    return settings


def check(settings: Settings) -> None:
    """Raise UsageError for workers that the target excludes."""
    if settings.target.embedded and settings.concurrency not in {None, 1}:
        raise UsageError(
            "-n and --concurrency need a target: one process tests the embedded reference, and turns its clock"
        )


def worker_count(session: pytest.Session, run: Run, response: float) -> int:
    """Return how many workers run the tests; `response` is in seconds.

    None where a user looks at the output or the variables of a test, and where the target limits the rate already.
    """
    config = session.config
    options = vars(config.option)
    is_watched = options.get("capture") == "no" or options.get("usepdb") or options.get("trace")
    if is_watched or not config.pluginmanager.has_plugin("xdist"):
        return 1
    if run.settings.concurrency is None and any(exchange.status == TOO_MANY for exchange in run.recorder.exchanges):
        return 1
    return workers(run.settings, session.items, response)


def said_of_workers(count: int, response: float) -> list[str]:
    """Return the line that says how many workers there are."""
    return [f"a response takes {response * 1000:.0f} ms: {count} workers share the tests"] if count > 1 else []


def run_workers(session: pytest.Session, run: Run, count: int) -> None:
    """Have pytest-xdist start the workers, and wait for their end. `run` is what the first look needed."""
    from xdist.dsession import (  # type: ignore[import-untyped]  # noqa: PLC0415  # untyped; a plain run needs none of it
        DSession,
    )

    config = session.config
    run.close()
    config.option.dist, config.option.tx = "each", ["popen"] * count
    config.option.maxworkerrestart = "0"  # another worker would be another run of the same shard
    named = [word for plugin in PLUGINS for word in ("-p", plugin)]
    words = ("-c", str(config.inipath), f"--rootdir={config.rootpath}", *named, *config.invocation_params.args)
    config.invocation_params = replace(config.invocation_params, args=words)  # as it is, a report directory is a root
    ours = config.stash[KEY]
    runnable = {item.nodeid for item in runnable_tests(ours.settings, ours.selected)}
    division = divided(ours.selected, count, ours.settings.receiving_worker, runnable.__contains__)
    shares = [[item.nodeid for item in tests] for tests in division]
    started = Workers(ours, run, shares)
    config.pluginmanager.register(started, "pix-workers")
    if config.pluginmanager.has_plugin("pix-progress"):
        config.pluginmanager.unregister(name="pix-progress")
        progress = WorkersProgress(config, started.directory, shares, real_wait(ours.settings, ours.selected))
        config.pluginmanager.register(progress, "pix-workers-progress")
    distributed = DSession(config)
    config.pluginmanager.register(distributed, "dsession")
    started.start(distributed, session)
    distributed.pytest_runtestloop()


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Workers:
    """A pytest plugin of the process that the user started: it starts and stops workers, and joins their reports."""

    ours: Session
    run: Run
    """The run of the first look, which is over."""
    tests: list[list[str]]
    """For each worker, the node ids of its tests."""
    directory: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pix-workers-")))
    pids: dict[int, int] = field(default_factory=dict)
    """The process id of each worker that was started, by its number."""
    stopped: bool = False
    """Whether the workers were asked to end."""

    def start(self, distributed: Any, session: pytest.Session) -> None:
        """Have pytest-xdist start the workers. Raises Interrupted if a signal ended one of them meanwhile."""
        try:
            distributed.pytest_sessionstart(session)
        except OSError:  # the connection to a worker is closed
            if not self.stopped:
                raise
            raise Interrupted(self.ours.waits.interruption.words) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config) -> None:
        """Write what the workers read. A signal is passed on to them."""
        if self.ours.again:
            (self.directory / EARLIER).mkdir()
            write(self.directory / EARLIER, self.ours.again.bundle, str)
        if reporter := cast("Any", config.pluginmanager.get_plugin("terminalreporter")):
            reporter._show_progress_info = False  # noqa: SLF001  # pytest would take the tests of one worker for all
        self.ours.waits.interruption.wakes.append(self._interrupt)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker its place. A run that was interrupted starts none."""
        if self.stopped:
            raise Interrupted(self.ours.waits.interruption.words)
        number = _number(node)
        self.pids[number] = node.gateway._rinfo().pid  # noqa: SLF001  # execnet has no other name for it
        node.workerinput[INPUT] = {
            "number": number,
            "of": len(self.tests),
            "tests": self.tests[number - 1],
            **self.ours.collection,
            "sent": len(self.run.recorder.exchanges),
            "examples": self.run.settings.examples,
            "directory": str(self.directory),
            "command": self.ours.command,
            "report_dir": str(self.ours.settings.report_dir),
            "left": asdict(self.ours.left) if self.ours.left and number == 1 else None,
            **({"earlier": str(self.directory / EARLIER)} if self.ours.again else {}),
        }

    def pytest_testnodedown(self, node: Any) -> None:
        """Note the end of a worker: one that crashed could not."""
        EndedWorkers(self.directory).note(_number(node))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Stop the workers that still run, because the run was interrupted or -x ended it."""
        self._stop()
        ends = time.monotonic() + GRACE_S
        while time.monotonic() < ends and any(map(_runs, self._left())):
            time.sleep(0.05)

    def pytest_unconfigure(self) -> None:
        """Remove the reports of the workers."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def merged(self, directory: Path) -> Bundle:
        """Join the reports of the workers in `directory`, and return them as one bundle. BundleError if there is none.

        After an interruption the tests that judge the whole run are not run again, because the user waits.
        """
        parts = [self.directory / str(number) for number in range(1, len(self.tests) + 1)]
        reports = [part for part in parts if holds_a_report(part)]
        if not reports:
            raise BundleError("no worker has left a report")
        interruption = self.ours.waits.interruption
        with ThreadPoolExecutor(1) as pool:  # its process reads the reports too
            judging = (
                None if interruption else pool.submit(_judge_whole_run, reports, self.directory / "whole-run.json")
            )
            bundles = [read(report) for report in reports]
        bundle = merge(bundles, judging.result() if judging else WholeRunTests(), self.ours.excuses)
        compared_bundle = compared(self.ours, bundle)
        status = FAILED if compared_bundle.run.gate != bundle.run.gate else bundle.run.exit
        return write(directory, concluded(compared_bundle, interruption.status if interruption else status), str)

    def _interrupt(self) -> None:
        self.ours.waits.interruption.begin_to_end()  # the workers write the reports, this process has none to write
        self._stop()

    def _stop(self) -> None:
        """Ask each worker that has no report to end, once: a second signal would end it without its report."""
        for pid in self._left() if not self.stopped else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        self.stopped = True

    def _left(self) -> list[int]:
        """Return the process ids of workers without a report."""
        return [pid for number, pid in list(self.pids.items()) if not holds_a_report(self.directory / str(number))]


def _number(node: Any) -> int:
    return int(node.gateway.id.removeprefix("gw")) + 1


def _judge_whole_run(reports: list[Path], file: Path) -> WholeRunTests:
    """Run the tests that judge the whole run in a process of their own. BundleError if it fails."""
    words = [sys.executable, "-m", whole_run_tests.__name__, *map(str, reports), str(file)]
    process = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # this Python
    if process.returncode:
        raise BundleError(f"the reports of the workers could not be joined: {process.stderr.strip()}")
    return whole_run_tests.read(file)


def conclude_workers(session: pytest.Session, workers: Workers, directory: Path) -> None:
    """Join the reports of the workers in the draft of the report, and set the exit status. Raises as `merged`."""
    ours, bundle = workers.ours, workers.merged(directory)
    session.config.hook.pytest_pix_bundle_written(config=session.config, directory=directory)
    interruption = ours.waits.interruption
    session.exitstatus = interruption.status if interruption else bundle.run.exit
    ours.closing = whole_run_of(bundle).headline(session.exitstatus)
    ours.results = [
        RequirementResult(catalogue()[entry.id], entry.outcome, entry.reason, entry.why) for entry in bundle.entries
    ]
    ours.blocks = failure_blocks(bundle)
    ours.recorder.notices = [*bundle.notices, *bundle.environment]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
