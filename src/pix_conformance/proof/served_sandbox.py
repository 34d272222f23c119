"""`pix-sandbox` in a process of its own, and nginx before it, for runs in real time."""

from __future__ import annotations

import random
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Ports of receivers, below the range from which the system takes ports."""
ANSWERED = re.compile(r"[A-Z]+ \S* (\d{3}|gone) \d+ ms")
"""The line that `pix-sandbox` writes for each request."""

PACKAGE_CONF = Path("/etc/nginx/nginx.conf")
STARTS_WITHIN_S = 10
SITE = """server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://{payments}; }}
    location {path}/v1/ {{ proxy_pass http://{business}; }}
}}
"""


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


@contextmanager
def nginx_before(base_url: str, *, business: str) -> Iterator[str]:
    """Run Debian's nginx before two servers, of which one has the business API, and yield its own address.

    Their base URLs have the same path. RuntimeError if nginx does not listen.
    """
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if program is None:
        raise RuntimeError("nginx is not installed: apt-get install nginx")
    address, port = urlsplit(base_url), free_port()
    site = SITE.format(port=port, path=address.path, payments=address.netloc, business=urlsplit(business).netloc)
    with TemporaryDirectory(prefix="pix-nginx-") as directory:
        conf = Path(directory) / "nginx.conf"
        conf.write_text(configuration(PACKAGE_CONF.read_text(), site, directory))
        words = [program, "-c", str(conf), "-g", "daemon off;"]
        process = subprocess.Popen(words)  # noqa: S603  # the program of the package
        try:
            _wait(process, port)
            yield address._replace(netloc=f"127.0.0.1:{port}").geturl()
        finally:
            process.terminate()
            process.wait()


def configuration(text: str, site: str, directory: str) -> str:
    """Return the configuration of the package with another site; process id and logs go to a directory.

    Raises ValueError if the configuration has another form.
    """
    changes = {
        "include /etc/nginx/sites-enabled/*;": site,
        "pid /run/nginx.pid;": f"pid {directory}/nginx.pid;",
        "error_log /var/log/nginx/error.log;": f"error_log {directory}/nginx-error.log;",
        "access_log /var/log/nginx/access.log;": f"access_log {directory}/nginx-access.log;",
    }
    for line, changed in changes.items():
        if line not in text:
            raise ValueError(f"{PACKAGE_CONF} has no line {line!r}")
        text = text.replace(line, changed)
    return text


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    ends = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < ends and process.poll() is None:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("nginx does not listen")
