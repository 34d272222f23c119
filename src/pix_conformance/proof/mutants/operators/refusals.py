"""Operators of refusals, for both APIs: another status, code or body."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import WireRules

KINDS = {
    "invalid": "An invalid request",
    "state": "An operation that the status does not allow",
    "unauthorized": "A wrong credential",
    "forbidden": "A simulation in production",
    "missing": "An id that is unknown or another account's",
    "method": "An unknown method",
    "key_conflict": "An idempotency key used with another body",
    "limited": "One request too many",
}
"""The kinds of refusal of the reference, in words."""


class RefusesOtherwise(WireRules):
    """Refuses what it must, with another answer."""

    kind: ClassVar[str]
    operations: ClassVar[tuple[str, ...]]
    make: ClassVar[Any]
    about: ClassVar[Any]

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        answer = super().refused(call, refusal)
        here = call.operation in self.operations if self.operations else call.operation != ""
        return self.make(answer) if here and refusal.kind == self.kind and self.about(refusal.message) else answer


def refused(  # noqa: PLR0913  # each part of a refusal that a server may get wrong
    kind: str,
    operations: str = "",
    *,
    status: int = 0,
    code: str = "",
    body: Any = None,
    about: Callable[[str], object] = bool,
) -> Difference:
    """Answer a kind of refusal with another status, code or body (a value, or a function of the right one).

    No operations are all of them; `about` judges the message, to choose some refusals of the kind.
    """

    def make(answer: Answer) -> Answer:
        right = answer.body | ({"error": code} if code else {})
        wrong = right if body is None else body(right) if callable(body) else body
        return Answer(status or answer.status, wrong, answer.headers)

    words = [f"the status {status}" if status else "", f"the code {code}" if code else ""]
    words += ["another body"] if body is not None else []
    place = f" by {' and '.join(operations.split())}" if operations else ""
    sentence = f"{KINDS[kind]} is refused{place} with {' and '.join(filter(None, words))}."
    members = {"kind": kind, "operations": tuple(operations.split()), "make": staticmethod(make)}
    return Difference(sentence, RefusesOtherwise, members | {"about": staticmethod(about)})


class RefusesOperation(WireRules):
    """Refuses an operation after its checks and before its effect."""

    operation: ClassVar[str]
    kind: ClassVar[str]

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if call.operation == self.operation and place != "arrival":
            raise Refusal(self.kind, "this is not supported")


def refuses_operation(operation: str, kind: str = "state") -> Difference:
    """Refuse an operation that must succeed, for a reason of some kind; it is one that pauses before its effect."""
    return Difference(
        f"{operation} is refused ({kind}).", RefusesOperation, {"operation": operation, "kind": kind}, "state"
    )
