"""Changes one value in the responses of some operations."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.json_values import GONE, changed
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

EACH_WEBHOOK = "data.webhooks.*."


def with_id_of_payment(thing: dict[str, Any]) -> dict[str, Any]:
    """Show the id of the payment instead, once there is one."""
    return thing | ({"id": f"pay_{thing['id']}"} if thing["status"] in {"paid", "completed"} else {})


def once_completed(new: Any) -> Any:
    """Change the data of a completed transfer only."""
    return lambda data: data | new if data["status"] == "completed" else data


class ChangesAnswers(PaymentsRules):
    """Changes one value in the answers of some operations that have one of the statuses."""

    operations: ClassVar[tuple[str, ...]] = ()
    statuses: ClassVar[tuple[int, ...]] = (200, 201)
    where: ClassVar[str] = ""

    @staticmethod
    def change(old: Any) -> Any:
        """Give the new value."""
        return old

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Change the body last of all."""
        answer = super().respond(call, answer)
        if call.operation in self.operations and answer.status in self.statuses:
            answer.body = changed(answer.body, self.where.split("."), self.change)
        return answer


def in_answers(operations: str, where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes answers; what is not callable is the new value."""
    return {
        "operations": tuple(operations.split()),
        "where": where,
        "change": staticmethod(change if callable(change) else lambda _: change),
    }


def shapes(module: str, label: str, operations: str, rows: Mapping[str, tuple[str, Any]]) -> dict[str, type]:
    """Make two classes of each value in an answer: it is left out, and it is of another type."""
    found: dict[str, type] = {}
    for where, (ids, wrong) in rows.items():
        name = label + "".join(part[:1].upper() + part[1:] for part in where.replace("*", "").split("."))
        words = f"in the answer of {' and '.join(operations.split())}"
        table = {
            f"{name}Missing": (f"{where} is missing {words}.", ids, in_answers(operations, where, GONE)),
            f"{name}Mistyped": (f"{where} is of a wrong type {words}.", ids, in_answers(operations, where, wrong)),
        }
        found |= family(module, "schema", ChangesAnswers, table)
    return found
