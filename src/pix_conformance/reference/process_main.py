"""The main program of a reference process: its arguments, its first line of output, its control pipe."""

import argparse
import asyncio
import json
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from pix_conformance.reference.server import Apis, Distant, Logged, listen, rules_named, server, write_log
from pix_conformance.reference.state import RandomSource, ServerClock, ServerState

LAST_PORT = 65_535


def parser() -> argparse.ArgumentParser:
    """Return the arguments that the suite's process and `pix-sandbox` share."""
    arguments = argparse.ArgumentParser(prog="pix-sandbox", add_help=False)
    arguments.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    arguments.add_argument("--port", type=port, default=0, help="port to listen on (default: a free one)")
    arguments.add_argument("--path-prefix", default="", metavar="PATH", help="path before /api and /v1 (default: none)")
    arguments.add_argument(
        "--business-webhook",
        type=web_address,
        metavar="URL",
        help="address for business events (default: they are not sent)",
    )
    arguments.add_argument(
        "--business-webhook-secret", metavar="TEXT", help="secret that signs business events (default: a new one)"
    )
    arguments.add_argument(
        "--seed", type=int, metavar="N", help="give the same credentials and ids at each start (default: new ones)"
    )
    arguments.add_argument(
        "--latency",
        type=float,
        default=0,
        metavar="MS",
        help="milliseconds by which each response is late (default: 0)",
    )
    arguments.add_argument(
        "--event-delay",
        type=float,
        metavar="S",
        help="seconds by which each webhook is late (default: by the scenario)",
    )
    arguments.add_argument("--rules", action="append", default=[], help=argparse.SUPPRESS)
    arguments.set_defaults(log=False)
    return arguments


def port(text: str) -> int:
    """Return the number of a port. Raises ArgumentTypeError for any other text."""
    if not text.isdecimal() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to {LAST_PORT}")
    return int(text)


def web_address(text: str) -> str:
    """Return an http or https address. Raises ArgumentTypeError for any other text."""
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} begins neither with http:// nor with https://")
    return text


def main(argv: Sequence[str]) -> int:
    """Serve until the control pipe closes, or until interrupted with `--by-hand`."""
    arguments = parser()
    arguments.add_argument("--by-hand", action="store_true", help="do not read commands from standard input")
    options = arguments.parse_args(argv)

    def write_address(facts: dict[str, Any], clock: ServerClock) -> None:
        write_line(facts)
        if not options.by_hand:
            loop = asyncio.get_running_loop()
            threading.Thread(target=read_commands, args=(clock, loop), daemon=True).start()

    asyncio.run(serve(options, write_address))
    return 0


async def serve(options: argparse.Namespace, write_address: Any) -> None:
    """Listen, call `write_address`, serve."""
    state = ServerState(options.business_webhook, options.business_webhook_secret, RandomSource(options.seed))
    apis = Apis(state, [rules_named(name) for name in options.rules], options.path_prefix)
    if options.event_delay is not None:
        for rules in apis.rules:
            rules.event_delay_seconds = options.event_delay
    if options.log:
        state.outbox.log = write_log
    app = Distant(apis, options.latency / 1000)
    line = listen(options.host, options.port)
    write_address(announcement(state, base_url(options, line.getsockname()[1])), state.clock)
    await server(Logged(app) if options.log else app).serve(sockets=[line])


def base_url(options: argparse.Namespace, port: int) -> str:
    """Return the address for clients, with its path prefix."""
    prefix = "".join(f"/{part}" for part in options.path_prefix.split("/") if part)
    return f"http://{options.host}:{port}{prefix}"


def announcement(state: ServerState, address: str) -> dict[str, Any]:
    """Return the first line of output: address, credentials and secrets."""
    return {
        "base_url": address,
        **state.accounts.by_api,
        "variables": state.accounts.variables,
        "revoked_key": state.accounts.revoked_key,
        "split_email": state.accounts.split_email,
        "transfer_key": state.accounts.transfer_key,
        "business_webhook": state.business_webhook,
        "business_webhook_secret": state.business_webhook_secret,
    }


def read_commands(clock: ServerClock, loop: asyncio.AbstractEventLoop) -> None:
    """Execute the commands of the parent process. End this process when the pipe closes."""
    for line in sys.stdin:
        order, _, seconds = line.strip().partition(" ")
        known = order == "advance" and is_number(seconds)
        if known:
            loop.call_soon_threadsafe(clock.advance, float(seconds))
        write_line({"ok": known})
    os._exit(0)  # threads may still wait for a slow webhook receiver


def is_number(text: str) -> bool:
    """Return whether float() accepts the text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def write_line(line: dict[str, Any]) -> None:
    """Write one line of JSON to the parent process."""
    print(json.dumps(line), flush=True)  # noqa: T201 - standard output is the pipe to the parent process
