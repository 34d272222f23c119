"""The target that the settings describe, or the usage error in them."""

from __future__ import annotations

import itertools
import os
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pix_conformance.harness.options import OFF, ON
from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.model.documents import Documents
from pix_conformance.model.documents import read as read_documents
from pix_conformance.model.named_requirements import named_requirements
from pix_conformance.model.secret import Secret
from pix_conformance.model.target import PREFIX, ClientCredentials, Target
from pix_conformance.model.usage_error import UsageError
from pix_conformance.model.vocabulary import Api, Capability, Level, Role

CLIENT_IDS = tuple(f"{prefix}client_id" for prefix in PREFIX.values())
API_KEYS = (*(f"{prefix}api_key" for prefix in PREFIX.values()), "revoked_api_key")
CREDENTIALS = (
    *CLIENT_IDS,
    *(f"{prefix}client_secret" for prefix in PREFIX.values()),
    *API_KEYS,
    "business_webhook_secret",
)
"""The settings that hold a secret, an id or a key."""
CONTROL = "Cc"
"""Unicode's category of control characters."""
LINE_BREAKS = "\r\n"
ROUTES = ("/v1/business/pix-charges", "/v1/business/finance", "/v1/business", "/api/auth", "/api/v1", "/v1", "/api")
"""Beginnings of the routes of both APIs: an address that ends in one of them is given too long."""


def from_settings(values: Mapping[str, str]) -> Target:
    """Build the target from merged settings.

    Raises UsageError for settings that exclude each other or are malformed.
    """
    for name in CREDENTIALS:
        _check_characters(name, values[name])
    for of_roles in (CLIENT_IDS, API_KEYS):
        _check_that_roles_differ({name: values[name] for name in of_roles if values[name]})
    payments = {role: pair for role in Role if (pair := _pair(values, role))}
    business = {role: key for role in Role if (key := _key(values, role))}
    revoked = _revoked(values)
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
        receiver_url=_receiver_url(values["receiver_url"]),
        receiver_tls=values["receiver_tls"],
        business_webhook_secret=Secret(secret) if secret else None,
        deliveries=_file(values["deliveries"], "deliveries"),
        event_deadline=_number(values, "event_deadline"),
        apis=_apis(values["api"], payments, business),
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
    )
    if target.quick and (target.only or target.again):
        other = "--only" if target.only else "--again"
        raise UsageError(f"--quick and {other} exclude each other: both choose the tests")
    proxy_for(target.base_url)
    if target.business_webhook_secret and target.is_business_endpoint_unknown:
        raise UsageError(
            "PIX_BUSINESS_WEBHOOK_SECRET is the secret of an endpoint, but the receiver has a random port, which "
            "no endpoint can name: give --receiver-listen with the port of the endpoint"
        )
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
        raise UsageError(f"PIX_{name.upper()} must begin with {wanted}")
    return Secret(found) if found else None


def _check_characters(name: str, text: str) -> None:
    """Raise UsageError for characters that a copied secret, id or key often has too many of. It is not printed."""
    variable = f"PIX_{name.upper()}"
    for place, character in (("begins", text[:1]), ("ends", text[-1:])):
        if character.isspace():
            raise UsageError(f"{variable} {place} with a {'line break' if character in LINE_BREAKS else 'blank'}")
    if any(unicodedata.category(one) == CONTROL for one in text):
        raise UsageError(f"{variable} contains a line break or another control character")
    if name in API_KEYS and any(map(str.isspace, text)):
        raise UsageError(f"{variable} contains a blank: a Bearer token has none (RFC 6750, section 2.1)")


def _check_that_roles_differ(found: Mapping[str, str]) -> None:
    for one, other in itertools.combinations(found, 2):
        if found[one] == found[other]:
            names = f"PIX_{one.upper()} and PIX_{other.upper()}"
            raise UsageError(f"{names} are the same: each role needs its own credentials")


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
