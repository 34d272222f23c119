"""A reference in a forked process, which has all imports already; it stands in for the one that a run starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, cast

from pix_conformance.reference.process import Running
from pix_conformance.reference.process_main import main


class Process:
    """What a run needs of a process: its pipes, its end."""

    def __init__(self, pid: int, orders: int, answers: int) -> None:
        """Take the process id and the file descriptors of its standard input and output."""
        self.pid = pid
        self.stdin, self.stdout = os.fdopen(orders, "w"), os.fdopen(answers)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; TimeoutExpired, as of a subprocess, if it does not come."""
        ends = time.monotonic() + (timeout or 60)
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > ends:
                raise subprocess.TimeoutExpired("reference", timeout or 60)
            time.sleep(0.002)
        return 0

    def kill(self) -> None:
        """End it at once."""
        os.kill(self.pid, signal.SIGKILL)


class Launcher:
    """Forked while there are no threads yet; serves once it is told how."""

    def __init__(self) -> None:
        """Fork; the child waits for its arguments."""
        hears, orders = os.pipe()
        answers, says = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(orders)
            os.close(answers)
            _serve(hears, says)
        os.close(hears)
        os.close(says)
        self._process = Process(pid, orders, answers)

    def start(self, rules: Sequence[str] = (), **named: Any) -> Running:
        """Stand in for `pix_conformance.reference.process.start`."""
        words = [word for rule in rules for word in ("--rules", rule)]
        words += [f"--{name.replace('_', '-')}={value}" for name, value in named.items() if value]
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the reference ended before it listened")
        found = json.loads(line)
        return Running(found["base_url"], found, cast("subprocess.Popen[str]", self._process))


def _serve(hears: int, says: int) -> None:
    """Be the reference until its owner is gone; never returns."""
    os.dup2(hears, 0)
    os.dup2(says, 1)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    try:
        line = sys.stdin.readline()
        if line:
            main(json.loads(line))
    finally:
        os._exit(0)
