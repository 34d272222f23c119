"""Operators of idempotency, for both APIs: how keys and bodies are compared, forgotten and answered."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.situation import Guard, holds
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.idempotency import IdempotencyRules
from pix_conformance.reference.store import Row

GROUP = "idempotency"
Act = Callable[[Any, Call, Row], object]
"""What a server does besides, of its rules, the request, and what it remembers of the first one."""


class ComparesOtherwise(IdempotencyRules):
    """Compares bodies after a change."""

    change: ClassVar[Any]

    def fingerprint(self, call: Call, body: Any) -> str:
        return super().fingerprint(call, self.change(body))


def fingerprint(*, without: str = "", **changes: Callable[[Any], Any]) -> Difference:
    """Compare the bodies of a key without one field, or after these changes of the fields that they hold."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        left = {name: value for name, value in body.items() if name != without}
        return left | {name: changes[name](left[name]) for name in changes if left.get(name) is not None}

    name = without or " and ".join(changes)
    return Difference(
        f"A key used again with another {name} is a replay.", ComparesOtherwise, {"change": staticmethod(change)}, GROUP
    )


class TakesForSame(IdempotencyRules):
    """Takes other bodies for the same, too."""

    takes: ClassVar[Any]

    def is_same_body(self, first: str, second: str) -> bool:
        return first == second or bool(self.takes(json.loads(first), json.loads(second)))


def same_body(takes: Callable[[Any, Any], object]) -> Difference:
    """Take the body of the first request and that of a later one for the same if a function says so."""
    sentence = "A key used again with another body is answered as a replay."
    return Difference(sentence, TakesForSame, {"takes": staticmethod(takes)}, GROUP)


class ReadsKey(IdempotencyRules):
    """Reads the key otherwise."""

    read: ClassVar[Any]

    def idempotency_key(self, call: Call) -> str | None:
        key: str | None = self.read(super().idempotency_key(call), call)
        return key


def key_read(sentence: str, read: Callable[[str | None, Call], str | None]) -> Difference:
    """Turn the key of a request (None: it has none) into another one."""
    return Difference(sentence, ReadsKey, {"read": staticmethod(read)}, GROUP)


class ForgetsKey(IdempotencyRules):
    """Forgets the keys of some of the things that were created."""

    table: ClassVar[str]
    guard: ClassVar[Guard]

    def earlier(self, call: Call, key: str) -> Row | None:
        found = super().earlier(call, key)
        first = found and self.store.find(self.table, id=id_in(found))
        return None if first and holds((self.guard,), self, (first,)) else found


def id_in(earlier: Row) -> str:
    """Read the id of what the first request with a key created."""
    body = json.loads(earlier["body"])
    return str(body.get("data", body)["id"])


def forget_key(table: str, when: Guard) -> Difference:
    """Forget a key once the row that its first request created is so."""
    members = {"table": table, "guard": when}
    thing = table.rpartition("_")[2]
    return Difference(f"The key of a {thing} is forgotten, if {when.words}.", ForgetsKey, members, GROUP)


class ReplaysOtherwise(IdempotencyRules):
    """Does something before a replay."""

    act: ClassVar[Any]

    def replay(self, call: Call, earlier: Row) -> Answer:
        found = self.act(self, call, earlier)
        return found if isinstance(found, Answer) else super().replay(call, earlier)


def on_replay(sentence: str, act: Act) -> Difference:
    """Do something at a replay; what it returns is the answer, unless it is none."""
    return Difference(sentence, ReplaysOtherwise, {"act": staticmethod(act)}, GROUP)


class ActsOnConflict(IdempotencyRules):
    """Does something before it refuses another body."""

    act: ClassVar[Any]

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        if not self.is_same_body(earlier["fingerprint"], fingerprint):
            found = self.act(self, call, earlier)
            refusal = self.key_conflict()
            return found if isinstance(found, Answer) else self.refused(call, refusal)
        return super().repeated(call, earlier, fingerprint)


def on_conflict(sentence: str, act: Act) -> Difference:
    """Do something when a key comes with another body; what it returns is the answer, unless it is none."""
    return Difference(sentence, ActsOnConflict, {"act": staticmethod(act)}, GROUP)
