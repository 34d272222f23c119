"""A delivery (one request that a webhook receiver got), its stored form, and the files with recorded deliveries."""

import base64
import binascii
import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pix_conformance.model.json_reader import stored_body, text_of
from pix_conformance.model.subject import MISSING, parsed_or_why
from pix_conformance.model.vocabulary import SUCCESS, RunningTest

HOOKS = "/hook/"
"""How the path of an address of this suite's receiver begins."""


class DeliveryFileError(ValueError):
    """A recorded delivery that cannot be read. The message names the line or entry of the file."""


@dataclass(frozen=True)
class SignatureCheck:
    """How a delivery was signed, by the secret of its endpoint: what is wrong, None if nothing is."""

    problem: str | None
    shows_secret: bool
    """Whether it was signed with that secret, rightly or with a known mistake."""


@dataclass(frozen=True)
class Delivery:
    """One webhook request as received: `body` is the raw bytes, `headers` keep their order and spelling.

    `received` is the epoch time, in seconds, of the request's first byte. `answered` is the status of the response,
    None without one. `fault` is None for a complete request that was answered at once, else it says what was different.
    `left_s` is how many seconds after `received` the sender closed the connection, if it did so before the response.
    `api` is the API to which the path belongs, if known; `sender` the IP address that it came from.
    `signature` says how it was signed, where the run knows the secret of its endpoint.
    `is_recorded` says that it was read from a file of deliveries, so that `received` is by the clock of its recorder.
    `masked` says why parts of the body are masked, if they are. `current_test` is None outside a run.
    """

    id: int
    path: str
    method: str
    received: float
    headers: tuple[tuple[str, str], ...]
    body: bytes
    answered: int | None = None
    fault: str | None = None
    left_s: float | None = None
    api: str | None = None
    masked: str | None = None
    sender: str | None = None
    signature: SignatureCheck | None = None
    is_recorded: bool = False
    current_test: RunningTest | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """Show neither headers nor body: they may hold secrets and other people's data."""
        return f"Delivery(id={self.id}, api={self.api!r}, received={self.received}, answered={self.answered})"

    @cached_property
    def json(self) -> Any:
        """The parsed body; None if it is not JSON, or cannot be read."""
        return None if self.parsed_body is MISSING else self.parsed_body

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The strings in the parsed body, and its numbers and booleans as Python writes them; without field names."""
        return tuple(_texts(self.json))

    @cached_property
    def parsed_body(self) -> Any:
        """The parsed body, read as strictly as that of a response; MISSING if it is not JSON."""
        return self._parsed_or_why[0]

    @cached_property
    def _parsed_or_why(self) -> tuple[Any, str | None]:
        return parsed_or_why(self.body)

    @property
    def unreadable(self) -> str | None:
        """Why the body cannot be read although it is JSON; None if it can be, and if it is not JSON."""
        return self._parsed_or_why[1]

    def header(self, name: str) -> str | None:
        """Return the first value of a header, in upper or lower case; None if it was not sent."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)

    @property
    def status(self) -> None:
        """None: a delivery is a request, and its response is the receiver's own."""
        return

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver answered a complete request with a 2xx, after which it need not be repeated."""
        return self.answered in SUCCESS and not self.fault

    @property
    def evidence(self) -> str:
        """The reference to this delivery in verdicts."""
        return f"delivery {self.id}"

    @property
    def received_iso(self) -> str:
        """The time of arrival, as the bundle stores it."""
        written = datetime.fromtimestamp(self.received, UTC).isoformat(timespec="microseconds")
        return written.replace("+00:00", "Z")

    @property
    def text(self) -> str:
        """The body, for a reader."""
        return text_of(self.body)

    def to_dict(self) -> dict[str, Any]:
        """Return one line of `deliveries.jsonl`. A body that is not UTF-8 is stored as `body_base64`."""
        stored: dict[str, Any] = {
            "id": self.id,
            "path": self.path,
            "method": self.method,
            "received": self.received_iso,
            "headers": [list(pair) for pair in self.headers],
            **stored_body(self.body),
            "answered": self.answered,
            "fault": self.fault,
            "api": self.api,
        }
        check = self.signature and {"problem": self.signature.problem, "shows_secret": self.signature.shows_secret}
        more = {"left_s": self.left_s, "masked": self.masked, "sender": self.sender, "signature": check}
        more["is_recorded"] = self.is_recorded or None
        return stored | {name: value for name, value in more.items() if value is not None}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read a line of `to_dict` or of another recorder.

        Required are `received` (ISO 8601 with an offset, or epoch seconds), `headers` (pairs or an object) and the
        body. Raises DeliveryFileError if one is absent or has another type.
        """
        return cls(
            id=_typed(stored, "id", int, 0),
            path=_typed(stored, "path", str, "/"),
            method=_typed(stored, "method", str, "POST"),
            received=_epoch(stored.get("received")),
            headers=_headers(stored.get("headers")),
            body=_read_body(stored),
            answered=_typed(stored, "answered", int | None, None),
            fault=_typed(stored, "fault", str | None, None),
            left_s=_typed(stored, "left_s", float | int | None, None),
            api=_typed(stored, "api", str | None, None),
            masked=_typed(stored, "masked", str | None, None),
            sender=_typed(stored, "sender", str | None, None),
            is_recorded=bool(stored.get("is_recorded")),
            signature=_signature(_typed(stored, "signature", dict | None, None)),
        )


