"""The basic types: API, level, role, capability, outcome, requirement, verdict, judgement (docs/glossary.md)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from pix_conformance.model.why import Why

SUCCESS = range(200, 300)
"""The statuses of a success: 2xx."""
MASK = "***"
"""The replacement of a secret, or the beginning of the replacement of another account's data."""


class Api(StrEnum):
    """One of the two APIs, each with its own document."""

    PAYMENTS = "payments"
    BUSINESS = "business"


class Level(StrEnum):
    """How clearly a document states a requirement."""

    MUST = "must"
    """A stated rule."""
    SHOULD = "should"
    """A sample, a description, advice, or a rule of PIX that the text only implies."""
    OPEN = "open"
    """Not stated, or stated in two different ways: observed, never judged."""


class Party(StrEnum):
    """Whom a requirement binds."""

    SERVICE = "service"
    """The service that offers the API."""
    INTEGRATION = "integration"
    """The integrator's own software: a client of the API, and a webhook endpoint."""


class Role(StrEnum):
    """The use of a set of credentials in a run."""

    MERCHANT = "merchant"
    OTHER_MERCHANT = "other_merchant"
    LIVE_MERCHANT = "live_merchant"


class Capability(StrEnum):
    """A feature of the target, or of the run, that some requirements need."""

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
    """The result of a requirement."""

    FAIL = "fail"
    ERROR = "error"
    INCONCLUSIVE = "inconclusive"
    WARN = "warn"
    WAIVED = "waived"
    OBSERVED = "observed"
    PASS = "pass"  # noqa: S105  # an outcome, not a password
    NOT_APPLICABLE = "not applicable"


SHOWN_ORDER = tuple(Outcome)
"""The order in which pages show outcomes."""
STRONGEST_FIRST = (
    *(Outcome.FAIL, Outcome.ERROR, Outcome.WARN, Outcome.INCONCLUSIVE),
    *(Outcome.WAIVED, Outcome.OBSERVED, Outcome.PASS, Outcome.NOT_APPLICABLE),
)
"""Of the outcomes of several tests the first counts: what one saw broken, also if another could not tell."""


def merge(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the one outcome of several of one requirement; `inconclusive` for none."""
    return min(outcomes, key=STRONGEST_FIRST.index, default=Outcome.INCONCLUSIVE)


def citation(document: str, section: str, lines: Sequence[tuple[int, int]]) -> str:
    """Return a citation of lines, from first to last: `payments.md, Events, lines 316-318`."""
    ranges = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in lines)
    single = len(lines) == 1 and lines[0][0] == lines[0][1]
    return f"{document}.md, {section}, {'line' if single else 'lines'} {ranges}"


@dataclass(frozen=True)
class Requirement:
    """One fact that is true or false of a service, or of an integration, with every place that states it.

    `lines` are inclusive, 1-based ranges of lines of the document; `text` is the hash of these lines.
    """

    id: str
    api: Api
    level: Level
    statement: str
    section: str
    lines: tuple[tuple[int, int], ...]
    text: str
    party: Party = Party.SERVICE
    refusals: tuple[int, ...] = ()
    """The 4xx statuses that the statement names."""
    needs: frozenset[Capability] = frozenset()
    operation: str | None = None
    asks: str | None = None
    """The question to its operation (`Question`) to which it states the answer."""
    asks_every: str | None = None
    """The question to every operation to which it states the answer."""
    unobservable: str | None = None
    passive: bool = False
    is_general: bool = False
    """Whether it is about all events, so that a requirement about one kind of them names a cause better."""
    observe: str | None = None
    note: str | None = None

    @property
    def citation(self) -> str:
        """The citation, for example `payments.md, Events, lines 316-318`."""
        return citation(self.api, self.section, self.lines)


@dataclass(frozen=True)
class Verdict:
    """The result of one test, or of the passive rules, for one requirement."""

    requirement: str
    outcome: Outcome
    reason: str = ""
    test: str | None = None
    evidence: tuple[str, ...] = ()
    source_line: str = ""
    """Of an error of the suite: the file and line of this project that raised it, such as `suites/x.py:12`."""
    trace: str = ""
    """Of an error of the suite: its traceback."""
    why: Why | None = None
    """Why it neither passes nor fails."""


@dataclass(frozen=True)
class Observation:
    """What a target did at an open point, in words and as data."""

    requirement: str
    words: str
    data: Any = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """The result of matchers on one exchange or delivery, for one requirement."""

    requirement: str
    test: str | None
    evidence: str
    matchers: tuple[dict[str, Any], ...]
    mismatches: tuple[str, ...] = ()
    control: str | None = None
    """The operation that must have succeeded in this run for a pass to count, as `api.operation`."""
    curl: str | None = field(default=None, compare=False)
    """The request as a line for curl; `report.scripts` has all requests that show a failure again."""
    smallest_of: int = 0
    """The number of generated inputs that failed in the test, of which this is the smallest; 0 for other tests."""
    steps: tuple[int, ...] = ()
    """The numbers of the exchanges of the walk that failed, the one that was judged last; empty for other tests."""


class RunningTest(Protocol):
    """The test that runs, as a message knows it: `harness.current_test.CurrentTest`, by which `expect` finds it."""

    def curl(self, message: Any) -> str | None:
        """The curl line of a recorded exchange."""


@dataclass(frozen=True)
class Secret:
    """A string that only `reveal()` returns."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        """Return the secret itself, to send it."""
        return self._value

    def __str__(self) -> str:
        return "***"

    def __repr__(self) -> str:
        return "Secret(***)"


"""The exceptions that end a run: wrong settings, and a signal."""


class UsageError(Exception):
    """The settings contradict each other or are malformed (exit status 4, before any request)."""


class Interrupted(KeyboardInterrupt):
    """Ends pytest after a signal. It gives no test a verdict."""

    __module__ = "builtins"
