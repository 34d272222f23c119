"""The bundle as values: what one run sent, received and judged."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import Row
from pix_conformance.model.vocabulary import Level, Outcome

EMBEDDED = "embedded reference"
"""The name of the target that the suite brings along."""


class BundleError(ValueError):
    """The directory holds no readable `results.json`."""


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
