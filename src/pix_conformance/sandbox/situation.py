"""What a guard judges: the call of a rule, with the request and the object that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

TABLES = ("payments_charge", "transfer", "business_charge", "webhook")


@dataclass(frozen=True)
class Situation:
    """The rules, and the values with which one of their methods is called. A member that is not there: LookupError."""

    rules: Any
    given: tuple[Any, ...]

    @property
    def call(self) -> Call:
        """The request."""
        call: Call = self._one(Call)
        return call

    @property
    def row(self) -> Row:
        """The charge, transfer or webhook: given, or named in the path, or just created."""
        for value in self.given:
            if isinstance(value, dict) and {"account", "environment"} <= value.keys():
                return value
        return self._stored()

    @property
    def body(self) -> dict[str, Any]:
        """The body of the request."""
        body: dict[str, Any] = self.rules.json_body(self.call)
        return body

    @property
    def access(self) -> Access:
        """Whose data it is about: the owner of the object, else the caller."""
        try:
            return Access(self.row["account"], self.row["environment"])
        except LookupError:
            given = [value for value in self.given if isinstance(value, Access)]
            return given[0] if given else self.call.access

    def _stored(self) -> Row:
        for number in self._ids():
            for table in TABLES:
                if row := self.rules.store.find(table, id=number):
                    return dict(row)
        raise LookupError("no charge, transfer or webhook")

    def _ids(self) -> Iterator[object]:
        """Yield the id in the path, then those in the answer."""
        for value in self.given:
            if isinstance(value, Call):
                yield value.params.get("id")
            elif isinstance(value, Answer) and isinstance(value.body, dict):
                yield value.body.get("id")
                yield value.body["data"].get("id") if isinstance(value.body.get("data"), dict) else None

    def _one(self, kind: type[Any]) -> Any:
        for value in self.given:
            if isinstance(value, kind):
                return value
        raise LookupError(kind.__name__)


@dataclass(frozen=True)
class Guard:
    """A condition of a difference; `words` follow "if" in its sentence."""

    words: str
    judge: Callable[[Situation], object]


def holds(guards: tuple[Guard, ...], rules: Any, given: tuple[Any, ...]) -> bool:
    """Judge whether all guards hold; one that looks at what is not there does not."""
    try:
        return all(guard.judge(Situation(rules, given)) for guard in guards)
    except LookupError:
        return False
