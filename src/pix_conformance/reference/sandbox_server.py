"""The server of `pix-sandbox`: it prints its address and credentials, and serves until Ctrl-C."""

import argparse
import asyncio
import shlex
import sys
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.reference import process_main
from pix_conformance.reference.state import ServerClock


def serve(options: argparse.Namespace) -> int:
    """Serve until interrupted. Return 0, or 1 if the address cannot be used."""
    try:
        asyncio.run(process_main.serve(options, introduce))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        print(f"{options.host}:{options.port}: {error.strerror}", file=sys.stderr)  # noqa: T201 - what the program is for
        return 1
    return 0


def introduce(facts: dict[str, Any], clock: ServerClock) -> None:
    """Print the address, and the variables that point the suite at it."""
    del clock
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables(facts).items()]
    print(f"Listening on {facts['base_url']} (Ctrl+C stops it)", "", *lines, sep="\n", flush=True)  # noqa: T201 - what the program is for


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
