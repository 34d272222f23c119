"""Mutants of BUS-EVT: events that the changes of a charge send."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.events import CANCELED, CREATED, NAMES, PAID
from pix_conformance.proof.mutants.operators.business.fields import LARGE, REAL
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row

OFTEN = 15


class Silent(BusinessRules):
    """Sends no event of one name."""

    event: ClassVar[str] = ""

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave that one out."""
        return event != self.event and super().should_emit(event, row)


globals().update(
    family(__name__, "events", Silent, {
        f"Bus{label}Unannounced": (f"No {name} is sent.", ids, {"event": name}) for name, (label, ids) in NAMES.items()
    })
)  # fmt: skip


class Renamed(BusinessRules):
    """Sends one event under another name."""

    event: ClassVar[str] = ""
    name: ClassVar[str] = ""

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Give it the other name."""
        payload = super().event_payload(event, row)
        return payload | {"type": self.name} if event == self.event else payload


globals().update(
    family(__name__, "events", Renamed, {
        "BusCreatedAnnouncedAsCreate": (
            "The created event is called business.pix.create.",
            "BUS-EVT-01",
            {"event": CREATED, "name": "business.pix.create"},
        ),
        "BusPaidAnnouncedAsReceived": (
            "The paid event is called pix.received.", "BUS-EVT-02 BUS-EVT-06", {"event": PAID, "name": "pix.received"},
        ),
        "BusPaidAnnouncedInCapitals": (
            "The paid event is in capitals.", "BUS-EVT-02 BUS-EVT-06", {"event": PAID, "name": PAID.upper()},
        ),
        "BusCanceledAnnouncedInBritish": (
            "The canceled event is called business.pix.cancelled.",
            "BUS-EVT-03",
            {"event": CANCELED, "name": "business.pix.cancelled"},
        ),
        "BusCanceledAnnouncedAsPaid": (
            "A cancel sends the paid event, by which wallets are credited.",
            "BUS-EVT-03",
            {"event": CANCELED, "name": PAID},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "events", BusinessRules, {
        "BusEventsOfLabelled": (
            "A charge without external_ref sends no events.",
            "BUS-EVT-01",
            {"should_emit": lambda rules, event, row: bool(row["external_ref"])
                and BusinessRules.should_emit(rules, event, row)},
        ),
    })
)  # fmt: skip


class BusFifteenthLost(BusinessRules):
    """Every fifteenth event is never sent, whatever it tells."""

    group = "events"
    breaks = ("BUS-EVT-01",)
    seen_in = ("BUS-PAY-01",)
    events = 0

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Count them."""
        self.events += 1
        if self.events % OFTEN:
            super().send_event(url, payload)


class SilentOncePerLabel(BusinessRules):
    """Sends one event of a name for each label, however many charges have it."""

    event: ClassVar[str] = ""

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave later ones out."""
        told, one = self.__dict__.setdefault("told", set()), (row["account"], row["external_ref"])
        if event != self.event or row["external_ref"] is None:
            return super().should_emit(event, row)
        again = one in told
        told.add(one)
        return not again and super().should_emit(event, row)


globals().update(
    family(__name__, "events", SilentOncePerLabel, {
        "BusLabelCreatedAgainUnannounced": (
            "The second charge of a label is created without an event.", "BUS-EVT-01", {"event": CREATED},
        ),
        "BusLabelPaidAgainUnannounced": (
            "The second payment of a label sends no event.", "BUS-EVT-02", {"event": PAID},
        ),
    })
)  # fmt: skip


class SilentOf(BusinessRules):
    """Sends no event of one name about some charges."""

    event: ClassVar[str] = ""
    of: ClassVar[Any]

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return not (event == self.event and self.of(row)) and super().should_emit(event, row)


def silent(event: str, column: str, *, given: bool) -> dict[str, object]:
    """Members of a class that is silent about charges with, or without, something in a column."""
    return {"event": event, "of": staticmethod(lambda row: (row[column] is not None) == given)}


globals().update(
    family(__name__, "events", SilentOf, {
        "BusSmallPaymentUnannounced": (
            "A payment of less than one real sends no event.",
            "BUS-EVT-02",
            {"event": PAID, "of": staticmethod(lambda row: row["amount"] < REAL)},
        ),
        "BusPlayersPaymentUnannounced": (
            "The payment of a charge with an e-mail sends no event.",
            "BUS-EVT-02",
            silent(PAID, "customer_email", given=True),
        ),
        "BusUnlabelledPaymentUnannounced": (
            "The payment of a charge without a label sends no event.",
            "BUS-EVT-02",
            silent(PAID, "external_ref", given=False),
        ),
        "BusLargePaymentUnannounced": (
            "A payment of 500.00 and more sends no event.",
            "BUS-EVT-02, seen in BUS-LIST-02",
            {"event": PAID, "of": staticmethod(lambda row: row["amount"] >= 50_000)},  # noqa: PLR2004  # its own
        ),
        "BusUnlabelledCancelUnannounced": (
            "The cancel of a charge without a label sends no event.",
            "BUS-EVT-03",
            silent(CANCELED, "external_ref", given=False),
        ),
    })
)  # fmt: skip


class BusVeryLargePaymentUnannounced(BusinessRules):
    """A payment of more than ten thousand reais sends no event."""

    group = "events"
    breaks = ("BUS-EVT-02",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return super().should_emit(event, row) and not (event == PAID and row["amount"] > LARGE)


class SilentOnceSeen(BusinessRules):
    """Sends no event of one name about a charge that was queried before."""

    event: ClassVar[str] = ""

    async def get_charge(self, call: Call) -> Answer:
        """Remember it."""
        self.__dict__.setdefault("queried", set()).add(call.params["id"])
        return await super().get_charge(call)

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        seen = event == self.event and row["id"] in self.__dict__.get("queried", ())
        return not seen and super().should_emit(event, row)


globals().update(
    family(__name__, "events", SilentOnceSeen, {
        "BusSeenCancelUnannounced": (
            "The cancel of a charge that was queried before sends no event.", "BUS-EVT-03", {"event": CANCELED},
        ),
    })
)  # fmt: skip


class BusDescribedUnannounced(BusinessRules):
    """The cancel of a charge with a description sends no event."""

    group = "events"
    breaks = ("BUS-EVT-03",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return (event != CANCELED or row["description"] is None) and super().should_emit(event, row)
