"""Runs of the suite that a signal interrupts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pix_conformance.model.paths import without_settings
from pix_conformance.proof.suite_run import ROOT
from pix_conformance.recording.bundle.reader import read_results
from pix_conformance.reference.process import Running
from tests.support.reference_calls import HOOK, payments

LONGEST_START_S = 60
LONGEST_END_S = 5.0


def webhooks(server: Running) -> list[Any]:
    """Return the current webhooks of both accounts."""
    hooks: list[Any] = []
    for role in ("merchant", "other_merchant"):
        with payments(server, role) as client:
            hooks += client.get(HOOK).json()["data"]["webhooks"]
    return hooks


@dataclass
class Started:
    """A running suite process."""

    process: subprocess.Popen[bytes]
    directory: Path
    log: Path

    def output(self) -> str:
        """Return its output so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def opened(self) -> None:
        """Wait for the line that names the target: from then on the run handles signals."""
        ends = time.monotonic() + LONGEST_START_S
        while "pix-conformance 1" not in self.output() and self.process.poll() is None and time.monotonic() < ends:
            time.sleep(0.02)

    def end(self, number: signal.Signals, *, of_group: bool = False) -> tuple[int, float]:
        """Send a signal, also to all processes of the group; return the exit status, and the seconds until the end."""
        begun = time.monotonic()
        (os.killpg if of_group else os.kill)(self.process.pid, number)
        return self.process.wait(30), time.monotonic() - begun

    @property
    def results(self) -> dict[str, Any]:
        """The parsed results.json."""
        return read_results(self.directory)


@contextmanager
def started(directory: Path, *words: str, by: str = "", **given: str) -> Iterator[Started]:
    """Start the suite, by Python or another command, in a process group of its own.

    Ctrl-C is not ignored, as by a shell in the foreground.
    """
    log = directory.with_suffix(".log")
    with (
        log.open("wb") as file,
        subprocess.Popen(  # noqa: S603  # our own suite
            [*(by.split() or [sys.executable, "-m"]), "pytest", "--report-dir", str(directory), *words],
            cwd=ROOT,
            env=without_settings(**given),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=as_in_the_foreground,  # noqa: PLW1509  # the child has one thread, which does this first
        ) as process,
    ):
        try:
            yield Started(process, directory, log)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def as_in_the_foreground() -> None:
    """Take SIGINT as a terminal sends it: a shell without jobs starts what it does not wait for with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def longest_end() -> float:
    """Return how many seconds an interrupted run may take to end, depending on the load of the machine.

    The load is the mean of a minute; each pytest-xdist worker may be busy with a run and its server right now.
    """
    busy = 2 * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return LONGEST_END_S * max(1.0, max(os.getloadavg()[0], busy) / (os.cpu_count() or 1))