def _signature(stored: Mapping[str, Any] | None) -> SignatureCheck | None:
    if stored is None:
        return None
    shows_secret = bool(stored.get("shows_secret"))
    return SignatureCheck(_typed(stored, "problem", str | None, None), shows_secret=shows_secret)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _texts(child)
    elif value is not None:
        yield str(value)


def read_deliveries(file: Path, *, is_growing: bool = False) -> list[Delivery]:
    """Read deliveries from a JSON-lines file or a HAR of the requests; ids count from 1.

    A part of a last line is left out if the file `is_growing`. Raises DeliveryFileError, which names the line or entry,
    and OSError if there is no file.
    """
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(file.read_bytes(), final=not is_growing)
    except UnicodeDecodeError as error:
        raise DeliveryFileError(f"{file.name}: not UTF-8") from error
    records = _records(text, is_growing=is_growing)
    try:
        return [_numbered(place, record, number) for number, (place, record) in enumerate(records, start=1)]
    except DeliveryFileError as error:
        raise DeliveryFileError(f"{file.name}: {error}") from error


def _numbered(place: str, record: Any, number: int) -> Delivery:
    if not isinstance(record, dict):
        raise DeliveryFileError(f"{place}: not a JSON object")
    try:
        return Delivery.from_dict({**record, "id": number})
    except DeliveryFileError as error:
        raise DeliveryFileError(f"{place}: {error}") from error


def _records(text: str, *, is_growing: bool) -> Iterator[tuple[str, Any]]:
    """Yield each record of the file after its place in words."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and "log" in content:
        yield from _har_records(content["log"])
    else:
        yield from _line_records(text, is_growing=is_growing)


def _line_records(text: str, *, is_growing: bool) -> Iterator[tuple[str, Any]]:
    lines = text.split("\n")  # only line feeds end a line: the text of a body may contain U+2028
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                if is_growing and number == len(lines):
                    return
                raise DeliveryFileError(f"line {number}: not JSON: {error}") from error


def _har_records(log: Any) -> Iterator[tuple[str, Any]]:
    try:
        entries = list(log["entries"])
    except (KeyError, TypeError) as error:
        raise DeliveryFileError("a HAR without log.entries") from error
    for number, entry in enumerate(entries, start=1):
        try:
            yield f"entry {number}", _from_har(entry)
        except (KeyError, TypeError, AttributeError) as error:
            raise DeliveryFileError(f"entry {number}: not a HAR request: {error!r}") from error


def _from_har(entry: Mapping[str, Any]) -> dict[str, Any]:
    request = entry["request"]
    posted = request.get("postData") or {}
    read = {
        "path": request["url"],
        "method": request["method"],
        "received": entry["startedDateTime"],
        "headers": [[pair["name"], pair["value"]] for pair in request["headers"]],
        "answered": (entry.get("response") or {}).get("status") or None,
    }
    if "text" not in posted and (posted.get("params") or request.get("bodySize", 0) > 0):
        return read  # the HAR has a body, but not its raw bytes
    return {**read, "body_base64" if posted.get("encoding") == "base64" else "body": posted.get("text", "")}


def _typed(stored: Mapping[str, Any], name: str, kind: Any, default: Any) -> Any:
    value = stored.get(name, default)
    if isinstance(value, bool) or not isinstance(value, kind):
        raise DeliveryFileError(f"{name} is {value!r}")
    return value


def _epoch(received: Any) -> float:
    if isinstance(received, int | float) and not isinstance(received, bool):
        return float(received)
    try:
        moment = datetime.fromisoformat(received)
    except (TypeError, ValueError) as error:
        raise DeliveryFileError(f"received is {received!r}, not a time") from error
    if moment.tzinfo is None:
        raise DeliveryFileError(f"received is {received!r}, without an offset from UTC")
    return moment.timestamp()


def _headers(stored: Any) -> tuple[tuple[str, str], ...]:
    pairs = list(stored.items()) if isinstance(stored, dict) else stored
    try:
        read = tuple((name, value) for name, value in pairs)
    except (TypeError, ValueError) as error:
        raise DeliveryFileError("headers are neither pairs nor an object") from error
    if not all(isinstance(word, str) for pair in read for word in pair):
        raise DeliveryFileError("a header is not text")
    return read


def _read_body(stored: Mapping[str, Any]) -> bytes:
    try:
        if stored.get("body_base64") is not None:
            return base64.b64decode(stored["body_base64"], validate=True)
        return str.encode(stored["body"])
    except KeyError as error:
        raise DeliveryFileError("the raw body is absent (body or body_base64)") from error
    except (TypeError, ValueError, binascii.Error) as error:
        raise DeliveryFileError(f"the body is neither raw text nor base64: {error}") from error
