"""Ids in paths that the payments API cannot bear: too long, too large a number, encoded signs."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

INTERNAL = Answer(500, {"error": "INTERNAL", "message": "unexpected"})
LONGEST, DIGITS = 100, 18


class ChokesOnIds(PaymentsRules):
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
    family(__name__, "schema", ChokesOnIds, {
        "LongChargeIdBreaks": ("The query of a charge by an id of more than 100 characters ends in a 500.",
            "PAY-CHG-74 PAY-CHG-78 PAY-ERR-12", _ids("get_charge", _long)),
        "HugeChargeNumberBreaks": ("The query of a charge by a number beyond 64 bits ends in a 500.",
            "PAY-CHG-74 PAY-CHG-78 PAY-ERR-12", _ids("get_charge", _huge)),
        "LongChargeIdRefused": ("The query of a charge by an id of more than 100 characters is refused with 400.",
            "PAY-CHG-74", _ids("get_charge", _long, Answer(400, {"error": "INVALID_REQUEST", "message": "id"}))),
        "LongTransferIdBreaks": ("The query of a transfer by an id of more than 100 characters ends in a 500.",
            "PAY-TRF-71 PAY-TRF-77 PAY-ERR-12", _ids("get_transfer", _long)),
        "LongTransferIdFound": ("The query of a transfer by an id of more than 100 characters is answered 200.",
            "PAY-TRF-71 PAY-TRF-77", _ids("get_transfer", _long, Answer(200, {"success": True, "data": None}))),
        "LongIdBreaksPay": ("The pay of a charge by an id of more than 100 characters ends in a 500.",
            "PAY-PAYS-26 PAY-ERR-12", _ids("pay_charge", _long)),
        "HugeNumberBreaksCompletion": ("The completion of a transfer by a number beyond 64 bits ends in a 500.",
            "PAY-CMP-27 PAY-ERR-12", _ids("complete_transfer", _huge)),
        "HugeNumberBreaksRemoval": ("The removal of a webhook by a number beyond 64 bits ends in a 500.",
            "PAY-WH-64 PAY-ERR-12", _ids("delete_webhook", _huge)),
        "NulBreaksChargeQuery": ("The query of a charge by an id with a NUL ends in a 500.",
            "PAY-GEN-16", _ids("get_charge", lambda number: "\0" in number)),
        "SlashBreaksTransferQuery": ("The query of a transfer by an id with an encoded slash ends in a 500.",
            "PAY-GEN-16", _ids("get_transfer", lambda number: "/" in number)),
        "OtherBytesBreakQueries": ("A query by an id that is no UTF-8 ends in a 500.",
            "PAY-GEN-16", _ids("get_charge get_transfer", lambda number: "\ufffd" in number)),
    })
)  # fmt: skip


class NulBlocksQueries(PaymentsRules):
    """After the query of a charge by an id with a NUL, no charge is queried any more."""

    breaks = ("PAY-GEN-15",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Stay broken."""
        blocked = self.__dict__.setdefault("blocked", [])
        if "\0" in call.params["id"]:
            blocked.append(call)
        elif blocked:
            return Answer(INTERNAL.status, INTERNAL.body)
        return await super().get_charge(call)
