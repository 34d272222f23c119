"""Answers ids of an unusual form in another way."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call

INTERNAL = Answer(500, {"detail": "unexpected"})
LONGEST_ID = 100
MOST_DIGITS = 18


class ChokesOnIds(BusinessRules):
    """Answers the ids of some operations that are of some kind in its own way."""

    operation: ClassVar[str] = ""
    answered: ClassVar[Answer] = INTERNAL

    @staticmethod
    def chokes(number: str) -> object:
        """Judge an id."""
        raise NotImplementedError

    async def answer(self, call: Call) -> Answer:
        """Look at the id first."""
        found = self.find_route(call) is None and call.operation in self.operation.split()
        if found and self.chokes(call.params.get("id", "")):
            return Answer(self.answered.status, self.answered.body)
        return await super().answer(call)


def choking_on(operation: str, chokes: Callable[[str], object], answered: Answer = INTERNAL) -> dict[str, Any]:
    """Members of a class that answers some ids of an operation in its own way."""
    return {"operation": operation, "chokes": staticmethod(chokes), "answered": answered}


def is_long(number: str) -> bool:
    """Judge whether an id is longer than any real one."""
    return len(number) > LONGEST_ID


def is_huge(number: str) -> bool:
    """Judge whether an id is a number beyond 64 bits."""
    return number.isdecimal() and len(number) > MOST_DIGITS
