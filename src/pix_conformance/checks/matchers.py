"""The matchers. Each is a frozen value with one question, which `judge` answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from pix_conformance.checks.conclusion import Broken, Conclusion, Holds, Problem, Undecided, Unknown
from pix_conformance.checks.readings import Readings
from pix_conformance.model.subject import MISSING, Subject, at, changed_members, shown

REGISTRY: dict[str, type[Matcher]] = {}
Find = Callable[[str], Any]
"""Gives the exchange or delivery of a recording by its number, such as `exchange 17`; KeyError without it."""
KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "non-empty string": lambda v: isinstance(v, str) and v != "",
    "integer": lambda v: (isinstance(v, int) and not isinstance(v, bool)) or (isinstance(v, float) and v.is_integer()),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}

LISTS = frozenset({"codes", "changed"})
"""Members of matchers that are tuples."""


class Matcher:
    """A pure question to one exchange or delivery. Subclasses are frozen dataclasses of JSON values."""

    word: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Register the matcher by its word, for reading it back from a bundle."""
        if "word" in vars(cls):
            REGISTRY[cls.word] = cls

    def judge(self, subject: Subject) -> Conclusion:
        """Conclude whether the subject meets the matcher; Unknown if it takes a body that cannot be read."""
        readings = Readings()
        matcher, message = self.with_messages(readings), readings.of(subject)
        try:
            problem = matcher.mismatch(message)
        except Undecided as reason:
            problem = reason.unknown
        problem = readings.unknown() or problem
        if isinstance(problem, Unknown):
            return problem
        return Holds() if problem is None else Broken(problem)

    def with_messages(self, readings: Readings) -> Matcher:  # noqa: ARG002  # for what compares with messages
        """Return the matcher with the messages that it compares the subject with, as `readings` gives them."""
        return self

    def mismatch(self, subject: Subject) -> Problem:
        """Say what is wrong with the subject. Raises Undecided if something that this takes cannot be read."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Write the matcher as JSON values; `read` is the way back."""
        return {"matcher": self.word, **asdict(self)}  # type: ignore[call-overload]  # subclasses are dataclasses

    @classmethod
    def from_row(cls, values: dict[str, Any], find: Find) -> Matcher:  # noqa: ARG003  # for what compares with messages
        """Make the matcher of its recorded values; `find` gives the messages of the recording that they name."""
        return cls(**{k: tuple(v) if isinstance(v, list) and k in LISTS else v for k, v in values.items()})


def _find_nothing(evidence: str) -> Any:
    raise KeyError(evidence)


def read(row: dict[str, Any], find: Find = _find_nothing) -> Matcher:
    """Read a matcher back from its JSON values.

    `find` returns the recorded exchange or delivery of a number such as `exchange 17`, or raises KeyError.
    KeyError on an unknown word, and on a message that is not in the recording.
    """
    values = dict(row)
    return REGISTRY[str(values.pop("matcher"))].from_row(values, find)


@dataclass(frozen=True)
class Status(Matcher):
    """The answer has one of these status codes."""

    word = "status"
    codes: tuple[int, ...]

    def mismatch(self, subject: Subject) -> str | None:
        """Compare the status code."""
        if subject.status in self.codes:
            return None
        return f"status is {subject.status}, not {' or '.join(map(str, self.codes))}"


@dataclass(frozen=True)
class Conflict(Status):
    """The answer refuses a body whose idempotency key another one has; `changed` names the fields that differ."""

    word = "conflict"
    changed: tuple[str, ...]

    def mismatch(self, subject: Subject) -> str | None:
        """Compare the status code, and name the fields."""
        problem = super().mismatch(subject)
        return problem and f"{problem}; not as in the first body with this key: {', '.join(self.changed)}"


@dataclass(frozen=True)
class StatusClass(Matcher):
    """The answer's status code lies in a class, such as 2 for 200..299."""

    word = "status class"
    hundred: int

    def mismatch(self, subject: Subject) -> str | None:
        """Compare the first digit of the status code."""
        if subject.status is not None and subject.status // 100 == self.hundred:
            return None
        return f"status is {subject.status}, not {self.hundred}xx"


@dataclass(frozen=True)
class OfField(Matcher):
    """A question to a field of the JSON body."""

    path: str

    def mismatch(self, subject: Subject) -> str | None:
        """Say what the field is, and what it should be."""
        actual = at(subject.parsed_body, self.path)
        wanted = self._wanted(actual)
        return wanted and f"{self.path} is {shown(actual)}, {wanted}"

    def _wanted(self, actual: Any) -> str | None:
        """Say what the value should be; None if it is right."""
        raise NotImplementedError


