"""The bundle as values: what one run sent, received and judged, read from its directory."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reports.rows import Row, json_lines, parsed
from specs.vocabulary import Api, Level, Outcome

EMBEDDED = "embedded reference"
"""The name of the target that the suite brings along."""


class BundleError(ValueError):
    """The directory holds no readable `results.json`."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a message carried: text, or base64 of bytes that are no UTF-8, or nothing."""

    text: str | None
    base64: str | None = None

    @classmethod
    def of(cls, row: Row) -> "Body":
        """Take the body that a recorded message or delivery carries."""
        return cls(row.maybe_text("body"), row.maybe_text("body_base64"))

    @property
    def json(self) -> Any:
        """The JSON value in it, or None."""
        return parsed(self.text)

    def __str__(self) -> str:
        """Write the text, or the base64 with a word before it."""
        if self.text is not None:
            return self.text
        return "" if self.base64 is None else f"(bytes that are no UTF-8, base64) {self.base64}"


Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Response:
    """What the target answered. `size` is in bytes, before anything was truncated."""

    status: int
    headers: Headers
    body: Body
    size: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of the suite and its answer, in `elapsed` ms; without an answer, `error` says why."""

    id: int
    api: str
    role: str
    operation: str
    test: str
    started: str
    elapsed: float
    method: str
    url: str
    headers: Headers
    body: Body
    response: Response | None
    error: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One call of the target to the receiver, what was answered (None: nothing), and why its body is masked."""

    id: int
    api: str
    path: str
    received: str
    method: str
    headers: Headers
    body: Body
    answered: int | None
    fault: str
    masked: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Matchers held against one exchange or delivery: `evidence` names it, as in `exchange 412`."""

    test: str
    evidence: str
    matchers: tuple[dict[str, Any], ...]
    mismatches: tuple[str, ...]
    curl: str
    smallest_of: int


@dataclass(frozen=True, slots=True)
class Seen:
    """An observation: what was seen at an open point, in words and as data."""

    words: str
    data: Any
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One test function that asks a requirement: its name for pytest, its words, and how many of its cases ask."""

    test: str
    words: str
    cases: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One requirement with its verdict in this run."""

    id: str
    document: str
    level: Level
    section: str
    lines: tuple[tuple[int, int], ...]
    cited: tuple[tuple[int, str], ...]
    statement: str
    outcome: Outcome
    reason: str
    not_asked: tuple[str, ...]
    observations: tuple[Seen, ...]
    judgements: tuple[Judgement, ...]
    tests: tuple[str, ...]
    asked_by: tuple[Question, ...]
    judged_on: tuple[str, ...]
    seconds: float
    evidence: tuple[str, ...]
    needs: tuple[str, ...]
    note: str
    unobservable: str

    @property
    def place(self) -> str:
        """Where the document states it, such as `payments.md, Events, lines 316-318`."""
        ranges = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in self.lines)
        one = len(self.lines) == 1 and self.lines[0][0] == self.lines[0][1]
        return f"{self.document}.md, {self.section}, {'line' if one else 'lines'} {ranges}"

    @property
    def missed(self) -> tuple[Judgement, ...]:
        """The judgements in which something did not match."""
        return tuple(j for j in self.judgements if j.mismatches)


@dataclass(frozen=True, slots=True)
class Created:
    """One object that the run made on the account; `state` says whether it was left there."""

    api: str
    role: str
    kind: str
    id: str
    exchange: int
    state: str


@dataclass(frozen=True)
class Bundle:
    """One run, whole. `unreadable` names what the files hold that could not be read."""

    headline: str
    notices: tuple[str, ...]
    suite: str
    documents: dict[str, str]
    target: str
    base_url: str
    apis: tuple[str, ...]
    capabilities: tuple[str, ...]
    run: Row
    entries: tuple[Entry, ...]
    journal: tuple[Created, ...]
    exchanges: tuple[Exchange, ...]
    deliveries: tuple[Delivery, ...]
    unreadable: tuple[str, ...]

    @property
    def embedded(self) -> bool:
        """Whether the target was the suite's own reference."""
        return self.target == EMBEDDED

    @property
    def partial(self) -> bool:
        """Whether only some requirements were asked for."""
        return self.run.flag("partial")

    @cached_property
    def exchange(self) -> dict[int, Exchange]:
        """The exchanges by number."""
        return {exchange.id: exchange for exchange in self.exchanges}

    @cached_property
    def delivery(self) -> dict[int, Delivery]:
        """The deliveries by number."""
        return {delivery.id: delivery for delivery in self.deliveries}


def numbered(evidence: str, kind: str = "exchange") -> int | None:
    """Find the number in `exchange 412`; None when the evidence is of another kind."""
    match = re.fullmatch(rf"{kind} (\d{{1,15}})", evidence)
    return int(match[1]) if match else None


