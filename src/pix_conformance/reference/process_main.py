"""The main program of a reference process: its arguments, its first line of output, its control pipe."""

import argparse
import asyncio
import json
import math
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from pix_conformance.reference.server import Apis, Distant, Logged, listen, rules_named, server, write_log
from pix_conformance.reference.state import RandomSource, ServerState

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
        "--webhook-secret", metavar="TEXT", help="signatureSecret of the first webhook (default: a new one)"
    )
    arguments.add_argument(
        "--seed", type=int, metavar="N", help="give the same credentials and ids at each start (default: new ones)"
    )
    arguments.add_argument(
        "--new-ids",
        action="store_true",
        help="with --seed, give new ids all the same: for a client that keeps those of earlier starts",
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

    def write_address(reference: Reference) -> None:
        write_line(reference.facts())
        if not options.by_hand:
            loop = asyncio.get_running_loop()
            threading.Thread(target=read_commands, args=(reference, loop), daemon=True).start()

    asyncio.run(serve(options, write_address))
    return 0


class Reference:
    """The server of both APIs with its state. `restart` puts a new one in its place, at the same address."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._listening = listen(options.host, options.port)
        self._start(options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one ASGI request."""
        await self._apis(scope, receive, send)

    async def serve(self) -> None:
        """Answer requests until interrupted."""
        app: ASGIApp = Distant(self, self._options.latency / 1000) if self._options.latency else self
        await server(Logged(app) if self._options.log else app).serve(sockets=[self._listening])

    def restart(self, **changes: Any) -> None:
        """Serve with other options and an empty store; what the outbox has not sent is not sent."""
        outbox = self.state.outbox
        self._start(argparse.Namespace(**vars(self._options) | changes))
        outbox.close()

    def facts(self) -> dict[str, Any]:
        """Return the first line of output: address, credentials and secrets."""
        prefix = "".join(f"/{part}" for part in self._options.path_prefix.split("/") if part)
        address = f"http://{self._options.host}:{self._listening.getsockname()[1]}{prefix}"
        return announcement(self.state, address)

    def _start(self, options: argparse.Namespace) -> None:
        state = ServerState(
            options.business_webhook,
            options.business_webhook_secret,
            RandomSource(options.seed),
            first_signature_secret=options.webhook_secret,
        )
        self._apis = Apis(state, [rules_named(name) for name in options.rules], options.path_prefix)
        if options.event_delay is not None:
            for rules in self._apis.rules:
                rules.event_delay_seconds = options.event_delay
        if options.log:
            state.outbox.log = write_log
        self.state = state
        if options.new_ids:
            self.facts()  # the credentials are drawn when they are first asked for
            state.random.forget_seed()


async def serve(options: argparse.Namespace, write_address: Callable[[Reference], object]) -> None:
    """Listen, call `write_address`, serve."""
    reference = Reference(options)
    write_address(reference)
    await reference.serve()


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


def read_commands(reference: Reference, loop: asyncio.AbstractEventLoop) -> None:
    """Execute the commands of the parent process. End this process when the pipe closes."""
    for line in sys.stdin:
        loop.call_soon_threadsafe(answer, reference, line)
    os._exit(0)  # threads may still wait for a slow webhook receiver


def answer(reference: Reference, command: str) -> None:
    """Execute one command on the event loop's thread and write a line with `ok`; the parent process waits for it."""
    try:
        line = execute(reference, command)
    except Exception as reason:  # noqa: BLE001 - the reason is written
        line = {"ok": False, "reason": str(reason)}
    write_line(line)


def execute(reference: Reference, command: str) -> dict[str, Any]:
    """Execute one command; return what answers it."""
    order, _, words = command.strip().partition(" ")
    match order:
        case "advance" if is_duration(words):
            reference.state.clock.advance(float(words))
        case "now":
            return {"ok": True, "now": reference.state.clock.now()}
        case "deliveries":
            return {"ok": True, "deliveries": reference.state.outbox.attempts()}
        case "restart":
            reference.restart(**json.loads(words))
            return {"ok": True, **reference.facts()}
        case _:
            return {"ok": False}
    return {"ok": True}


def is_duration(text: str) -> bool:
    """Return whether the text is a number of seconds, 0 or more."""
    try:
        return 0 <= float(text) < math.inf
    except ValueError:
        return False


def write_line(line: dict[str, Any]) -> None:
    """Write one line of JSON to the parent process."""
    print(json.dumps(line), flush=True)  # noqa: T201 - standard output is the pipe to the parent process