@dataclass(frozen=True)
class FieldEquals(OfField):
    """A field of the JSON body has this value (JSON equality: 1 and 1.0 are one number)."""

    word = "field"
    expected: Any

    def _wanted(self, actual: Any) -> str | None:
        is_right = actual == self.expected and isinstance(actual, bool) == isinstance(self.expected, bool)
        return None if is_right else f"not {shown(self.expected)}"


@dataclass(frozen=True)
class FieldIn(OfField):
    """A field of the JSON body has one of these values."""

    word = "field in"
    allowed: list[Any]

    def _wanted(self, actual: Any) -> str | None:
        return None if actual in self.allowed else f"not one of {shown(self.allowed)}"


@dataclass(frozen=True)
class Has(OfField):
    """A field of the JSON body is there and of this kind (see KINDS)."""

    word = "has"
    kind: str

    def mismatch(self, subject: Subject) -> str | None:
        """Test the kind of the value."""
        without = f"the body is not JSON, so {self.path} is missing"
        return without if subject.parsed_body is MISSING else super().mismatch(subject)

    def _wanted(self, actual: Any) -> str | None:
        return None if KINDS[self.kind](actual) else f"not {with_article(self.kind)}"


@dataclass(frozen=True)
class NotField(OfField):
    """A field of the JSON body does not have this value."""

    word = "not field"
    unwanted: Any

    def _wanted(self, actual: Any) -> str | None:
        return "which it must not be" if actual == self.unwanted else None


@dataclass(frozen=True)
class Matches(OfField):
    """A string field of the JSON body matches the whole of a regular expression, which `form` says in words."""

    word = "matches"
    pattern: str
    form: str

    def _wanted(self, actual: Any) -> str | None:
        return None if isinstance(actual, str) and re.fullmatch(self.pattern, actual) else f"not {self.form}"


LONGER = {"document": "documentType"}
"""Another field whose name begins like that of a field: to name it is not to name the shorter one."""


@dataclass(frozen=True)
class NamesField(OfField):
    """A readable string of the JSON body names a field: case, separators and path style are free."""

    word = "names"
    name: str

    def _wanted(self, actual: Any) -> str | None:
        text = _squeezed(actual) if isinstance(actual, str) else ""
        own = text.replace(_squeezed(LONGER[self.name]), "") if self.name in LONGER else text
        return None if _squeezed(self.name) in own else f"which does not name {self.name}"


def with_article(noun: str) -> str:
    """Write the noun after a or an, by its first letter.

    >>> with_article("object"), with_article("non-empty string")
    ('an object', 'a non-empty string')
    """
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def status(*codes: int) -> Status:
    """Expect one of these status codes."""
    return Status(codes)


def is_409_for_another_body(first: Mapping[str, Any], other: Mapping[str, Any]) -> Conflict:
    """Expect 409 to the other of two JSON objects that are sent with one idempotency key (PAY-IDEM-02, BUS-IDEM-04)."""
    return Conflict((409,), tuple(changed_members(first, other)))


def success() -> StatusClass:
    """Expect any 2xx."""
    return StatusClass(2)


def client_error() -> StatusClass:
    """Expect any 4xx."""
    return StatusClass(4)


def field(path: str, expected: Any) -> FieldEquals:
    """Expect a value at a path of the JSON body."""
    return FieldEquals(path, expected)


def field_in(path: str, *allowed: Any) -> FieldIn:
    """Expect one of several values at a path of the JSON body."""
    return FieldIn(path, list(allowed))


def has(path: str, kind: str = "non-empty string") -> Has:
    """Expect a value of that kind at a path of the JSON body."""
    return Has(path, kind)


def not_field(path: str, unwanted: Any) -> NotField:
    """Expect another value at a path of the JSON body."""
    return NotField(path, unwanted)


def matches(path: str, pattern: str, form: str) -> Matches:
    """Expect a string that matches the whole of a pattern; `form` says in words what that is, with an article."""
    return Matches(path, pattern, form)


def error(code: str) -> FieldEquals:
    """Expect an error code (PAY-ERR)."""
    return FieldEquals("error", code)


def message_names(name: str) -> NamesField:
    """Expect the message to name a field (PAY-ERR-08)."""
    return NamesField("message", name)


def detail_names(name: str) -> NamesField:
    """Expect the detail to name a field (BUS-ERR-04)."""
    return NamesField("detail", name)


def value(subject: Subject, path: str) -> Any:
    """Read a field of the JSON body; MISSING if it is not there."""
    return at(subject.parsed_body, path)


__all__ = [
    "MISSING", "Matcher", "client_error", "detail_names", "error", "field", "field_in", "has",
    "is_409_for_another_body", "matches", "message_names", "not_field", "read", "status", "success", "value",
]  # fmt: skip
