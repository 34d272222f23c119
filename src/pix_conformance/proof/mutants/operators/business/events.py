"""Changes one value in the payloads of events, or in later attempts."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.responses import to
from pix_conformance.proof.mutants.operators.json_values import changed
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.store import Row

CREATED = "business.pix.created"
PAID = "business.pix.paid"
CANCELED = "business.pix.canceled"
NAMES = {CREATED: ("Created", "BUS-EVT-01"), PAID: ("Paid", "BUS-EVT-02"), CANCELED: ("Canceled", "BUS-EVT-03")}
PAYMENT_HEAD = "E12345678202611201200"


class Attempts(BusinessRules):
    """Writes another payload from the second attempt on."""

    change: ClassVar[Any]

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Change it."""
        return super().write_event(attempt, payload if attempt == 1 else self.change(attempt, payload))


class Payloads(BusinessRules):
    """Changes one value in the payload of some events."""

    events: ClassVar[tuple[str, ...]] = tuple(NAMES)
    where: ClassVar[str] = ""
    change: ClassVar[Any]

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Change it."""
        payload = super().event_payload(event, row)
        path = self.where.split(".") if self.where else []
        return dict(changed(payload, path, self.change)) if event in self.events else payload


def in_payload(where: str, change: Any, *events: str) -> dict[str, Any]:
    """Members of a class that changes payloads, of all events if none is named."""
    return {"where": where, "change": staticmethod(to(change))} | ({"events": events} if events else {})
