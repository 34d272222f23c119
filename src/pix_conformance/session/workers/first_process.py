"""Workers side by side, so that the time in which a target answers is not waited for once per request.

Each worker is a process of pytest-xdist that runs one shard, and writes its facts into a journal. The process that the
user started collects the tests and looks at the target first, which shows whether workers help; then it reads the
journals of all, and judges.
"""

import contextlib
import os
import shutil
import signal
import tempfile
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from pix_conformance.harness.receiving import listening_port, not_listening
from pix_conformance.harness.run import Run
from pix_conformance.harness.worker_phases import Phase, WorkerPhases
from pix_conformance.model.reception import RelayAddress
from pix_conformance.model.settings import Settings
from pix_conformance.model.undecided import TOO_MANY
from pix_conformance.model.vocabulary import Interrupted, UsageError
from pix_conformance.receiver import Relay
from pix_conformance.recording.bundle.writer import write
from pix_conformance.session import PLUGINS
from pix_conformance.session.duration import real_wait, workers
from pix_conformance.session.end import conclude_run
from pix_conformance.session.report_draft import ReportDraft
from pix_conformance.session.runnable_tests import runnable_tests
from pix_conformance.session.state import KEY, Session
from pix_conformance.session.workers.facts_of_workers import read_workers
from pix_conformance.session.workers.progress_of_workers import WorkersProgress
from pix_conformance.session.workers.shards import divided
from pix_conformance.session.workers.worker import INPUT
from pix_conformance.verdicts.exit_status import OUR_ERROR

GRACE_S = 8.0
"""Seconds for the last facts of workers that are stopped."""
EARLIER = "earlier"
"""The copy of the report of --again, which this run may replace before a worker has read it."""


def check(settings: Settings) -> None:
    """Raise UsageError for workers that the target excludes."""
    if settings.target.embedded and settings.workers.concurrency not in {None, 1}:
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
    if run.settings.workers.concurrency is None and any(
        exchange.status == TOO_MANY for exchange in run.sender.facts.exchanges
    ):
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
    state = config.stash[KEY]
    runnable = {item.nodeid for item in runnable_tests(state.settings, state.tests.selected)}
    division = divided(state.tests.selected, count, runnable.__contains__)
    shares = [[item.nodeid for item in tests] for tests in division]
    started = Workers(state, run, shares, _relay(run))
    config.pluginmanager.register(started, "pix-workers")
    if config.pluginmanager.has_plugin("pix-progress"):
        config.pluginmanager.unregister(name="pix-progress")
        longest, examples = real_wait(state.settings, state.tests.selected), run.settings.generation.examples
        progress = WorkersProgress(config, started.directory, division, examples, longest)
        config.pluginmanager.register(progress, "pix-workers-progress")
    distributed = DSession(config)
    config.pluginmanager.register(distributed, "dsession")
    started.start(distributed, session)
    distributed.pytest_runtestloop()


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Workers:
    """A pytest plugin of the process that the user started: it starts and stops workers, and reads their journals."""

    state: Session
    run: Run
    """The run of the first look, which is over."""
    tests: list[list[str]]
    """For each worker, the node ids of its tests."""
    relay: Relay | None = None
    """The port at which webhooks of all workers arrive; None if the run receives none."""
    relay_address: RelayAddress | None = None
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
            raise Interrupted(self.state.waits.interruption.words) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config) -> None:
        """Write what the workers read, and listen for them. A signal is passed on to them."""
        try:
            self.relay_address = self.relay.start() if self.relay else None
        except OSError as reason:
            self.state.facts.note(not_listening(self.state.settings.reception, reason))
        if again := self.state.comparisons.again:
            (self.directory / EARLIER).mkdir()
            write(self.directory / EARLIER, again.bundle, str)
        if reporter := cast("Any", config.pluginmanager.get_plugin("terminalreporter")):
            reporter._show_progress_info = False  # noqa: SLF001  # pytest would take the tests of one worker for all
        self.state.waits.interruption.wakes.append(self._interrupt)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker its place. A run that was interrupted starts none."""
        if self.stopped:
            raise Interrupted(self.state.waits.interruption.words)
        number = _number(node)
        self.pids[number] = node.gateway._rinfo().pid  # noqa: SLF001  # execnet has no other name for it
        node.workerinput[INPUT] = {
            "number": number,
            "of": len(self.tests),
            "tests": self.tests[number - 1],
            "sent": len(self.run.sender.facts.exchanges),
            "examples": self.run.settings.generation.examples,
            "directory": str(self.directory),
            "command": self.state.command,
            "report_dir": str(self.state.settings.report_dir),
            "relay": asdict(self.relay_address) if self.relay_address else None,
            "left": asdict(self.state.left) if self.state.left and number == 1 else None,
            **({"earlier": str(self.directory / EARLIER)} if self.state.comparisons.again else {}),
        }

    def pytest_testnodedown(self, node: Any) -> None:
        """Note the end of a worker: one that crashed could not."""
        WorkerPhases(self.directory).note(_number(node), *Phase)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Stop the workers that still run, because the run was interrupted or -x ended it."""
        self._stop()
        ends = time.monotonic() + GRACE_S
        while time.monotonic() < ends and any(map(_runs, self._left())):
            time.sleep(0.05)

    def pytest_unconfigure(self) -> None:
        """Close the port, and remove what the workers shared."""
        if self.relay_address and self.relay:
            self.relay.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _interrupt(self) -> None:
        self.state.waits.interruption.begin_to_end()  # the workers send nothing more
        self._stop()

    def _stop(self) -> None:
        """Ask each worker that has not concluded to end, once: a second signal would end it without its last facts."""
        for pid in self._left() if not self.stopped else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        self.stopped = True

    def _left(self) -> list[int]:
        """Return the process ids of workers that have not concluded."""
        phases = WorkerPhases(self.directory)
        return [pid for number, pid in list(self.pids.items()) if not phases.has(number, Phase.CONCLUDED)]


def _relay(run: Run) -> Relay | None:
    """Return the port of the workers, if this process had a receiver at the first look."""
    return Relay(listening_port(run.settings.receiver)) if run.receiving.receiver else None


def _number(node: Any) -> int:
    return int(node.gateway.id.removeprefix("gw")) + 1


def conclude_workers(session: pytest.Session, workers: Workers, draft: ReportDraft, exitstatus: int) -> None:
    """Judge what all workers wrote; where none has begun, what this process saw when it looked at the target."""
    facts = read_workers(workers.state.settings.report_dir, workers.tests)
    if not facts.have_begun:
        workers.state.facts.note("no worker has begun")
        exitstatus = OUR_ERROR
    conclude_run(session, draft, exitstatus, facts)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
