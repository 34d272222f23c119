"""Mutants of BUS-EVT: events that must not be sent."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.events import CANCELED, CREATED, PAID, Payloads, in_payload
from pix_conformance.proof.mutants.operators.business.fields import body_of, sketched
from pix_conformance.proof.mutants.operators.business.states import ActsThough
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

INVENTED_CENTS = 77_000_000


globals().update(
    family(__name__, "events", Payloads, {
        "BusEventIdConstant": (
            "All events have one id.", "BUS-EVT-18", in_payload("id", "evt_00000000000000000000000000000001"),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "events", BusinessRules, {
        "BusEventIdOfCharge": (
            "The id of an event is that of its charge: created and paid share it.",
            "BUS-EVT-18",
            {"event_id": lambda _rules, _event, row: row["id"]},
        ),
        "BusEventIdOfName": (
            "The id of an event is made of its name and second.",
            "BUS-EVT-18",
            {"event_id": lambda rules, event, _row: f"{event}-{int(rules.clock.now())}"},
        ),
    })
)  # fmt: skip


def announced(event: str) -> Any:
    """Make an act that sends an event about a charge."""
    return lambda rules, charge: rules.emit(event, charge)


globals().update(
    family(__name__, "events", ActsThough, {
        "BusRefusedCancelAnnounced": (
            "The cancel of a paid charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "cancel_charge", "states": ("paid",), "act": announced(CANCELED)},
        ),
        "BusSecondCancelAnnounced": (
            "The cancel of a canceled charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "cancel_charge", "states": ("canceled",), "act": announced(CANCELED)},
        ),
        "BusRefusedPaymentAnnounced": (
            "The payment of a canceled charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "pay_charge", "states": ("canceled",), "act": announced(PAID)},
        ),
        "BusExpiredPaymentAnnounced": (
            "The payment of an expired charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "pay_charge", "states": ("expired",), "act": announced(PAID)},
        ),
        "BusExpiredCancelAnnounced": (
            "The cancel of an expired charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "cancel_charge", "states": ("expired",), "act": announced(CANCELED)},
        ),
    })
)  # fmt: skip


class BusInvalidAnnounced(BusinessRules):
    """A creation refused as invalid sends a created event."""

    breaks = ("BUS-EVT-19",)
    group = "events"

    async def create_charge(self, call: Call) -> Answer:
        """Announce before judging."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            if refusal.kind == "invalid":
                self.emit(CREATED, sketched(self, call.access, body_of(call)))
            raise


class BusConflictAnnounced(BusinessRules):
    """A key with another body is refused with 409, and sends a created event of that body."""

    breaks = ("BUS-EVT-19",)
    group = "events"

    async def create_charge(self, call: Call) -> Answer:
        """Announce before judging."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            if refusal.kind == "key_conflict":
                self.emit(CREATED, self.new_charge(call.access, self.read_charge(self.json_body(call))))
            raise


class BusForeignCancelAnnounced(BusinessRules):
    """A cancel by another account is answered with 404, and announced by an event."""

    breaks = ("BUS-EVT-19",)
    group = "events"

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Announce it."""
        if refusal.kind == "missing" and call.operation == "cancel_charge":
            charge = self.store.find("business_charge", id=call.params["id"])
            if charge:
                self.emit(CANCELED, charge)
        return super().refused(call, refusal)


class BusLongLabelAnnounced(BusinessRules):
    """A creation that is refused for the length of its label is announced, with the label cut."""

    group = "events"
    breaks = ("BUS-EVT-19",)

    def judge_external_ref(self, value: str) -> str | None:
        """Announce first."""
        if complaint := super().judge_external_ref(value):
            owner = {"account": "merchant-a", "environment": "sandbox"}
            self.emit(CREATED, owner | {"amount": 1_000, "end_to_end_id": None, "external_ref": value[:120]})
            return complaint
        return None


class BusLivePayAnnounced(BusinessRules):
    """A simulation that is refused in production is announced as a payment."""

    group = "events"
    breaks = ("BUS-EVT-19",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Send the events of production payments too."""
        return super().should_emit(event, row) or event == "business.pix.paid"

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Announce it."""
        if call.operation == "pay_charge" and refusal.kind == "forbidden":
            with self.store.transaction():
                self.emit("business.pix.paid", self.owned(call))
        return super().refused(call, refusal)


class BusKeylessAnnouncedTwice(BusinessRules):
    """A creation without a key sends two created events, each with an id of its own."""

    group = "events"
    breaks = ("BUS-EVT-19",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Send another one."""
        answer = super().open_charge(call, read)
        row = self.store.find("business_charge", id=answer.body["id"])
        if row and self.idempotency_key(call) is None:
            self.emit(CREATED, row)
        return answer


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
