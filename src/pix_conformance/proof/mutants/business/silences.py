"""Changes that send no event, or a wrong label, for some charges only: by what a charge carries, or was done to it."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.events import CANCELED, CREATED, PAID, Payloads, at
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row

PLANE, OFTEN = 0x10000, 15


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


class SilentOf(BusinessRules):
    """Sends no event of one name about some charges."""

    event: ClassVar[str] = ""
    of: ClassVar[Any]

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return not (event == self.event and self.of(row)) and super().should_emit(event, row)


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


def silent(event: str, column: str, *, given: bool) -> dict[str, object]:
    """Members of a class that is silent about charges with, or without, something in a column."""
    return {"event": event, "of": staticmethod(lambda row: (row[column] is not None) == given)}


globals().update(
    family(__name__, "events", SilentOf, {
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
        "BusUnlabelledCancelUnannounced": (
            "The cancel of a charge without a label sends no event.",
            "BUS-EVT-03",
            silent(CANCELED, "external_ref", given=False),
        ),
        "BusLargePaymentUnannounced": (
            "A payment of 500.00 and more sends no event.",
            "BUS-EVT-02, seen in BUS-LIST-02",
            {"event": PAID, "of": staticmethod(lambda row: row["amount"] >= 50_000)},  # noqa: PLR2004  # its own
        ),
    }),
    **family(__name__, "events", Payloads, {
        "BusEventRefOfOnePlane": (
            "Pictures in the external_ref become question marks in an event.",
            "BUS-EVT-13",
            at("data.external_ref", lambda text: "".join(one if ord(one) < PLANE else "?" for one in text)),
        ),
        "BusEventRefOfOneLine": (
            "Line breaks in the external_ref become blanks in an event.",
            "BUS-EVT-13",
            at("data.external_ref", lambda text: " ".join(text.splitlines())),
        ),
    }),
    **family(__name__, "events", SilentOnceSeen, {
        "BusSeenCancelUnannounced": (
            "The cancel of a charge that was queried before sends no event.", "BUS-EVT-03", {"event": CANCELED},
        ),
    }),
    **family(__name__, "events", SilentOncePerLabel, {
        "BusLabelCreatedAgainUnannounced": (
            "The second charge of a label is created without an event.", "BUS-EVT-01", {"event": CREATED},
        ),
        "BusLabelPaidAgainUnannounced": (
            "The second payment of a label sends no event.", "BUS-EVT-02", {"event": PAID},
        ),
    }),
)  # fmt: skip
