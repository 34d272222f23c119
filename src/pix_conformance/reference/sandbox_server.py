"""The server of `pix-sandbox`: it prints its credentials, reads commands to its clock, and serves until Ctrl-C."""

import argparse
import asyncio
import os
import shlex
import signal
import sys
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.reference import process_main
from pix_conformance.reference.process_main import Reference
from pix_conformance.reference.server import write_log


def serve(options: argparse.Namespace) -> int:
    """Serve until interrupted. Return 0, or 1 if the address cannot be used."""
    try:
        asyncio.run(process_main.serve(options, begin))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        print(f"{options.host}:{options.port}: {error.strerror}", file=sys.stderr)  # noqa: T201 - what the program is for
        return 1
    return 0


def begin(reference: Reference) -> None:
    """Print what a client needs, close the standard output, so that `$(pix-sandbox &)` ends, and read commands."""
    introduce(reference.facts())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if sys.stdin:
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)  # in the background a terminal cannot be read: no reason to stop
        threading.Thread(target=read_commands, args=(reference, asyncio.get_running_loop()), daemon=True).start()


def introduce(facts: dict[str, Any]) -> None:
    """Print the variables that point the suite at the reference, and to standard error the address."""
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables(facts).items()]
    write_log(f"Listening on {facts['base_url']} (Ctrl+C or kill {os.getpid()} stops it)")
    print(*lines, sep="\n", flush=True)  # noqa: T201 - what the program is for


def read_commands(reference: Reference, loop: asyncio.AbstractEventLoop) -> None:
    """Advance the clock by each line `advance SECONDS` of standard input, until that ends."""
    with suppress(OSError), open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as lines:
        for line in lines:  # without a buffer, whose lock would hold up the end of the process
            order, _, seconds = line.decode(errors="replace").strip().partition(" ")
            if order == "advance" and process_main.is_duration(seconds):
                loop.call_soon_threadsafe(reference.state.clock.advance, float(seconds))
                write_log(f"the clock is advanced by {seconds} s")
            else:
                write_log("standard input: only a line such as `advance 60` is known")


def variables(facts: dict[str, Any]) -> dict[str, str]:
    """Return every variable of the suite's settings that the reference can fill."""
    named = {"PIX_BASE_URL": facts["base_url"], **facts["variables"]}
    configured = {"PIX_BUSINESS_WEBHOOK_SECRET": facts["business_webhook_secret"]}  # set only if events are sent
    return named | ({**configured, **_receiver(facts["business_webhook"])} if facts["business_webhook"] else {})


def _receiver(webhook: str) -> dict[str, str]:
    """Return where a receiver of the suite on this machine has to listen for the events; nothing for another URL."""
    url = urlsplit(webhook)
    is_of_suite = url.scheme == "https" and url.hostname in {"127.0.0.1", "localhost"} and url.path == "/business"
    return {"PIX_RECEIVER_LISTEN": url.netloc} if is_of_suite and url.port else {}
