"""Leaves out events, or changes one value in their payloads."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.json_values import changed
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

ONLY_COMPLETED = ("transfer_completed",)
ONLY_PAID = ("transaction_paid",)
CREATED = "transaction_created"
PAID = "transaction_paid"


class SendsNot(PaymentsRules):
    """Does not send one event to the webhooks that subscribe to it."""

    event: ClassVar[str] = ""

    def subscribes(self, hook: Row, event: str) -> bool:
        """Judge it as not wanted."""
        return event != self.event and super().subscribes(hook, event)


class ChangesPayload(PaymentsRules):
    """Changes one value in the payloads of some events."""

    events: ClassVar[tuple[str, ...]] = ()
    where: ClassVar[str] = ""

    @staticmethod
    def change(old: Any) -> Any:
        """Give the new value."""
        return old

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Change the whole payload last of all."""
        payload = super().event_payload(event, kind, row)
        if event not in self.events:
            return payload
        done: dict[str, Any] = changed(payload, self.where.split("."), self.change)
        return done


def in_payloads(events: tuple[str, ...], where: str, change: Any) -> dict[str, Any]:
    """Members of a class that changes payloads; what is not callable is the new value."""
    new = change if callable(change) else lambda _: change
    return {"events": events, "where": where, "change": staticmethod(new)}


class SilentAbout(PaymentsRules):
    """Sends no event of one name about some charges or transfers."""

    event: ClassVar[str] = ""

    @staticmethod
    def of(row: Row) -> object:
        """Judge whether it is one of these."""
        raise NotImplementedError

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return not (event == self.event and self.of(row)) and super().should_emit(event, row)


def about(event: str, of: Callable[[Row], object]) -> dict[str, object]:
    """Members of a class that is silent about some."""
    return {"event": event, "of": staticmethod(of)}
