"""One request and its response, as tests use it and as the bundle stores it; how the suite may cut the request."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, Self, cast

from pix_conformance.model.json_reader import Row, body_of, moment, stored_body, text_of
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import at, parsed, parsed_or_why
from pix_conformance.model.vocabulary import SUCCESS, Api, Role, RunningTest

Headers = tuple[tuple[str, str], ...]
ABSENT = frozenset({404, 405, 501})
"""What a server answers where it has no such path, no such method there, or has not implemented it (RFC 9110)."""
NO_ROUTE = ABSENT | {410}
"""And where it has a path no more."""
KEY_HEADERS = ("x-idempotency-key", "idempotency-key")
"""The header of the idempotency key in each API."""


DELIVERS_EVENT = "deliver_event"
"""The operation of an exchange that delivers an event to the webhook endpoint of an integration."""


CLOSED_BEFORE_ANSWER = "the suite closed the connection before the answer"
NOT_AWAITED = "the suite waited no longer, since an earlier event was not answered in time"
"""The fault of an event that the suite delivered without waiting for the answer."""


class NetworkFault(StrEnum):
    """How the suite cut, repeated or slowed a request. The value is the `fault` of its exchange.

    Only a slow one has a response: whether another one had an effect is not known from it.
    """

    AFTER_REQUEST = "the suite cut the connection after the request was sent"
    AFTER_HEADERS = "the suite cut the connection after the response headers"
    IN_BODY = "the suite cut the connection in the middle of the request body"
    SENT_TWICE = "the suite sent it twice, on two connections, as a proxy does, and read no response"
    SLOW_UPLOAD = "the suite sent the body slowly, in pieces"


NETWORK_FAULTS = {str(fault): fault for fault in NetworkFault}
"""The faults by what an exchange has as its `fault`."""
MISSING_BYTES = 3
"""How many bytes of a body that is cut are not sent."""


@dataclass(frozen=True)
class Request:
    """What was sent. `body` is raw; `credential` says in words what the Authorization header was.

    `formula` is the value of that header for a shell, where the words do not say it; `login` is the number of the
    exchange that issued its token, 0 without one. `refused_before` is the number of the exchange in which the client
    sent it with an earlier token and got a 401; 0 of any other.
    """

    method: str
    url: str
    headers: Headers
    body: bytes = b""
    credential: str = ""
    formula: str = ""
    login: int = 0
    refused_before: int = 0

    def __repr__(self) -> str:
        """Show neither headers nor body: they may hold secrets."""
        return f"<{self.method}>"

    @property
    def authorization(self) -> str:
        """What was in the Authorization header, in words; empty where none was sent."""
        return self.credential if any(name.lower() == "authorization" for name, _ in self.headers) else ""

    @cached_property
    def json_object(self) -> dict[str, Any]:
        """The JSON object of the body; empty if it is not one, or cannot be read."""
        value = parsed(self.body)
        return value if isinstance(value, dict) else {}

    @property
    def text(self) -> str:
        """The body, for a reader."""
        return text_of(self.body)


@dataclass(frozen=True)
class Response:
    """What was received. `bytes` counts all bytes of the body, also if the stored body was cut."""

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
    """A request and its response, or the fault that occurred instead. `started` is in epoch seconds.

    A test holds it as it was sent. Of the copy that is recorded (`recording.recorder`) the secrets are masked and long
    bodies cut; both have one id.
    """

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
    """Shared by exchanges that were sent simultaneously; None of any other."""
    is_foreign: bool = field(default=False, compare=False)
    """Whether it queries an object that this run did not create: the response and the id in the path are masked."""
    by_integration: bool = field(default=False, compare=False)
    """Whether it shows what an integration does: a request of its client, or the answer of its webhook endpoint."""
    current_test: RunningTest | None = field(default=None, compare=False, repr=False)
    """The test of this process that runs; None for an exchange that was read from a file."""

    def __repr__(self) -> str:
        """Show neither headers nor bodies: what a test holds has the secrets that its recorded copy does not have."""
        return f"<{self.evidence}: {self.api}.{self.operation}, status {self.status}>"

    def _repr_pretty_(self, printer: Any, _: object) -> None:
        """Name it alone for hypothesis."""
        printer.text(f"<{self.evidence}>")

    @property
    def found_no_connection(self) -> bool:
        """Whether the target accepted no connection; the fault begins with the name of httpx's error."""
        return (self.fault or "").startswith("ConnectError:")

    @property
    def network_fault(self) -> NetworkFault | None:
        """What the suite did to the request on purpose; None of any other exchange."""
        return NETWORK_FAULTS.get(self.fault or "")

    @property
    def is_cut(self) -> bool:
        """Whether the suite saw to it that the request has no response."""
        return self.network_fault is not None and self.response is None

    @property
    def status(self) -> int | None:
        """The status code of the response; None without a response."""
        return self.response.status if self.response else None

    @property
    def body(self) -> bytes:
        """The raw body of the response."""
        return self.response.body if self.response else b""

    @cached_property
    def json(self) -> Any:
        """The parsed body; MISSING if it is not JSON."""
        return self._parsed_or_why[0]

    @cached_property
    def _parsed_or_why(self) -> tuple[Any, str | None]:
        return parsed_or_why(self.body)

    @property
    def parsed_body(self) -> Any:
        """The parsed body; MISSING if it is not JSON."""
        return self.json

    @cached_property
    def json_object(self) -> dict[str, Any]:
        """The JSON object of the body; empty if it is not one, or cannot be read."""
        return self.json if isinstance(self.json, dict) else {}

    @cached_property
    def unreadable(self) -> str | None:
        """Why the body cannot be read although it is JSON; None if it can be, and if it is not JSON."""
        return self._parsed_or_why[1]

    def at(self, path: str) -> Any:
        """Return a field of the response body, for example `data.pix.emv`; MISSING if it is absent."""
        return at(self.json, path)

    def header(self, name: str) -> str | None:
        """Return the first value of a response header, in upper or lower case; None if it is absent."""
        values = (v for k, v in (self.response.headers if self.response else ()) if k.lower() == name.lower())
        return next(values, None)

    @property
    def ok(self) -> bool:
        """Whether the response is a 2xx."""
        return self.status in SUCCESS

    @property
    def ended(self) -> float:
        """When the response was complete, in epoch seconds."""
        return self.started + self.elapsed_ms / 1000

    @property
    def evidence(self) -> str:
        """The reference to this exchange in verdicts."""
        return f"exchange {self.id}"

    @property
    def started_iso(self) -> str:
        """When it was sent, as the bundle stores it."""
        return datetime.fromtimestamp(self.started, UTC).isoformat(timespec="microseconds")

    def to_dict(self) -> dict[str, Any]:
        """Return one line of `exchanges.jsonl`. Secrets are masked already."""
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
                **({"formula": sent.formula} if sent.formula else {}),
                **({"login": sent.login} if sent.login else {}),
                **({"refused_before": sent.refused_before} if sent.refused_before else {}),
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
            **({"group": self.group} if self.group else {}),
            **({"is_foreign": True} if self.is_foreign else {}),
            **({"by_integration": True} if self.by_integration else {}),
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Read a line of `to_dict`. A field that is absent or of another type reads as empty."""
        row = Row(stored)
        sent, came = row.row("request"), stored.get("response")
        headers = _headers(sent)
        written = next((value for name, value in headers if name.lower() == "authorization"), "")
        return cls(
            id=row.integer("id"),
            api=cast("Api", row.text("api")),
            role=cast("Role", row.text("role")),
            operation=row.text("operation") or None,
            test=row.text("test") or None,
            started=moment(row.text("started")),
            elapsed_ms=row.number("elapsed_ms"),
            request=Request(
                sent.text("method"),
                sent.text("url"),
                headers,
                body_of(sent),
                written.removeprefix("<").removesuffix(">"),
                sent.text("formula"),
                sent.integer("login"),
                sent.integer("refused_before"),
            ),
            response=_response(Row(came)) if isinstance(came, dict) else None,
            fault=row.text("error") or None,
            group=row.text("group") or None,
            is_foreign=row.flag("is_foreign"),
            by_integration=row.flag("by_integration"),
        )


def _stored_body(body: bytes) -> dict[str, str | None]:
    return {**stored_body(body)} if body else {"body": None}


def _response(row: Row) -> Response:
    size, truncated = row.integer("bytes"), row.flag("truncated")
    return Response(row.integer("status"), _headers(row), body_of(row), size, truncated)


def _headers(row: Row) -> Headers:
    pairs = (pair for pair in row.items("headers") if isinstance(pair, list) and pair)
    return tuple((str(name), ", ".join(map(str, values))) for name, *values in pairs)


def key_of(sent: Request) -> str:
    """Return the idempotency key of a request; empty without one.

    All requests with one key are judged by `checks.key_histories.has_one_use_of_key_with`, in `test_histories.py`.
    """
    return next((value for name, value in sent.headers if name.lower() in KEY_HEADERS), "")


@dataclass(frozen=True)
class Created:
    """One object that a run created on the account.

    `exchange` is the number of the exchange that created it; `state` is left, removed or canceled; `label` is the
    `external_ref` that the caller gave it, empty without one.
    """

    api: Api
    role: Role
    kind: str
    id: str
    exchange: int
    state: str = "left"
    label: str = ""
    is_id_shared: bool = False
    """Whether an object of another account or environment has the same id, so that the id does not name this one."""

    @property
    def is_removable(self) -> bool:
        """Whether a run removes it when it ends."""
        return self.kind == PROFILES[self.api].removes

    @property
    def names(self) -> tuple[str, ...]:
        """The id and, where it has one, the label: an event may name the object by either."""
        return tuple(filter(None, (self.id, self.label)))
