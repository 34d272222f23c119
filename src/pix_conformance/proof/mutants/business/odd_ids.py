"""Ids in paths that the business API cannot bear: too long, too large a number, encoded signs."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call

INTERNAL = Answer(500, {"detail": "unexpected"})
LONGEST, DIGITS = 100, 18


class BusChokesOnIds(BusinessRules):
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


def _ids(operation: str, chokes: Callable[[str], object], answered: Answer = INTERNAL) -> dict[str, Any]:
    return {"operation": operation, "chokes": staticmethod(chokes), "answered": answered}


def _long(number: str) -> bool:
    return len(number) > LONGEST


def _huge(number: str) -> bool:
    return number.isdecimal() and len(number) > DIGITS


globals().update(
    family(__name__, "schema", BusChokesOnIds, {
        "BusLongIdBreaks": ("A query by an id of more than 100 characters ends in a 500.",
            "BUS-CHG-85 BUS-CHG-70 BUS-GEN-03", _ids("get_charge", _long)),
        "BusHugeNumberBreaks": ("A query by a number beyond 64 bits ends in a 500.",
            "BUS-CHG-85 BUS-CHG-70 BUS-GEN-03", _ids("get_charge", _huge)),
        "BusLongIdUnprocessable": ("A query by an id of more than 100 characters is refused with 422.",
            "BUS-CHG-85", _ids("get_charge", _long, Answer(422, {"detail": "id is too long"}))),
        "BusLongIdBreaksCancel": ("A cancel by an id of more than 100 characters ends in a 500.",
            "BUS-CAN-15 BUS-GEN-03", _ids("cancel_charge", _long)),
        "BusHugeNumberBreaksPay": ("A simulated payment by a number beyond 64 bits ends in a 500.",
            "BUS-PAY-25 BUS-GEN-03", _ids("pay_charge", _huge)),
        "BusNulBreaks": ("A query by an id with a NUL ends in a 500.",
            "BUS-GEN-16", _ids("get_charge", lambda number: "\0" in number)),
        "BusDotsBreak": ("A query by an id of two dots ends in a 500.",
            "BUS-GEN-16", _ids("get_charge", lambda number: number == "..")),
    })
)  # fmt: skip


class BusNulBlocksQueries(BusinessRules):
    """After a query by an id with a NUL, no charge is queried any more."""

    breaks = ("BUS-GEN-15",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Stay broken."""
        blocked = self.__dict__.setdefault("blocked", [])
        if "\0" in call.params["id"]:
            blocked.append(call)
        elif blocked:
            return Answer(INTERNAL.status, INTERNAL.body)
        return await super().get_charge(call)
