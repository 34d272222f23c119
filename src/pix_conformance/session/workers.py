"""Workers side by side, so that the time in which a target answers is not waited for once per request.

Each worker is a process of pytest-xdist that runs one shard, with a run of its own. The process that the user started
sends nothing but the first look at the target; it joins the reports of the workers.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.run import Run, begin
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.settings import Settings, Shard
from pix_conformance.model.vocabulary import UsageError
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle, BundleError
from pix_conformance.recording.bundle.writer import write
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.report_directory import holds_a_report
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.session import PLUGINS, whole_run_tests
from pix_conformance.session.comparison import compared
from pix_conformance.session.plan import MOST_WORKERS, workers_for
from pix_conformance.session.preflight import try_credentials
from pix_conformance.session.production import warning_of_workers
from pix_conformance.session.state import Session
from pix_conformance.session.workers_progress import WorkersProgress
from pix_conformance.verdicts.exit_status import FAILED, OUR_ERROR, concluded, whole_run_of
from pix_conformance.verdicts.judge import RequirementResult
from pix_conformance.verdicts.merge import WholeRunTests, merge

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
    given = given_to_worker(config)
    if not given:
        count = getattr(config.option, "numprocesses", None)
        return settings if count is None else replace(settings, concurrency=max(1, int(count)))
    shard = Shard(given["number"], given["of"])
    directory = Path(given["directory"])
    (directory / f"{shard.number}.pid").write_text(str(os.getpid()))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when workers stop, and sends SIGTERM
    rate = settings.rate / shard.of if settings.rate else None
    report = directory / str(shard.number)
    cents = settings.max_cents if settings.max_cents is None else settings.max_cents // shard.of
    alone = replace(settings, shard=shard, rate=rate, max_cents=cents, concurrency=1, baseline=None, assume=None)
    return replace(alone, report_dir=report, account_locks=directory)


def given_to_worker(config: pytest.Config) -> dict[str, Any]:
    """Return what `Workers` tells a worker; empty in every other process."""
    settings: dict[str, Any] = getattr(config, "workerinput", {}).get(INPUT, {})
    return settings


def check(settings: Settings) -> None:
    """Raise UsageError for workers that the target excludes."""
    if settings.concurrency != 1 and settings.target.embedded:
        raise UsageError(
            "-n and --concurrency need a target: one process tests the embedded reference, and turns its clock"
        )


def start_workers(config: pytest.Config, ours: Session) -> None:
    """Have pytest-xdist start the workers."""
    count = ours.settings.concurrency or MOST_WORKERS
    config.option.dist, config.option.tx = "each", ["popen"] * count
    config.option.maxworkerrestart = "0"  # another worker would be another run of the same shard
    named = [word for plugin in PLUGINS for word in ("-p", plugin)]
    words = ("-c", str(config.inipath), f"--rootdir={config.rootpath}", *named, *config.invocation_params.args)
    config.invocation_params = replace(config.invocation_params, args=words)  # as it is, a report directory is a root
    workers = Workers(ours)
    config.pluginmanager.register(workers, "pix-workers")
    if config.get_verbosity() == 0:
        config.pluginmanager.register(WorkersProgress(config, workers.directory), "pix-workers-progress")


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Workers:
    """A pytest plugin of the process that the user started: it starts and stops workers, and joins their reports."""

    ours: Session
    directory: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pix-workers-")))
    count: int = 0
    stopped: bool = False
    """Whether the workers were asked to end."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: list[Any]) -> None:
        """Look at the target, and settle how many workers start. A signal is passed on to them."""
        run = first_look(self.ours.settings)
        if self.ours.settings.concurrency is None:
            del specs[workers_for(latency_ms(run)) :]
            config.option.tx = config.option.tx[: len(specs)]
        self.count = len(specs)
        if self.ours.again:
            (self.directory / EARLIER).mkdir()
            write(self.directory / EARLIER, self.ours.again.bundle, str)
        reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        reporter._show_progress_info = False  # noqa: SLF001  # pytest would take the tests of one worker for all
        access = run.access if config.get_verbosity() >= 0 else []
        for line in [*access, *warning_of_workers(self.ours.target)]:
            reporter.write_line(for_terminal(run.recorder.redact(line), 1_000))
        self.ours.waits.interruption.wakes.append(self._interrupt)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker its place."""
        node.workerinput[INPUT] = {
            "number": int(node.gateway.id.removeprefix("gw")) + 1,
            "of": self.count,
            "directory": str(self.directory),
            "command": self.ours.command,
            "report_dir": str(self.ours.settings.report_dir),
            "left": asdict(self.ours.left) if self.ours.left and node.gateway.id == "gw0" else None,
            **({"earlier": str(self.directory / EARLIER)} if self.ours.again else {}),
        }

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
        parts = [self.directory / str(number) for number in range(1, self.count + 1)]
        reports = [part for part in parts if holds_a_report(part)]
        if not reports:
            raise BundleError("no worker has left a report")
        interruption = self.ours.waits.interruption
        whole_run = WholeRunTests() if interruption else _judge_whole_run(reports, self.directory / "whole-run.json")
        bundle = merge([read(report) for report in reports], whole_run, self.ours.excuses)
        held = compared(self.ours, bundle)
        status = FAILED if held.run.gate != bundle.run.gate else bundle.run.exit
        return write(directory, concluded(held, interruption.status if interruption else status), str)

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
        files = sorted(self.directory.glob("*.pid"))
        return [int(file.read_text() or 0) for file in files if not holds_a_report(file.with_suffix(""))]


def _judge_whole_run(reports: list[Path], file: Path) -> WholeRunTests:
    """Run the tests that judge the whole run in a process of their own. BundleError if it fails."""
    words = [sys.executable, "-m", whole_run_tests.__name__, *map(str, reports), str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # this Python
    if done.returncode:
        raise BundleError(f"the reports of the workers could not be joined: {done.stderr.strip()}")
    return whole_run_tests.read(file)


def conclude_workers(session: pytest.Session, workers: Workers, directory: Path) -> None:
    """Join the reports of the workers in the draft of the report, and set the exit status."""
    ours = workers.ours
    try:
        bundle = workers.merged(directory)
    except BundleError as reason:
        session.exitstatus, ours.closing = OUR_ERROR, str(reason)
        return
    session.config.hook.pytest_pix_bundle_written(config=session.config, directory=directory)
    interruption = ours.waits.interruption
    session.exitstatus = interruption.status if interruption else bundle.run.exit
    ours.closing = whole_run_of(bundle).headline(session.exitstatus)
    ours.rows = [
        RequirementResult(catalogue()[entry.id], entry.outcome, entry.reason, entry.why) for entry in bundle.entries
    ]
    ours.blocks = failure_blocks(bundle)
    ours.recorder.notices += [*bundle.notices, *bundle.environment]


def first_look(settings: Settings) -> Run:
    """Try the credentials once, before the workers start, and return the run that did."""
    run = begin(replace(settings, receiver=False), Recorder(), (), Waits())
    try_credentials(run)
    run.line.close()
    return run


def latency_ms(run: Run) -> float:
    """Return how long the target takes for a response, in milliseconds: the median of the first look at it."""
    return median([exchange.elapsed_ms for exchange in run.recorder.exchanges if exchange.response] or [0.0])


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
