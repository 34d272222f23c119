"""How an integration is described: the addresses of its webhook endpoint, and commands that have it act."""

import secrets
import shlex
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Api, UsageError

COMMANDS = {
    "start": "starts its webhook endpoint, which is stopped at the end",
    "order": "has the client take an order of $PIX_AMOUNT cents by $PIX_API, and prints a reference of its own",
    "credited": "prints how many cents the order $PIX_ORDER has been credited with",
    "wallet": "prints how many cents the wallet has that the orders of the business charge API credit",
    "transfer": "has the client send $PIX_AMOUNT cents to $PIX_TRANSFER_KEY, and prints a reference of its own",
    "cancel": "has the client cancel the order $PIX_ORDER",
    "wait": "has the client ask the service about the order $PIX_ORDER, and prints its state, such as expired",
}
"""The commands of an integration, and what each does."""
WITHIN_S = 2.0
OPTIONS = {
    "hook": (
        "API=ADDRESS",
        "webhook endpoint for an API, such as business=https://127.0.0.1:8443/hook; once for each",
    ),
    "secret": ("API=TEXT", "secret that the endpoint of an API has already, such as business=TEXT"),
    **{name: ("COMMAND", f"command that {meaning}") for name, meaning in COMMANDS.items()},
    "within": ("S", f"seconds within which an order is credited after the answer (default: {WITHIN_S:g})"),
    "sandbox": ("HOST:PORT", "where its client finds the sandbox (default: a free port of 127.0.0.1)"),
}
"""The options that describe an integration, the keys of its table too: what each takes, and its meaning."""
FIRST_PORT, PORTS = 20_000, 10_000
SHOP = TEST_TREE / "examples" / "shop" / "shop.py"
EXAMPLE = "the example shop"


@dataclass(frozen=True, kw_only=True)
class Description:
    """An integration: where it receives events of each API, and the commands it has."""

    name: str
    hooks: Mapping[Api, str] = field(default_factory=dict)
    secrets: Mapping[Api, str] = field(default_factory=dict)
    """The secrets that its endpoint has already; without one a secret is made and given to the commands."""
    commands: Mapping[str, str] = field(default_factory=dict)
    within: float = WITHIN_S
    """Seconds within which an order is credited after its event was answered."""
    sandbox: str = "127.0.0.1:0"
    """Host and port at which its client finds the sandbox; port 0 is a free one."""

    @property
    def shown(self) -> dict[str, str]:
        """Its addresses and commands, for a report; of a secret only whose it is."""
        hooks = {f"hook {api}": address for api, address in self.hooks.items()}
        own = {"secret": "of " + " and ".join(self.secrets)} if self.secrets else {}
        return {**hooks, **own, **self.commands, "within": f"{self.within:g}", "sandbox": self.sandbox}


def read_description(rows: Mapping[str, Any]) -> Description:
    """Return the description of an integration by the keys of its table; the example shop for an empty one.

    Raises UsageError for an unknown key, and for an address or a number that is none.
    """
    if not rows:
        return example_shop()
    known = {"name", *OPTIONS}
    if unknown := sorted(rows.keys() - known):
        raise UsageError(
            f"[integration] has unknown settings: {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )
    hooks = _by_api("hook", rows.get("hook", {}))
    for address in hooks.values():
        if not _is_address(address):
            raise UsageError(f"hook is {address!r}: give an http or https address")
    if not hooks and "order" not in rows and "transfer" not in rows:
        raise UsageError("[integration] names neither hook nor order nor transfer, so that nothing can be tested")
    return Description(
        name=str(rows.get("name", "the integration")),
        hooks=hooks,
        secrets=_by_api("secret", rows.get("secret", {})),
        commands={name: str(rows[name]) for name in COMMANDS if rows.get(name)},
        within=_seconds(rows.get("within", WITHIN_S)),
        sandbox=_listening(str(rows.get("sandbox", Description.sandbox))),
    )


def _is_address(text: str) -> bool:
    """Return whether a text is an http or https address, such as http://[::1]:8000/hook."""
    try:
        at = urlsplit(text)
        return at.scheme in {"http", "https"} and bool(at.hostname) and at.port != 0
    except ValueError:  # brackets without an end, a port that is none
        return False


def _by_api(key: str, given: Any) -> dict[Api, str]:
    """Read a table such as { business = "https://..." }."""
    if not isinstance(given, Mapping) or not {*given} <= {*Api}:
        raise UsageError(f'{key} is {given!r}: name the API of each, {key} = {{ business = "...", payments = "..." }}')
    return {Api(name): str(value) for name, value in given.items()}


def _seconds(given: Any) -> float:
    try:
        if float(given) > 0:
            return float(given)
    except (TypeError, ValueError):
        pass
    raise UsageError(f"within is {given!r}: a number of seconds above 0")


def _listening(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"sandbox is {text!r}: give host:port")
    return text


def example_shop(program: Path = SHOP) -> Description:
    """Return the description of the shop in examples/shop, or of a changed one, on a free port of this machine."""
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    post = "curl -sSf --noproxy '*' -X POST"
    return Description(
        name=EXAMPLE,
        hooks={api: f"{address}/hooks/{api}" for api in Api},
        commands={
            "start": f'SHOP_DB="$PIX_DIRECTORY/shop.sqlite3" SHOP_PORT={port} '
            f"exec {shlex.quote(sys.executable)} {shlex.quote(str(program))}",
            "order": f'{post} "{address}/orders?api=$PIX_API&cents=$PIX_AMOUNT"',
            "credited": f"curl -sSf --noproxy '*' \"{address}/orders/$PIX_ORDER/credited\"",
            "wallet": f"curl -sSf --noproxy '*' {address}/wallet",
            "transfer": f'id=$({post} "{address}/transfers?cents=$PIX_AMOUNT&key=$PIX_TRANSFER_KEY") '
            f'&& {post} "{address}/transfers/$id/complete"',
            "cancel": f'{post} "{address}/orders/$PIX_ORDER/cancel"',
            "wait": f'{post} "{address}/orders/$PIX_ORDER/look"',
        },
    )


def _free_port() -> int:
    """Return a port that nothing uses, of those that no system gives to a program which asks for any free one.

    The shop listens there seconds later: until then another program could get it, and the shop would not start.
    """
    while True:
        port = FIRST_PORT + secrets.randbelow(PORTS)
        with suppress(OSError), socket.socket() as listening:
            listening.bind(("127.0.0.1", port))
            return port
