"""The target that the settings describe, or the usage error in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.harness.options import OFF, ON
from pix_conformance.model.budget import Budget
from pix_conformance.model.catalogue import load
from pix_conformance.model.documents import Documents
from pix_conformance.model.documents import read as read_documents
from pix_conformance.model.secret import Secret
from pix_conformance.model.shard import Shard
from pix_conformance.model.target import PREFIX, ClientCredentials, Target
from pix_conformance.model.usage_error import UsageError
from pix_conformance.model.vocabulary import Api, Capability, Level, Role


def from_settings(values: Mapping[str, str]) -> Target:
    """Build the target from merged settings.

    Raises UsageError for settings that exclude each other or are malformed.
    """
    payments = {role: pair for role in Role if (pair := _pair(values, role))}
    business = {role: key for role in Role if (key := _key(values, role))}
    _pairs_differ([p.client_id for p in payments.values()], "client id")
    revoked = _revoked(values)
    _pairs_differ([k.reveal() for k in (*business.values(), *([revoked] if revoked else []))], "API key")
    credentials = bool(payments or business)
    if values["base_url"] and not credentials:
        raise UsageError("a base URL but no credential: set PIX_CLIENT_ID and PIX_CLIENT_SECRET, or PIX_API_KEY")
    if credentials and not values["base_url"]:
        raise UsageError("a credential but no address: set --base-url or PIX_BASE_URL")
    secret = values["business_webhook_secret"]
    target = Target(
        name=values["name"] or values["base_url"] or "embedded reference",
        base_url=_address(values["base_url"]),
        embedded=not credentials,
        payments=payments,
        business=business,
        revoked_key=revoked,
        split_email=values["split_email"],
        transfer_key=values["transfer_key"],
        receiver=_receiver(values["receiver"]),
        receiver_listen=values["receiver_listen"],
        receiver_url=values["receiver_url"].rstrip("/"),
        receiver_tls=values["receiver_tls"],
        business_webhook_secret=Secret(secret) if secret else None,
        deliveries=_file(values["deliveries"], "deliveries"),
        event_deadline=_number(values, "event_deadline"),
        apis=_apis(values["api"], payments, business),
        api_chosen=bool(values["api"]),
        only=_known_ids(values["only"]),
        concurrency=_concurrency(values["concurrency"], embedded=not credentials),
        shard=_shard(values["shard"], embedded=not credentials),
        level=_level(values["level"]),
        require=_capabilities(values["require"]),
        waiting=not values["no_waiting"],
        rate=_number(values, "rate") if values["rate"] else None,
        budget=Budget.read(values["budget"]) if values["budget"] else None,
        max_cents=int(_number(values, "max_cents")) if values["max_cents"] else None,
        examples=int(_number(values, "examples")) if values["examples"] else Target.examples,
        examples_chosen=bool(values["examples"]),
        seed=_seed(values["seed"]),
        waivers=_file(values["waivers"], "waivers"),
        plan=bool(values["plan"]),
        replay=values["replay"],
        documents=_documents(values["documents"]),
        report_dir=Path(os.path.expanduser(values["report_dir"])),  # noqa: PTH111  # pathlib raises an exception for an unknown user
    )
    if target.shard and target.limits:
        raise UsageError(f"--shard and {target.limits} exclude each other: the shards together would exceed the limit")
    return target


def _pair(values: Mapping[str, str], role: Role) -> ClientCredentials | None:
    keys = [f"{PREFIX[role]}client_id", f"{PREFIX[role]}client_secret"]
    found = [values[key] for key in keys]
    if not any(found):
        return None
    if not all(found):
        missing = keys[found.index("")]
        raise UsageError(f"half a credential pair: PIX_{missing.upper()} is missing")
    return ClientCredentials(found[0], Secret(found[1]))


def _key(values: Mapping[str, str], role: Role) -> Secret | None:
    return _prefixed(values, f"{PREFIX[role]}api_key", "ak_live_" if role is Role.LIVE_MERCHANT else "ak_test_")


def _revoked(values: Mapping[str, str]) -> Secret | None:
    return _prefixed(values, "revoked_api_key", "ak_test_")


def _prefixed(values: Mapping[str, str], name: str, wanted: str) -> Secret | None:
    found = values[name]
    if found and not found.startswith(wanted):
        raise UsageError(f"PIX_{name.upper()} must begin with {wanted} (business.md, lines 12 and 139)")
    return Secret(found) if found else None


def _pairs_differ(found: list[str], what: str) -> None:
    if len(set(found)) != len(found):
        raise UsageError(f"the same {what} is given for two roles: each role needs its own credentials")


def _address(text: str) -> str:
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(f"the base URL {text!r} is not an http(s) address")
    path = parts.path.rstrip("/")
    if path.endswith(("/v1", "/api")):
        raise UsageError(f"the base URL ends in {path.rsplit('/', 1)[1]!r}: give it without /v1 and /api")
    return text.rstrip("/")


def _apis(text: str, payments: object, business: object) -> tuple[Api, ...]:
    names = _names(text.replace("both", "payments,business"))
    if unknown := [n for n in names if n not in tuple(Api)]:
        raise UsageError(f"--api does not know {', '.join(unknown)}: payments, business or both")
    if names:
        return tuple(api for api in Api if api in names)
    given = [api for api, found in ((Api.PAYMENTS, payments), (Api.BUSINESS, business)) if found]
    return tuple(given or Api)


def _documents(text: str) -> Documents:
    try:
        return read_documents(Path(text)) if text else Documents()
    except OSError as reason:
        raise UsageError(f"PIX_DOCUMENTS: {reason}") from None


def _known_ids(text: str) -> frozenset[str]:
    names = _names(text.upper())
    if unknown := [n for n in names if n not in load()]:
        raise UsageError(f"no requirement is called {', '.join(unknown)}")
    return frozenset(names)


def _concurrency(text: str, *, embedded: bool) -> int | None:
    """Return how many workers run side by side; None for `auto`, which is one for the embedded reference."""
    if text == "auto":
        return 1 if embedded else None
    if not text.isdecimal() or not int(text):
        raise UsageError(f"--concurrency is {text!r}: a whole number above 0, or auto")
    return int(text)


def _shard(text: str, *, embedded: bool) -> Shard | None:
    if text and embedded:
        raise UsageError("--shard needs a target: each shard would start an embedded reference of its own")
    try:
        return Shard.read(text) if text else None
    except ValueError as reason:
        raise UsageError(f"--shard: {reason}") from None


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
