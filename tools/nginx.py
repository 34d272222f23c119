"""nginx as Debian installs it, in front of a server: `nginx.conf` of the package, with one site of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

PACKAGE_CONF = Path("/etc/nginx/nginx.conf")
STARTS_WITHIN_S = 10
SITE = """server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://{server}; }}
}}
"""


@contextmanager
def before(base_url: str, port: int, directory: Path) -> Iterator[str]:
    """Run nginx before a server, and yield the address that clients use. RuntimeError if it does not listen."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if program is None:
        raise RuntimeError("nginx is not installed: apt-get install nginx")
    address = urlsplit(base_url)
    conf = directory / "nginx.conf"
    conf.write_text(configuration(PACKAGE_CONF.read_text(), address.netloc, port, directory))
    words = [program, "-c", str(conf), "-g", "daemon off;"]
    with subprocess.Popen(words) as process:  # noqa: S603  # the program of the package
        try:
            _wait(process, port)
            yield address._replace(netloc=f"127.0.0.1:{port}").geturl()
        finally:
            process.terminate()


def configuration(text: str, server: str, port: int, directory: Path) -> str:
    """Return the configuration of the package with our site; process id and logs go to a directory.

    Raises ValueError if the configuration has another form.
    """
    changes = {
        "include /etc/nginx/sites-enabled/*;": SITE.format(port=port, server=server),
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
