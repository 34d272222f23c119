"""A reference in a forked process, which has all imports already; a run uses it instead of a new process."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from pix_conformance.reference.process import Running
from pix_conformance.reference.process_main import main


class Process:
    """The part of subprocess.Popen that a run needs."""

    def __init__(self, pid: int, orders: int, answers: int) -> None:
        """`orders` and `answers` are the file descriptors of the process's standard input and output."""
        self.pid = pid
        self.stdin, self.stdout = os.fdopen(orders, "w"), os.fdopen(answers)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises TimeoutExpired, as subprocess does."""
        ends = time.monotonic() + (timeout or 60)
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > ends:
                raise subprocess.TimeoutExpired("reference", timeout or 60)
            time.sleep(0.002)
        return 0

    def kill(self) -> None:
        """Send SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)


class Launcher:
    """A process that is forked before this process has threads, and serves when it receives arguments."""

    def __init__(self, errors: Path) -> None:
        """Fork. The child waits for its arguments. What it logs, the errors of its rules, goes to the file `errors`."""
        reads_from, orders = os.pipe()
        answers, writes_to = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(orders)
            os.close(answers)
            _serve(reads_from, writes_to, errors)
        os.close(reads_from)
        os.close(writes_to)
        self._process = Process(pid, orders, answers)

    def start(self, rules: Sequence[str] = (), **options: Any) -> Running:
        """Do what `pix_conformance.reference.process.start` does, with the forked process."""
        words = [word for rule in rules for word in ("--rules", rule)]
        words += [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value]
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the reference ended before it listened")
        introduction = json.loads(line)
        return Running(introduction["base_url"], introduction, cast("subprocess.Popen[str]", self._process))


def _serve(reads_from: int, writes_to: int, errors: Path) -> None:
    """Serve until the parent process closes the pipe. Never returns."""
    logging.basicConfig(filename=errors, level=logging.WARNING, force=True)
    os.dup2(reads_from, 0)
    os.dup2(writes_to, 1)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    try:
        line = sys.stdin.readline()
        if line:
            main(json.loads(line))
    finally:
        os._exit(0)
