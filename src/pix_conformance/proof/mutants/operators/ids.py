"""Operators of ids in paths, for both APIs: unusual ones are answered wrongly."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules

INTERNAL_ERROR = 500


class AnswersIds(WireRules):
    """Answers some ids without a look at what they name."""

    operations: ClassVar[tuple[str, ...]]
    chosen: ClassVar[Any]
    status: ClassVar[int]
    body: ClassVar[Any]

    async def answer(self, call: Call) -> Answer:
        here = self.find_route(call) is None and call.operation in self.operations
        if here and self.chosen(call.params.get("id", "")):
            return Answer(self.status, dict(self.body))
        return await super().answer(call)


def answers_ids(
    operations: str, chosen: Callable[[str], object], status: int = INTERNAL_ERROR, **body: Any
) -> Difference:
    """Answer the requests of some operations by ids of some kind with a status and a body."""
    sentence = f"{' and '.join(operations.split())} returns {status} for an unusual id."
    body = body or {"error": "INTERNAL", "message": "unexpected", "detail": "unexpected"}
    members = {"operations": tuple(operations.split()), "chosen": staticmethod(chosen), "status": status, "body": body}
    return Difference(sentence, AnswersIds, members, "schema")


def is_long(number: str) -> bool:
    """Judge whether an id is longer than any real one."""
    return len(number) > 100


def is_huge(number: str) -> bool:
    """Judge whether an id is a number beyond 64 bits."""
    return number.isdecimal() and len(number) > 18
