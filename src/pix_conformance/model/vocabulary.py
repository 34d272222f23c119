"""The nouns of the suite, each with one meaning. See the README for the list in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

MASK = "***"
"""What stands for a secret, or begins what stands for a value of somebody else's object."""


class Api(StrEnum):
    """Which of the two documents a thing belongs to."""

    PAYMENTS = "payments"
    BUSINESS = "business"


class Level(StrEnum):
    """How strongly a document states a requirement."""

    MUST = "must"
    """A stated rule."""
    SHOULD = "should"
    """A sample, a description, advice, or a rule of the field that the text only implies."""
    OPEN = "open"
    """Not shown, or two sentences that disagree: recorded, never judged."""


class Role(StrEnum):
    """A set of credentials."""

    MERCHANT = "merchant"
    OTHER_MERCHANT = "other_merchant"
    LIVE_MERCHANT = "live_merchant"


class Capability(StrEnum):
    """What a target offers or allows beyond credentials of the API itself."""

    SANDBOX = "sandbox"
    FUNDS = "funds"
    SPLITS = "splits"
    OTHER_ACCOUNT = "other_account"
    LIVE_CREDENTIALS = "live_credentials"
    REVOKED_KEY = "revoked_key"
    RECEIVER = "receiver"
    BUSINESS_RECEIVER = "business_receiver"
    WAITING = "waiting"


class Outcome(StrEnum):
    """What a verdict says of a requirement."""

    FAIL = "fail"
    ERROR = "error"
    INCONCLUSIVE = "inconclusive"
    WARN = "warn"
    WAIVED = "waived"
    OBSERVED = "observed"
    PASS = "pass"  # noqa: S105  # an outcome, not a password
    NOT_APPLICABLE = "not applicable"


MERGE_ORDER = tuple(Outcome)
"""Strongest first; `not applicable` yields to any other."""


def merge(outcomes: Iterable[Outcome]) -> Outcome:
    """The one outcome that stands for several; of none, `inconclusive`."""
    return min(outcomes, key=MERGE_ORDER.index, default=Outcome.INCONCLUSIVE)


@dataclass(frozen=True)
class Requirement:
    """One fact that can be true or false of a service, citing every place that states it.

    `lines` are inclusive, 1-based ranges of the document; `text` is the hash of what stands there.
    """

    id: str
    api: Api
    level: Level
    statement: str
    section: str
    lines: tuple[tuple[int, int], ...]
    text: str
    needs: frozenset[Capability] = frozenset()
    operation: str | None = None
    unobservable: str | None = None
    passive: bool = False
    observe: str | None = None
    note: str | None = None

    @property
    def place(self) -> str:
        """The citation, such as `payments.md, Events, lines 316-318`."""
        ranges = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in self.lines)
        one = len(self.lines) == 1 and self.lines[0][0] == self.lines[0][1]
        return f"{self.api}.md, {self.section}, {'line' if one else 'lines'} {ranges}"


@dataclass(frozen=True)
class Verdict:
    """What one test, or the passive judge, says of one requirement."""

    requirement: str
    outcome: Outcome
    reason: str = ""
    test: str | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observation:
    """What was seen at an open point, in words and as data."""

    requirement: str
    words: str
    data: Any = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """Matchers held against one exchange or delivery, for one requirement."""

    requirement: str
    test: str | None
    evidence: str
    matchers: tuple[dict[str, Any], ...]
    mismatches: tuple[str, ...] = ()
    control: str | None = None
    """The operation that must have succeeded in this run for a pass to count, as `api.operation`."""
    curl: str | None = field(default=None, compare=False)
    smallest_of: int = 0
    """How many generated inputs failed in the test, of which this is the smallest; 0 where none was generated."""


class RecordsJudgements(Protocol):
    """What an exchange or a delivery knows of its run: where what is found about it is entered."""

    test: str | None
    requirements: tuple[str, ...]
    base_url: str
    judgements: list[Judgement]
    observations: list[Observation]
    accepted: set[tuple[Api, Role]]

    @property
    def redact(self) -> Callable[[str], str]:
        """What masks secrets in a text."""
