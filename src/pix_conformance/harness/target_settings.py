"""The target that the settings describe, or the usage error in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pix_conformance.harness.credential_settings import credentials_in, optional_settings_in, webhook_secrets_in
from pix_conformance.harness.options import OFF, ON
from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.model.documents import Documents
from pix_conformance.model.documents import read as read_documents
from pix_conformance.model.named_requirements import named_requirements
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.target import Target
from pix_conformance.model.usage_error import UsageError
from pix_conformance.model.vocabulary import Api, Capability, Level, Role

ROUTES = sorted({one for profile in PROFILES.values() for one in profile.routes}, key=len, reverse=True)
"""Beginnings of the routes of every API, the longest first: an address that ends in one of them is given too long."""


def from_settings(values: Mapping[str, str]) -> Target:
    """Build the target from merged settings.

    Raises UsageError for settings that exclude each other or are malformed.
    """
    given = credentials_in(values)
    credentials = any(given.values())
    if values["base_url"] and not credentials:
        each = ", or ".join(one.names(Role.MERCHANT) for one in PROFILES.values())
        raise UsageError(f"a base URL but no credential: set {each}")
    if credentials and not values["base_url"]:
        raise UsageError("a credential but no address: set --base-url or PIX_BASE_URL")
    target = Target(
        name=values["name"] or values["base_url"] or "embedded reference",
        base_url=_address(values["base_url"]),
        embedded=not credentials,
        credentials=given,
        receiver=_receiver(values["receiver"]),
        receiver_listen=values["receiver_listen"],
        receiver_url=_receiver_url(values["receiver_url"]),
        receiver_tls=values["receiver_tls"],
        webhook_secrets=webhook_secrets_in(values),
        deliveries=_file(values["deliveries"], "deliveries"),
        event_deadline=_number(values, "event_deadline"),
        apis=_apis(values["api"], given),
        api_chosen=bool(values["api"]),
        only=named_requirements(values["only"]),
        quick=bool(values["quick"]),
        concurrency=_concurrency(values["concurrency"], embedded=not credentials),
        level=_level(values["level"]),
        require=_capabilities(values["require"]),
        waiting=not values["no_waiting"],
        rate=_number(values, "rate") if values["rate"] else None,
        max_cents=int(_number(values, "max_cents")) if values["max_cents"] else None,
        examples=int(_number(values, "examples")) if values["examples"] else Target.examples,
        examples_chosen=bool(values["examples"]),
        seed=_seed(values["seed"]),
        waivers=_file(values["waivers"], "waivers"),
        plan=bool(values["plan"]),
        again=Path(values["again"]) if values["again"] else None,
        documents=_documents(values["documents"]),
        report_dir=Path(os.path.expanduser(values["report_dir"])),  # noqa: PTH111  # pathlib raises an exception for an unknown user
        **optional_settings_in(values),
    )
    if target.quick and (target.only or target.again):
        other = "--only" if target.only else "--again"
        raise UsageError(f"--quick and {other} exclude each other: both choose the tests")
    proxy_for(target.base_url)
    if target.is_endpoint_unknown and (api := next(iter(target.webhook_secrets), None)):
        endpoint = PROFILES[api].endpoint
        raise UsageError(
            f"{endpoint and endpoint.variable} is the secret of an endpoint, but the receiver has a random port, which "
            "no endpoint can name: give --receiver-listen with the port of the endpoint"
        )
    return target


def _address(text: str) -> str:
    """Return the address without a slash at its end. Raises UsageError, which shows no password."""
    if not text:
        return ""
    where = "the address (PIX_BASE_URL or --base-url)"
    parts = _without_user(text, where)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"{where} is {text!r}, not an http(s) address")
    if parts.query or parts.fragment:
        raise UsageError(f"{where} has a query or a fragment: give it without ? and #")
    path = parts.path.rstrip("/")
    if route := next((one for one in ROUTES if path.endswith(one)), ""):
        short = f"{parts.scheme}://{parts.netloc}{path.removesuffix(route)}"
        raise UsageError(f"{where} ends in {route!r}: give it without /v1 and /api, {short}")
    return text.rstrip("/")


def _without_user(text: str, where: str) -> SplitResult:
    """Split an address. Raises UsageError where it has a user name or a password, or none can be told from the rest."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as reason:
        raise UsageError(f"{where} is not an http(s) address") from reason
    if "@" in parts.netloc or (not parts.netloc and "@" in text):
        raise UsageError(f"{where} has a user name or a password before the @: give it without them")
    return parts


def _receiver_url(text: str) -> str:
    _without_user(text, "PIX_RECEIVER_URL (or --receiver-url)")
    return text.rstrip("/")


def _apis(text: str, credentials: Mapping[Api, object]) -> tuple[Api, ...]:
    names = _names(text.replace("both", ",".join(Api)))
    if unknown := [n for n in names if n not in tuple(Api)]:
        raise UsageError(f"--api does not know {', '.join(unknown)}: {', '.join(Api)} or both")
    if names:
        return tuple(api for api in Api if api in names)
    return tuple([api for api in Api if credentials[api]] or Api)


def _documents(text: str) -> Documents:
    try:
        return read_documents(Path(text)) if text else Documents()
    except OSError as reason:
        raise UsageError(f"PIX_DOCUMENTS: {reason}") from None


def _concurrency(text: str, *, embedded: bool) -> int | None:
    """Return how many workers run side by side; None for `auto`, which is one for the embedded reference."""
    if text == "auto":
        return 1 if embedded else None
    if not text.isdecimal() or not int(text):
        raise UsageError(f"--concurrency is {text!r}: a whole number above 0, or auto")
    return int(text)


def _capabilities(text: str) -> frozenset[Capability]:
    names = _names(text)
    if unknown := [n for n in names if n not in tuple(Capability)]:
        raise UsageError(f"--require does not know {', '.join(unknown)}: {', '.join(Capability)}")
    return frozenset(map(Capability, names))


def _level(text: str) -> Level:
    if text not in {Level.MUST, Level.SHOULD}:
        raise UsageError(f"--level is {text!r}: must or should")
    return Level(text)


def _receiver(text: str) -> bool:
    if text.lower() not in {"auto", *ON, *OFF}:
        raise UsageError(f"--receiver is {text!r}: auto or off")
    return text.lower() not in OFF


def _number(values: Mapping[str, str], key: str) -> float:
    try:
        number = float(values[key])
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise UsageError(f"{key.replace('_', '-')} is {values[key]!r}, not a number above 0")
    return number


def _seed(text: str) -> int:
    """Return the given seed, or the date as a number: another one each day, the same in every run of a day."""
    if not text:
        return int(f"{datetime.now(UTC):%Y%m%d}")
    if not text.isdecimal():
        raise UsageError(f"seed is {text!r}, not a whole number")
    return int(text)


def _file(text: str, what: str) -> Path | None:
    if text and not Path(text).is_file():
        raise UsageError(f"the {what} file {text!r} is not there")
    return Path(text) if text else None


def _names(text: str) -> list[str]:
    return [name for name in text.replace(" ", "").split(",") if name]
