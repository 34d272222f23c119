"""Reads the text of a setting: each function raises ValueError for a text that the setting cannot have."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from pix_conformance.model import editions
from pix_conformance.model.documents import Documents
from pix_conformance.model.documents import read as read_documents
from pix_conformance.model.exchange import KEY_HEADERS
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Capability, Level, Secret, UsageError
from pix_conformance.session.diagnoses import Diagnosis

T = TypeVar("T")
HEADER_NAME, HEADER_VALUE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"), re.compile(r"[!-~](?:[\t -~]*[!-~])?")
"""RFC 9110, section 5.1 and 5.5, without what is obsolete there."""
OWN_HEADERS = frozenset(
    {"authorization", "accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"}
    | {"expect", "te", "trailer", "transfer-encoding", "upgrade", *KEY_HEADERS}
)
"""Headers, in lower case, that the suite sends or tests itself."""
ROUTES = sorted({route for profile in PROFILES.values() for route in profile.routes}, key=len, reverse=True)
"""Beginnings of the routes of every API, the longest first: an address that ends in one of them is given too long."""
ON, OFF = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})
"""Values of a flag in the environment and in a target file, in upper or lower case."""


def optional(read: Callable[[str], T]) -> Callable[[str], T | None]:
    """Return a function that reads an empty text as None, and any other with `read`."""
    return lambda text: read(text) if text else None


def flag(text: str) -> bool:
    """Return whether a word says yes, in upper or lower case."""
    if text.strip().lower() not in ON | OFF:
        raise ValueError(text)
    return text.strip().lower() in ON


def receiver(text: str) -> bool:
    """Return whether there is a receiver: `auto`, or a word for yes or no."""
    return text.lower() == "auto" or flag(text)


def positive(text: str) -> float:
    """Return a number above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


def positive_whole(text: str) -> int:
    """Return a number above 0 without its decimal places."""
    return int(positive(text))


def whole_number(text: str) -> int:
    """Return a whole number, 0 or more."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def workers(text: str) -> int | None:
    """Return how many workers run side by side; None for `auto`."""
    if text != "auto" and not whole_number(text):
        raise ValueError(text)
    return None if text == "auto" else int(text)


def level(text: str) -> Level:
    """Return the level: must or should."""
    if text == Level.OPEN:
        raise ValueError(text)
    return Level(text)


def edition(text: str) -> str:
    """Return the name of an edition that is there, or the empty one."""
    if text and text not in editions.names():
        raise ValueError(text)
    return text


def names(text: str) -> list[str]:
    """Return the words that commas separate."""
    return [name for name in text.replace(" ", "").split(",") if name]


def capabilities(text: str) -> frozenset[Capability]:
    """Return the capabilities that words name."""
    return frozenset(map(Capability, names(text)))


def apis(text: str) -> tuple[Api, ...]:
    """Return the APIs that words name, in the order of `Api`; `both` names both."""
    named = set(map(Api, names(text.replace("both", ",".join(Api)))))
    return tuple(api for api in Api if api in named)


def headers(text: str) -> dict[str, Secret]:
    """Return the headers of lines such as `X-Gateway-Key: abc`. Raises UsageError, which shows no value."""
    rows = [line.partition(":") for line in text.splitlines() if line.strip()]
    for name, colon, value in rows:
        if not colon or not HEADER_NAME.fullmatch(name) or not HEADER_VALUE.fullmatch(value.strip()):
            raise Diagnosis.HEADER.error(name=name if colon and HEADER_NAME.fullmatch(name) else "the name")
        if name.lower() in OWN_HEADERS:
            raise Diagnosis.OWN_HEADER.error(name=name)
    return {name: Secret(value.strip()) for name, _, value in rows}


def header_value(text: str) -> str:
    """Return a text that a header can have."""
    if not HEADER_VALUE.fullmatch(text):
        raise ValueError(text)
    return text


def file(text: str) -> Path:
    """Return the path of a file that is there."""
    if not Path(text).is_file():
        raise ValueError(text)
    return Path(text)


def directory(text: str) -> Path:
    """Return the path of a directory, `~` expanded; it need not be there."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  # pathlib raises an exception for an unknown user


def documents(text: str) -> Documents:
    """Return the documents of a directory. Raises UsageError if it cannot be read."""
    try:
        return read_documents(Path(text)) if text else Documents()
    except OSError as reason:
        raise UsageError(f"PIX_DOCUMENTS: {reason}") from None


def address(text: str) -> str:
    """Return the address without a slash at its end. Raises UsageError, which shows no password."""
    if not text:
        return ""
    where = "the address (PIX_BASE_URL or --base-url)"
    parts = _http_address(text, where)
    path = parts.path.rstrip("/")
    if route := next(filter(path.endswith, ROUTES), ""):
        short = f"{parts.scheme}://{parts.netloc}{path.removesuffix(route)}"
        raise Diagnosis.ROUTE.error(where=where, route=route, short=short)
    return text.rstrip("/")


def receiver_url(text: str) -> str:
    """Return the receiver's address without a slash at its end. Raises UsageError, which shows no password."""
    if text:
        _http_address(text, "PIX_RECEIVER_URL (or --receiver-url)")
    return text.rstrip("/")


def _http_address(text: str, where: str) -> SplitResult:
    """Split an address. Raises UsageError if it is none of http, or has a user name, a password or a query."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as reason:
        raise Diagnosis.NO_URL.error(where=where) from reason
    if "@" in parts.netloc or (not parts.netloc and "@" in text):
        raise Diagnosis.PASSWORD.error(where=where)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Diagnosis.NOT_HTTP.error(where=where, text=text)
    if parts.query or parts.fragment:
        raise Diagnosis.QUERY.error(where=where)
    return parts
