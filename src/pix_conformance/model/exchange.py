"""One request and its answer, as the tests see it and as the bundle keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self, cast

from pix_conformance.model.body import read, stored, text_of
from pix_conformance.model.json_reader import Row, moment
from pix_conformance.model.subject import at, parsed
from pix_conformance.model.vocabulary import Api, RecordsJudgements, Role

Headers = tuple[tuple[str, str], ...]
STRANGER = "stranger"
"""Group of the queries of what this run did not create: what is found is masked, and so is the id that was asked."""


@dataclass(frozen=True)
class Request:
    """What was sent. The body is raw; `credential` says in words what the Authorization header was."""

    method: str
    url: str
    headers: Headers
    body: bytes = b""
    credential: str = ""

    @property
    def text(self) -> str:
        """The body, for a reader."""
        return text_of(self.body)


@dataclass(frozen=True)
class Response:
    """What came back. `bytes` counts all that was read, also where the body was cut."""

    status: int
    headers: Headers
    body: bytes
    bytes: int
    truncated: bool = False

    @property
    def text(self) -> str:
        """The body, for a reader."""
        return text_of(self.body)


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, or the error that came instead. Times: epoch seconds and milliseconds."""

    id: int
    api: Api
    role: Role
    operation: str | None
    test: str | None
    started: float
    elapsed_ms: float
    request: Request
    response: Response | None = None
    fault: str | None = None
    group: str | None = field(default=None, compare=False)
    run: RecordsJudgements | None = field(default=None, compare=False, repr=False)
    """The run that it belongs to; None for one that was read from a file."""

    @property
    def status(self) -> int | None:
        """Status code of the answer; None if none came."""
        return self.response.status if self.response else None

    @property
    def body(self) -> bytes:
        """The raw body of the answer."""
        return self.response.body if self.response else b""

    @cached_property
    def json(self) -> Any:
        """The parsed body; MISSING if it is not JSON."""
        return parsed(self.body)

    def at(self, path: str) -> Any:
        """Read a field of the answer, such as `data.pix.emv`; MISSING if it is not there."""
        return at(self.json, path)

    def header(self, name: str) -> str | None:
        """Return the first value of a header of the answer, whatever its case."""
        found = (v for k, v in (self.response.headers if self.response else ()) if k.lower() == name.lower())
        return next(found, None)

    @property
    def ok(self) -> bool:
        """Whether the answer is a 2xx."""
        return self.status is not None and 200 <= self.status <= 299  # noqa: PLR2004  # the class of success

    @property
    def ended(self) -> float:
        """When the answer was complete, in epoch seconds."""
        return self.started + self.elapsed_ms / 1000

    @property
    def evidence(self) -> str:
        """How a verdict refers to this exchange."""
        return f"exchange {self.id}"

    @property
    def started_iso(self) -> str:
        """When it was sent, as the bundle writes it."""
        return datetime.fromtimestamp(self.started, UTC).isoformat(timespec="microseconds")

    def to_dict(self) -> dict[str, Any]:
        """Write one line of `exchanges.jsonl`; what must not leave was masked before."""
        sent, came = self.request, self.response
        return {
            "id": self.id,
            "api": self.api,
            "role": self.role,
            "operation": self.operation,
            "test": self.test,
            "started": self.started_iso,
            "elapsed_ms": round(self.elapsed_ms, 2),
            "request": {
                "method": sent.method,
                "url": sent.url,
                "headers": [list(pair) for pair in sent.headers],
                **_stored_body(sent.body),
            },
            "response": came
            and {
                "status": came.status,
                "headers": [list(pair) for pair in came.headers],
                **_stored_body(came.body),
                "bytes": came.bytes,
                "truncated": came.truncated,
            },
            "error": self.fault or None,
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote; what is absent or of another type is empty, an API or role of others stays so."""
        row = Row(stored)
        sent, came = row.row("request"), stored.get("response")
        headers = _headers(sent)
        written = next((value for name, value in headers if name.lower() == "authorization"), "")
        return cls(
            id=row.whole("id"),
            api=cast("Api", row.text("api")),
            role=cast("Role", row.text("role")),
            operation=row.text("operation") or None,
            test=row.text("test") or None,
            started=moment(row.text("started")),
            elapsed_ms=row.number("elapsed_ms"),
            request=Request(
                sent.text("method"), sent.text("url"), headers, read(sent), written.removeprefix("<").removesuffix(">")
            ),
            response=_response(Row(came)) if isinstance(came, dict) else None,
            fault=row.text("error") or None,
        )


def _stored_body(body: bytes) -> dict[str, str | None]:
    return {**stored(body)} if body else {"body": None}


def _response(row: Row) -> Response:
    size, truncated = row.whole("bytes"), row.flag("truncated")
    return Response(row.whole("status"), _headers(row), read(row), size, truncated)


def _headers(row: Row) -> Headers:
    pairs = (pair for pair in row.items("headers") if isinstance(pair, list) and pair)
    return tuple((str(name), ", ".join(map(str, values))) for name, *values in pairs)
