"""A `pix-sandbox` process as the target of a tool: its variables, and the time of each request that it answered."""

from __future__ import annotations

import random
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Ports of receivers, below the range from which the system takes ports."""
ANSWERED = re.compile(r"[A-Z]+ \S* (\d{3}|gone) \d+ ms")
"""The line that `pix-sandbox` writes for each request."""


@dataclass(frozen=True)
class ServedSandbox:
    """A running server."""

    variables: dict[str, str]
    """What a user exports: address, credentials, receiver."""
    times: list[float]
    """When each request was answered, in epoch seconds."""

    @property
    def base_url(self) -> str:
        """The address, without /v1 and /api."""
        return self.variables["PIX_BASE_URL"]

    def requests_until(self, moment: float) -> int:
        """Return how many requests were answered until that moment, in epoch seconds."""
        return bisect_right(self.times, moment)


@contextmanager
def serve(words: Sequence[str] = ()) -> Iterator[ServedSandbox]:
    """Run `pix-sandbox` with these options; its business events go to the receiver's port. RuntimeError if it ends."""
    port, secret = free_port(), secrets.token_urlsafe(24)
    hook = [f"--business-webhook=https://127.0.0.1:{port}/business", f"--business-webhook-secret={secret}"]
    words = [str(Path(sys.executable).with_name("pix-sandbox")), *hook, *words]
    pipe, times = subprocess.PIPE, list[float]()
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as process:  # noqa: S603  # our own server
        reader = threading.Thread(target=_note_requests, args=(process, times))
        reader.start()
        try:
            yield ServedSandbox(_exported(process) | {"PIX_RECEIVER_LISTEN": f"127.0.0.1:{port}"}, times)
        finally:
            process.kill()
            reader.join()


def _exported(process: subprocess.Popen[str]) -> dict[str, str]:
    """Read the lines `export NAME=VALUE` that the server prints, up to the last one."""
    variables: dict[str, str] = {}
    for line in process.stdout or ():
        name, _, value = line.removeprefix("export ").strip().partition("=")
        variables |= {name: value} if line.startswith("export ") else {}
        if name == "PIX_BUSINESS_WEBHOOK_SECRET":
            return variables
    raise RuntimeError("pix-sandbox ended before it listened")


def _note_requests(process: subprocess.Popen[str], times: list[float]) -> None:
    for line in process.stderr or ():
        if ANSWERED.fullmatch(line.strip()):
            times.append(time.time())
        elif line.startswith("pix-sandbox: "):
            sys.stderr.write(line)  # why it does not listen


def free_port() -> int:
    """Return a port on which nothing listens. Raises RuntimeError if there is none."""
    for port in random.sample(range(FIRST_PORT, LAST_PORT), LAST_PORT - FIRST_PORT):
        with socket.socket() as line:
            try:
                line.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port is free")
