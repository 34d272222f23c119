"""The program of a reference process: its arguments, its announcement, its control pipe."""

import argparse
import asyncio
import json
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from pix_conformance.reference.clock import Clock
from pix_conformance.reference.random_source import Chance
from pix_conformance.reference.server import Apis, Logged, listen, load, server
from pix_conformance.reference.state import ServerState


def parser() -> argparse.ArgumentParser:
    """Arguments that a process and a start by hand share."""
    arguments = argparse.ArgumentParser(prog="pix-sandbox", add_help=False)
    arguments.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    arguments.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    arguments.add_argument("--path-prefix", default="", metavar="PATH", help="path before /api and /v1 (default: none)")
    arguments.add_argument(
        "--business-webhook", metavar="URL", help="where business events go (default: they are not sent)"
    )
    arguments.add_argument(
        "--business-webhook-secret", metavar="TEXT", help="secret that signs business events (default: a new one)"
    )
    arguments.add_argument(
        "--seed", type=int, metavar="N", help="give the same credentials and ids at each start (default: new ones)"
    )
    arguments.add_argument("--rules", action="append", default=[], help=argparse.SUPPRESS)
    arguments.set_defaults(log=False)
    return arguments


def main(argv: Sequence[str]) -> int:
    """Serve until the control pipe closes, or until interrupted if `--by-hand`."""
    arguments = parser()
    arguments.add_argument("--by-hand", action="store_true", help="take no orders from standard input")
    options = arguments.parse_args(argv)

    def announce(found: dict[str, Any], clock: Clock) -> None:
        say(found)
        if not options.by_hand:
            loop = asyncio.get_running_loop()
            threading.Thread(target=obey, args=(clock, loop), daemon=True).start()

    asyncio.run(serve(options, announce))
    return 0


async def serve(options: argparse.Namespace, announce: Any) -> None:
    """Listen, announce, answer."""
    world = ServerState(options.business_webhook, options.business_webhook_secret, Chance(options.seed))
    apis = Apis(world, [load(name) for name in options.rules], options.path_prefix)
    line = listen(options.host, options.port)
    announce(announcement(world, base_url(options, line.getsockname()[1])), world.clock)
    await server(Logged(apis) if options.log else apis).serve(sockets=[line])


def base_url(options: argparse.Namespace, port: int) -> str:
    """Address that clients use, its prefix included."""
    prefix = "".join(f"/{part}" for part in options.path_prefix.split("/") if part)
    return f"http://{options.host}:{port}{prefix}"


def announcement(world: ServerState, address: str) -> dict[str, Any]:
    """Everything that a client needs."""
    return {
        "base_url": address,
        "payments": {role: list(pair) for role, pair in world.accounts.clients.items()},
        "business": dict(world.accounts.keys),
        "revoked_key": world.accounts.revoked_key,
        "split_email": world.accounts.split_email,
        "transfer_key": world.accounts.transfer_key,
        "business_webhook": world.business_webhook,
        "business_webhook_secret": world.business_webhook_secret,
    }


def obey(clock: Clock, loop: asyncio.AbstractEventLoop) -> None:
    """Follow the owner's orders; when the owner is gone, be gone."""
    for line in sys.stdin:
        order, _, seconds = line.strip().partition(" ")
        known = order == "advance" and is_number(seconds)
        if known:
            loop.call_soon_threadsafe(clock.advance, float(seconds))
        say({"ok": known})
    os._exit(0)  # threads may still be waiting for a slow receiver


def is_number(text: str) -> bool:
    """True for what float() reads."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def say(line: dict[str, Any]) -> None:
    """Write one line of JSON to the owner."""
    print(json.dumps(line), flush=True)  # noqa: T201 - standard output is the pipe to the owner
