"""A `pix-sandbox` process as the target of a tool: its variables."""

from __future__ import annotations

import random
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Ports of receivers, below the range from which the system takes ports."""


@dataclass(frozen=True)
class Target:
    """A running server."""

    variables: dict[str, str]
    """What a user exports: address, credentials, receiver."""

    @property
    def base_url(self) -> str:
        """The address, without /v1 and /api."""
        return self.variables["PIX_BASE_URL"]


@contextmanager
def serve(words: Sequence[str] = ()) -> Iterator[Target]:
    """Run `pix-sandbox` with these options; its business events go to the receiver's port. RuntimeError if it ends."""
    port, secret = free_port(), secrets.token_urlsafe(24)
    hook = [f"--business-webhook=https://127.0.0.1:{port}/business", f"--business-webhook-secret={secret}"]
    words = [str(Path(sys.executable).with_name("pix-sandbox")), "--no-log", *hook, *words]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # our own server
        try:
            yield Target(_exported(process) | {"PIX_RECEIVER_LISTEN": f"127.0.0.1:{port}"})
        finally:
            process.kill()


def _exported(process: subprocess.Popen[str]) -> dict[str, str]:
    """Read the lines `export NAME=VALUE` that the server prints, up to the last one."""
    found: dict[str, str] = {}
    for line in process.stdout or ():
        name, _, value = line.removeprefix("export ").strip().partition("=")
        found |= {name: value} if line.startswith("export ") else {}
        if name == "PIX_BUSINESS_WEBHOOK_SECRET":
            return found
    raise RuntimeError("pix-sandbox ended before it listened")


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
