"""Facts: what happened in a run, appended in the order in which it happened, and never changed or removed.

`verdicts.judge` says what they mean. `recording.journal` writes each as a line, and reads the lines of one process or
of several.
"""

import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.vocabulary import Api, Judgement, Observation, Outcome, Role
from pix_conformance.model.why import Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a test expected of a message, and what its matchers found when they were asked."""

    number: int
    requirements: tuple[str, ...]
    test: str | None
    evidence: str
    """The message: `exchange 412` or `delivery 7`."""
    matchers: tuple[dict[str, Any], ...] = ()
    mismatches: tuple[str, ...] = ()
    control: str | None = None
    """The operation that must have succeeded in the run for a pass to count, as `api.operation`: a refusal shows
    nothing where each request of the operation is refused."""
    curl: str | None = None
    again: int = 0
    """The number of the expectation that this one asks again, of the events that had come by then; 0 for none."""

    def judgement(self, requirement: str, *, smallest_of: int = 0, steps: tuple[int, ...] = ()) -> Judgement:
        """Return it as a judgement of one of its requirements."""
        return Judgement(
            *(requirement, self.test, self.evidence, self.matchers, self.mismatches, self.control, self.curl),
            smallest_of=smallest_of,
            steps=steps,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedWalk:
    """The numbers of the exchanges of a walk whose last step did not meet an expectation."""

    expected: int
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a test ended, after `seconds`. `outcome` is None where what the test expected says it."""

    test: str
    requirements: tuple[str, ...]
    seconds: float = 0.0
    outcome: Outcome | None = None
    reason: str = ""
    why: Why | None = None
    is_failure: bool = False
    """Whether a failed expectation ended it, so that it may have asked only some of its requirements."""
    is_generated: bool = False
    """Whether the suite generated its requests."""
    source_line: str = ""
    """Of an error of the suite: the file and line of this project that raised it."""
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a response showed of a requirement that holds for every message: a problem, or None if it was right."""

    requirement: str
    operation: str
    """As `api.operation`."""
    evidence: str
    test: str | None = None
    problem: str | None = None
    curl: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undocumented:
    """A field of a response that the OpenAPI file does not name, as `operation: path`; empty: there was a response."""

    requirement: str
    field: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Succeeded:
    """An operation worked with the credential of a role, for the first time."""

    api: Api
    operation: str
    role: Role


@dataclass(frozen=True, slots=True)
class Removed:
    """An object that the run created is no longer there."""

    api: Api
    id: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """No requirement of an API can be tested: nothing answers, or the merchant's credential is refused."""

    api: Api
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEvents:
    """No event of an API can be seen, or none had come when the first was due."""

    api: Api
    outcome: Outcome
    reason: str
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Late:
    """An event came so many seconds after its cause, which was after its deadline."""

    api: Api
    delivery: int
    seconds: float
    deadline: float


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence about the run for its reader."""

    words: str


@dataclass(frozen=True, slots=True)
class Begun:
    """Which run it is, and what it was to do: `session.unfinished_run.heading`."""

    heading: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """A process of the run has sent its last request."""

    capabilities: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """The required capabilities that the target was not given."""
    turns: tuple[tuple[float, float], ...] = ()
    """Each turn of the target's clock: when it began (epoch seconds), and by how many seconds."""
    seconds: float = 0.0
    status: int = 0
    """The exit status of a signal or of pytest that takes precedence over the verdict; 0 without one."""


Fact = (
    Exchange | Delivery | Expected | FailedWalk | Ended | Observation | Shown | Undocumented | Created | Removed
    | Succeeded | Unusable | NoEvents | Late | Notice | Begun | Concluded
)  # fmt: skip


@dataclass
class Facts:
    """The facts of one process, or of all processes of a run. Safe to use from many threads."""

    exchanges: list[Exchange] = field(default_factory=list)
    """Secrets are masked; objects that the run did not create are masked by `recording.masking`."""
    deliveries: list[Delivery] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    walked: list[FailedWalk] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    observed: list[Observation] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    undocumented: list[Undocumented] = field(default_factory=list)
    created: list[Created] = field(default_factory=list)
    removed: list[Removed] = field(default_factory=list)
    succeeded: list[Succeeded] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    no_events: list[NoEvents] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    begun: list[Begun] = field(default_factory=list)
    concluded: list[Concluded] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """The numbers of expectations: those of other processes of the run are others."""
    write: Callable[[Fact], None] = lambda _fact: None
    """Writes a fact to the journal of this process."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, fact: Fact) -> None:
        """Append a fact, and write it."""
        with self._lock:
            self.of(type(fact)).append(fact)
            self.write(fact)

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the facts of a kind."""
        facts: list[Any] = getattr(self, LISTS[kind])
        return facts

    def expect(self, **fields: Any) -> Expected:
        """Append an expectation with the next number, and return it."""
        with self._lock:
            expected = Expected(number=next(self.numbers), **fields)
            self.expected.append(expected)
            self.write(expected)
        return expected

    def note(self, words: str) -> None:
        """Append a notice."""
        self.add(Notice(words))

    def extend(self, other: "Facts") -> None:
        """Append the facts of another process; each list is then that of the first process, the second and so on."""
        for name in LISTS.values():
            getattr(self, name).extend(getattr(other, name))

    @property
    def operations(self) -> frozenset[str]:
        """The operations that worked, as `api.operation`."""
        return frozenset(f"{fact.api}.{fact.operation}" for fact in self.succeeded)

    @property
    def accepted(self) -> frozenset[tuple[Api, Role]]:
        """The roles whose credentials a response accepted."""
        return frozenset((fact.api, fact.role) for fact in self.succeeded)

    @property
    def ended_tests(self) -> frozenset[str]:
        """The tests that have ended, by node id."""
        return frozenset(fact.test for fact in self.ended)


LISTS: dict[type[Any], str] = {
    Exchange: "exchanges", Delivery: "deliveries", Expected: "expected", FailedWalk: "walked", Ended: "ended",
    Observation: "observed", Shown: "shown", Undocumented: "undocumented", Created: "created", Removed: "removed",
    Succeeded: "succeeded", Unusable: "unusable", NoEvents: "no_events", Late: "late", Notice: "notices",
    Begun: "begun", Concluded: "concluded",
}  # fmt: skip
"""The list of `Facts` that holds each kind of fact; its name is also the word of its lines in a file."""


def fields_of(fact: Any) -> dict[str, Any]:
    """Return the fields of a fact that differ from their defaults, for its line."""
    return {item.name: value for item in fields(fact) if (value := getattr(fact, item.name)) != item.default}
