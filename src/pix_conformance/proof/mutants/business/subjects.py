"""Events about charges that do not exist."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.events import CANCELED, CREATED, PAID
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.store import Row

INVENTED_CENTS = 77_000_000


class Invents(BusinessRules):
    """Sends, after each event of one kind, one of a charge that nobody made; `name` is its external_ref."""

    event: ClassVar[str] = ""
    name: ClassVar[str | None] = None

    def emit(self, event: str, row: Row) -> None:
        """Send both."""
        super().emit(event, row)
        if event == self.event:
            super().emit(event, row | {"external_ref": self.name, "amount": row["amount"] + INVENTED_CENTS})


def inventing(event: str, name: str | None) -> dict[str, Any]:
    """Members of a class that invents events of one kind."""
    return {"event": event, "name": name}


globals().update(
    family(__name__, "events", Invents, {
        "BusCreatedEventOfNoCharge": (
            "A created event comes of a charge that nobody made.",
            "BUS-EVT-27, seen in BUS-LIST-09 BUS-EVT-01",
            inventing(CREATED, "order-1001"),
        ),
        "BusPaidEventOfNoCharge": (
            "A paid event comes of a charge that nobody made.",
            "BUS-EVT-27, seen in BUS-LIST-09 BUS-EVT-02 BUS-LIST-04",
            inventing(PAID, "order-1001"),
        ),
        "BusCanceledEventOfNoCharge": (
            "A canceled event without an external_ref comes of a charge that nobody made.",
            "BUS-EVT-27, seen in BUS-LIST-09 BUS-EVT-03 BUS-LIST-06",
            inventing(CANCELED, None),
        ),
    })
)  # fmt: skip
