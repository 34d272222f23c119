"""Runs the commands of an integration: one that starts its endpoint, and those that have it act."""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.printable import clip
from pix_conformance.model.why import Why

LONGEST_S, START_S, STOP_S = 30.0, 20.0, 5.0
LONGEST_OUTPUT = 400


class CommandError(Exception):
    """A command of the integration ended with a status other than 0, or not at all; `str` says which and why."""


class Commands:
    """The commands of one integration, with the variables that each gets. They are lines for `sh`."""

    def __init__(self, commands: Mapping[str, str], variables: Mapping[str, str]) -> None:
        self._commands, self._variables = commands, variables
        self._directory = tempfile.TemporaryDirectory(prefix="pix-integration-")
        self._started: subprocess.Popen[bytes] | None = None

    def has(self, *names: str) -> bool:
        """Whether the integration has all these commands."""
        return all(name in self._commands for name in names)

    def require(self, *names: str) -> None:
        """Raise NotApplicable, with its name, for a command that the integration does not have."""
        for name in names:
            if name not in self._commands:
                raise NotApplicable(f"the command {name} is not set (--{name})", Why.NOT_SET)

    def start(self) -> None:
        """Start the endpoint, if there is a command for it."""
        if "start" in self._commands:
            with (Path(self._directory.name) / "log").open("wb") as log:
                self._started = subprocess.Popen(  # noqa: S602  # the command of the user
                    self._commands["start"],
                    shell=True,
                    env=self._environment({}),
                    stdout=log,
                    stderr=log,
                    process_group=0,
                )

    def wait_for(self, address: str) -> None:
        """Wait until an endpoint accepts connections. Raises Inconclusive if it ends, or does not within START_S."""
        ends = time.monotonic() + START_S
        while time.monotonic() < ends:
            if self._started and self._started.poll() is not None:
                words = f"the command start ended with status {self._started.returncode}: {self.log()}"
                raise Inconclusive(words, Why.UNUSABLE)
            try:
                self._connect(address)
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise Inconclusive(f"nothing listens at the webhook endpoint {address} {self.log()}".strip(), Why.UNUSABLE)

    def is_closed_soon(self, address: str) -> bool:
        """Wait until an endpoint accepts no connection any more; return whether that came true within STOP_S."""
        ends = time.monotonic() + STOP_S
        while time.monotonic() < ends:
            try:
                self._connect(address)
            except OSError:
                return True
            time.sleep(0.05)
        return False

    @staticmethod
    def _connect(address: str) -> None:
        at = urlsplit(address)
        socket.create_connection((at.hostname or "", at.port or (443 if at.scheme == "https" else 80)), 1).close()

    def run(self, name: str, **variables: str) -> str:
        """Run a command; return what it prints, without blanks around it. Raises CommandError, NotApplicable."""
        self.require(name)
        line, env = self._commands[name], self._environment(variables)
        with subprocess.Popen(  # noqa: S602  # the command of the user
            line,
            shell=True,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,
        ) as process:
            try:
                printed, complaint = process.communicate(timeout=LONGEST_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with what it has started, which has its output open
                raise CommandError(f"the command {name} did not end within {LONGEST_S:.0f} s") from None
        if process.returncode:
            words = clip(f"{complaint.strip()} {printed.strip()}".strip() or "it printed nothing", LONGEST_OUTPUT)
            raise CommandError(f"the command {name} ended with status {process.returncode}: {words}")
        return printed.strip()

    def stop(self) -> None:
        """Stop what was started, with the processes that it started, and remove its files."""
        self.end()
        self._directory.cleanup()

    def end(self) -> None:
        """Stop what was started, with the processes that it started; their files are kept for the next start."""
        if self._started and self._started.poll() is None:
            os.killpg(self._started.pid, signal.SIGTERM)
            try:
                self._started.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(self._started.pid, signal.SIGKILL)
                self._started.wait()

    def log(self) -> str:
        """Return the end of what the endpoint has written."""
        path = Path(self._directory.name) / "log"
        text = path.read_text("utf-8", "replace").strip() if path.is_file() else ""
        return f"...{text[-LONGEST_OUTPUT:]}" if len(text) > LONGEST_OUTPUT else text

    def _environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PIX_")}
        return {**inherited, "PIX_DIRECTORY": self._directory.name, **self._variables, **variables}
