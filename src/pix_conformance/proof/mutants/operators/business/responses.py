"""Changes one value in the responses of some operations."""

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.json_values import GONE, Change, changed
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row

FAILED = 500
SUCCESS = 200
BOTH = "create_charge get_charge"
REFUSED = 400


class ShowsDone(BusinessRules):
    """Shows one field otherwise once a charge is in a state."""

    state: ClassVar[str] = ""
    change: ClassVar[Any]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Change the view."""
        view = super().charge_view(call, charge)
        return view | self.change(view) if charge["status"] == self.state else view


def instant(text: str) -> datetime:
    """Read a timestamp of the reference."""
    return datetime.fromisoformat(text)


def later(text: str, **more: float) -> str:
    """Shift a timestamp."""
    return (instant(text) + timedelta(**more)).astimezone(UTC).isoformat().replace("+00:00", "Z")


def sent(change: Any) -> Any:
    """Apply a change to texts only: what was not given stays null."""
    return lambda value: change(value) if isinstance(value, str) else value


def once_in(state: str, **shown: Any) -> dict[str, Any]:
    """Members of a class that shows these values once a charge is in a state."""
    return {"state": state, "change": staticmethod(lambda _: shown)}


def renamed(old: str, new: str) -> dict[str, Any]:
    """Members of a class that shows one status under another name, wherever charges are shown."""
    return {"old": old, "new": new}


class Renames(BusinessRules):
    """Shows one status under another name."""

    old: ClassVar[str] = ""
    new: ClassVar[str] = ""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the other name."""
        view = super().charge_view(call, charge)
        return view | {"status": self.new} if view["status"] == self.old else view


class ChangesAnswers(BusinessRules):
    """Changes one value in the successful answers of some operations."""

    operations: ClassVar[tuple[str, ...]] = ()
    where: ClassVar[str] = ""
    change: ClassVar[Any]

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Change the body last of all."""
        answer = super().respond(call, answer)
        if call.operation in self.operations and answer.status < REFUSED:
            answer.body = changed(answer.body, self.where.split("."), self._changed)
        return answer

    def _changed(self, old: Any) -> Any:
        return old if old is GONE else self.change(old)


def to(change: Any) -> Change:
    """Turn a new value into a change; a change stays."""
    return change if callable(change) else lambda _: change


def in_answers(operations: str, where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes answers; what is not callable is the new value."""
    return {"operations": tuple(operations.split()), "where": where, "change": staticmethod(to(change))}
