"""Runs of the suite that a signal interrupts, against a separate sandbox process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from pix_conformance.model.paths import without_settings
from pix_conformance.proof.suite_run import ROOT

SANDBOX = "import sys; from pix_conformance.cli import sandbox; sys.exit(sandbox())"
LAST_VARIABLE = "PIX_TRANSFER_KEY"
LONGEST_START_S = 60
LONGEST_END_S = 5.0


@dataclass(frozen=True)
class Sandbox:
    """A running pix-sandbox, and the variables that it printed."""

    variables: dict[str, str]

    def webhooks(self, role: str = "") -> list[Any]:
        """Return the current webhooks of an account."""
        pair = (self.variables[f"PIX_{role}CLIENT_ID"], self.variables[f"PIX_{role}CLIENT_SECRET"])
        with httpx.Client(base_url=self.variables["PIX_BASE_URL"]) as client:
            token = client.post("/api/auth", auth=pair).json()["token"]
            answer = client.get("/api/v1/webhook", headers={"Authorization": f"Bearer {token}"})
        hooks: list[Any] = answer.json()["data"]["webhooks"]
        return hooks


@contextmanager
def sandbox(*options: str) -> Iterator[Sandbox]:
    """Run pix-sandbox with these options for the block."""
    words = [sys.executable, "-c", SANDBOX, *options]
    log = subprocess.DEVNULL
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as process:  # noqa: S603  # ours
        try:
            variables: dict[str, str] = {}
            while LAST_VARIABLE not in variables:
                line = process.stdout.readline() if process.stdout else ""
                if line.startswith("export "):
                    name, _, value = line.removeprefix("export ").strip().partition("=")
                    variables[name] = value
            yield Sandbox(variables)
        finally:
            process.kill()


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

    def end(self, *signals: signal.Signals) -> tuple[int, float]:
        """Send the signals; return the exit status, and the seconds until the end."""
        begun = time.monotonic()
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.2 if len(signals) > 1 else 0)
        status = self.process.wait(30)
        return status, time.monotonic() - begun

    @property
    def results(self) -> dict[str, Any]:
        """The parsed results.json."""
        parsed: dict[str, Any] = json.loads((self.directory / "results.json").read_text(encoding="utf-8"))
        return parsed


def started(directory: Path, *words: str, **environment: str) -> AbstractContextManager[Started]:
    """Start the suite by Python itself."""
    return _started([sys.executable, "-m", "pytest"], directory, words, environment)


def started_by_uv(directory: Path, *words: str, **environment: str) -> AbstractContextManager[Started]:
    """Start the suite by `uv run`, whose process is the parent of pytest's."""
    return _started(["uv", "run", "--no-sync", "pytest"], directory, words, environment)


@contextmanager
def _started(
    command: list[str], directory: Path, words: tuple[str, ...], environment: Mapping[str, str]
) -> Iterator[Started]:
    """Start the suite like a shell in the foreground, where Ctrl-C is not ignored, in a process group of its own."""
    log = directory.with_suffix(".log")
    with (
        log.open("wb") as file,
        subprocess.Popen(  # noqa: S603  # our own suite
            [*command, "--report-dir", str(directory), *words],
            cwd=ROOT,
            env=without_settings(**environment),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_as_in_the_foreground,  # noqa: PLW1509  # the child has one thread, which does this first
        ) as process,
    ):
        try:
            yield Started(process, directory, log)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _as_in_the_foreground() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def longest_end() -> float:
    """Return how many seconds an interrupted run may take to end, depending on the load of the machine."""
    return LONGEST_END_S * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