def read(directory: Path) -> Bundle:
    """Read the bundle in `directory`. BundleError when its `results.json` is missing or no JSON object."""
    try:
        results = parsed((directory / "results.json").read_text("utf-8", "replace"))
    except OSError as problem:
        raise BundleError(f"no bundle in {directory}: {problem.strerror or problem}") from problem
    if not isinstance(results, dict):
        raise BundleError(f"{directory / 'results.json'} holds no JSON object")
    row, unreadable = Row(results), list[str]()
    target = row.row("target")
    return Bundle(
        headline=row.text("headline"),
        notices=row.texts("notices"),
        suite=row.text("suite"),
        documents={name: row.row("documents").text(name) for name in row.row("documents").fields},
        target=target.text("name"),
        base_url=target.text("base_url"),
        apis=target.texts("apis") or tuple(Api),
        capabilities=target.texts("capabilities"),
        run=row.row("run"),
        entries=tuple(_entry(each) for each in row.rows("requirements")),
        journal=tuple(_created(each) for each in row.rows("journal")),
        exchanges=tuple(_exchange(each) for each in json_lines(directory / "exchanges.jsonl", unreadable)),
        deliveries=tuple(_delivery(each) for each in json_lines(directory / "deliveries.jsonl", unreadable)),
        unreadable=tuple(unreadable),
    )


def _entry(row: Row) -> Entry:
    return Entry(
        id=row.text("id"),
        document=row.text("document") or row.text("api"),
        level=_level(row.text("level")),
        section=row.text("section"),
        lines=tuple(_range(pair) for pair in row.items("lines")),
        cited=tuple(_cited(pair) for pair in row.items("cited")),
        statement=row.text("statement"),
        outcome=_outcome(row.text("outcome")),
        reason=row.text("reason"),
        not_asked=row.texts("not_asked"),
        observations=tuple(_seen(each) for each in row.rows("observation")),
        judgements=tuple(_judgement(each) for each in row.rows("judgements")),
        tests=row.texts("tests"),
        asked_by=tuple(_question(each) for each in row.rows("asked_by")),
        judged_on=row.texts("judged_on"),
        seconds=row.number("seconds"),
        evidence=row.texts("evidence"),
        needs=row.texts("needs"),
        note=row.text("note"),
        unobservable=row.text("unobservable"),
    )


def _question(row: Row) -> Question:
    return Question(row.text("test"), row.text("words"), row.whole("cases"))


def _level(text: str) -> Level:
    return Level(text) if text in set(Level) else Level.MUST


def _outcome(text: str) -> Outcome:
    return Outcome(text) if text in set(Outcome) else Outcome.ERROR


def _range(pair: Any) -> tuple[int, int]:
    match pair:
        case [int(first), int(last)]:
            return first, last
        case _:
            return 0, 0


def _cited(pair: Any) -> tuple[int, str]:
    match pair:
        case [int(number), str(text)]:
            return number, text
        case _:
            return 0, ""


def _seen(row: Row) -> Seen:
    return Seen(row.text("words"), row.fields.get("data"), row.texts("evidence"))


def _judgement(row: Row) -> Judgement:
    return Judgement(
        test=row.text("test"),
        evidence=row.text("target"),
        matchers=tuple(each.fields for each in row.rows("matchers")),
        mismatches=row.texts("mismatches"),
        curl=row.text("curl"),
        smallest_of=row.whole("smallest_of"),
    )


def _created(row: Row) -> Created:
    api, role, kind, name = (row.text(key) for key in ("api", "role", "kind", "id"))
    return Created(api, role, kind, name, row.whole("exchange"), row.text("state"))


def _headers(row: Row) -> Headers:
    pairs = (pair for pair in row.items("headers") if isinstance(pair, list) and pair)
    return tuple((str(name), ", ".join(map(str, values))) for name, *values in pairs)


def _exchange(row: Row) -> Exchange:
    request, answered = row.row("request"), isinstance(row.fields.get("response"), dict)
    return Exchange(
        id=row.whole("id"),
        api=row.text("api"),
        role=row.text("role"),
        operation=row.text("operation"),
        test=row.text("test"),
        started=row.text("started"),
        elapsed=row.number("elapsed_ms"),
        method=request.text("method"),
        url=request.text("url"),
        headers=_headers(request),
        body=Body.of(request),
        response=_response(row.row("response")) if answered else None,
        error=row.text("error"),
    )


def _response(row: Row) -> Response:
    size, truncated = row.whole("bytes"), row.flag("truncated")
    return Response(row.whole("status"), _headers(row), Body.of(row), size, truncated)


def _delivery(row: Row) -> Delivery:
    return Delivery(
        id=row.whole("id"),
        api=row.text("api"),
        path=row.text("path"),
        received=row.text("received"),
        method=row.text("method"),
        headers=_headers(row),
        body=Body.of(row),
        answered=row.whole("answered") or None,
        fault=row.text("fault"),
        masked=row.text("masked"),
    )
