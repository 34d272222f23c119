"""Events that are missing, too many, of a wrong shape, or about something else."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import ActsThough, body_of, sketched, to
from pix_conformance.proof.mutants.tabled import GONE, changed, family
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

CREATED, PAID, CANCELED = "business.pix.created", "business.pix.paid", "business.pix.canceled"
NAMES = {CREATED: ("Created", "BUS-EVT-01"), PAID: ("Paid", "BUS-EVT-02"), CANCELED: ("Canceled", "BUS-EVT-03")}


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


def at(where: str, change: Any, *events: str) -> dict[str, Any]:
    """Members of a class that changes payloads, of all events if none is named."""
    return {"where": where, "change": staticmethod(to(change))} | ({"events": events} if events else {})


def announced(event: str) -> Any:
    """Make an act that sends an event about a charge."""
    return lambda rules, charge: rules.emit(event, charge)


class Silent(BusinessRules):
    """Sends no event of one name."""

    event: ClassVar[str] = ""

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave that one out."""
        return event != self.event and super().should_emit(event, row)


class Renamed(BusinessRules):
    """Sends one event under another name."""

    event: ClassVar[str] = ""
    name: ClassVar[str] = ""

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Give it the other name."""
        payload = super().event_payload(event, row)
        return payload | {"type": self.name} if event == self.event else payload


globals().update(
    family(__name__, "events", Silent, {
        f"Bus{label}Unannounced": (f"No {name} is sent.", ids, {"event": name}) for name, (label, ids) in NAMES.items()
    }),
    **family(__name__, "events", Renamed, {
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
    }),
    **family(__name__, "events", Payloads, {
        "BusEventWithoutId": ("An event has no id.", "BUS-EVT-05", at("id", GONE)),
        "BusEventIdNumber": (
            "The id of an event is a number.", "BUS-EVT-05", at("id", lambda text: int(text[4:12], 16)),
        ),
        "BusEventIdNull": ("The id of a canceled event is null.", "BUS-EVT-05", at("id", None, CANCELED)),
        "BusEventWithoutType": ("An event does not say what it is.", "BUS-EVT-06", at("type", GONE)),
        "BusEventTypeNamedEvent": (
            "An event tells its name as event.",
            "BUS-EVT-06",
            at("", lambda body: {"event" if name == "type" else name: value for name, value in body.items()}),
        ),
        "BusEventWithoutTime": ("An event has no created_at.", "BUS-EVT-07", at("created_at", GONE)),
        "BusPaidEventWithoutTime": ("A paid event has no created_at.", "BUS-EVT-07", at("created_at", GONE, PAID)),
        **{
            f"BusPaidEventTime{name}": (
                f"The created_at of a paid event is {words}.",
                "BUS-EVT-07, seen in BUS-EVT-02",
                at("created_at", lambda _, value=value: value, PAID),
            )
            for name, words, value in (
                ("Null", "null", None),
                ("True", "true", True),
                ("Object", "an object", {}),
                ("InWords", "'now'", "now"),
            )
        },
        "BusEventTimeEpoch": (
            "The created_at of an event is a number of seconds.", "BUS-EVT-21", at("created_at", 1_795_255_380),
        ),
        "BusEventTimeLocal": (
            "The created_at of an event does not say that it is UTC.",
            "BUS-EVT-21",
            at("created_at", lambda text: text.removesuffix("Z")),
        ),
        "BusEventWithoutData": ("An event has no data.", "BUS-EVT-08", at("data", GONE)),
        "BusEventDataArray": ("The data of an event is an array.", "BUS-EVT-08", at("data", lambda data: [data])),
        "BusEventDataText": ("The data of an event is JSON in a string.", "BUS-EVT-08", at("data", str)),
        "BusEventFlat": (
            "The data of an event stand beside its id.",
            "BUS-EVT-08",
            at("", lambda body: {name: body[name] for name in body if name != "data"} | body["data"]),
        ),
        "BusEventWithoutAmount": (
            "The data of an event has no amount.", "BUS-EVT-09", at("data.amount_cents", GONE),
        ),
        "BusCanceledEventWithoutAmount": (
            "The data of a canceled event has no amount.", "BUS-EVT-09", at("data.amount_cents", GONE, CANCELED),
        ),
        "BusEventAmountText": (
            "The amount of an event is a string of digits.", "BUS-EVT-09", at("data.amount_cents", str),
        ),
        "BusEventAmountInReais": (
            "The amount of an event is in reais, with a fraction.",
            "BUS-EVT-09",
            at("data.amount_cents", lambda cents: cents / 100),
        ),
        "BusEventAmountHundredfold": (
            "The amount of a paid event is a hundred times that of the charge.",
            "BUS-EVT-12",
            at("data.amount_cents", lambda cents: cents * 100, PAID),
        ),
        "BusEventAmountNet": (
            "The amount of a paid event is what a fee leaves of it.",
            "BUS-EVT-12",
            at("data.amount_cents", lambda cents: cents - max(1, cents // 100), PAID),
        ),
        "BusCreatedEventAmountZero": (
            "The amount of a created event is 0.", "BUS-EVT-12", at("data.amount_cents", 0, CREATED),
        ),
        "BusPaidEventWithoutE2e": (
            "A paid event has no e2e_id.", "BUS-EVT-10", at("data.e2e_id", GONE, PAID),
        ),
        "BusPaidEventE2eNull": (
            "The e2e_id of a paid event is null.", "BUS-EVT-10", at("data.e2e_id", None, PAID),
        ),
        "BusPaidEventE2eOther": (
            "The e2e_id of a paid event is another than that of the charge.",
            "BUS-EVT-14",
            at("data.e2e_id", lambda _: formats.end_to_end_id(1_795_255_380), PAID),
        ),
        "BusPaidEventE2eInSmallLetters": (
            "The e2e_id of a paid event is written in small letters.",
            "BUS-EVT-14",
            at("data.e2e_id", str.lower, PAID),
        ),
        "BusEventRefNull": (
            "No event has the external_ref of its charge.", "BUS-EVT-11", at("data.external_ref", None),
        ),
        "BusPaidEventWithoutRef": (
            "A paid event has no external_ref.", "BUS-EVT-11", at("data.external_ref", GONE, PAID),
        ),
        "BusCanceledEventWithoutRef": (
            "A canceled event has no external_ref.", "BUS-EVT-11", at("data.external_ref", GONE, CANCELED),
        ),
        "BusEventRefNumber": (
            "The external_ref of an event is a number.", "BUS-EVT-11", at("data.external_ref", len),
        ),
        "BusEventRefInCapitals": (
            "The external_ref of an event is written in capitals.",
            "BUS-EVT-13",
            at("data.external_ref", str.upper),
        ),
        "BusEventRefCut": (
            "Of the external_ref 36 characters stand in an event.",
            "BUS-EVT-13",
            at("data.external_ref", lambda text: text[:36]),
        ),
        "BusEventRefAscii": (
            "Letters outside ASCII become question marks in an event.",
            "BUS-EVT-13",
            at("data.external_ref", lambda text: text.encode("ascii", "replace").decode()),
        ),
        "BusPaidEventRefTrimmed": (
            "Blanks around the external_ref are cut off in a paid event.",
            "BUS-EVT-13",
            at("data.external_ref", str.strip, PAID),
        ),
        "BusPaidEventRefIsId": (
            "A paid event has the id of the charge where its external_ref is due.",
            "BUS-EVT-13",
            at("data.external_ref", "chg_0000000000", PAID),
        ),
        "BusEventIdConstant": (
            "All events have one id.", "BUS-EVT-18", at("id", "evt_00000000000000000000000000000001"),
        ),
    }),
    **family(__name__, "events", BusinessRules, {
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
        "BusEventsPut": ("Events are delivered by PUT.", "BUS-EVT-04", {"event_method": "PUT"}),
        "BusEventsPatch": ("Events are delivered by PATCH.", "BUS-EVT-04", {"event_method": "PATCH"}),
        "BusEventsPlainText": (
            "Events are labelled text/plain.", "BUS-EVT-20", {"event_content_type": "text/plain"},
        ),
        "BusEventsAsForm": (
            "Events are labelled as a form.",
            "BUS-EVT-20",
            {"event_content_type": "application/x-www-form-urlencoded"},
        ),
        "BusEventsOfLabelled": (
            "A charge without external_ref sends no events.",
            "BUS-EVT-01",
            {"should_emit": lambda rules, event, row: bool(row["external_ref"])
                and BusinessRules.should_emit(rules, event, row)},
        ),
        "BusEventsTwice": (
            "Each event is sent twice, though the receiver took it.", "BUS-RETRY-08", {"event_copies": 2},
        ),
    }),
    **family(__name__, "events", ActsThough, {
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
    }),
)  # fmt: skip


class BusInvalidAnnounced(BusinessRules):
    """A creation refused as invalid sends a created event."""

    breaks = ("BUS-EVT-19",)

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

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Announce it."""
        if refusal.kind == "missing" and call.operation == "cancel_charge":
            charge = self.store.find("business_charge", id=call.params["id"])
            if charge:
                self.emit(CANCELED, charge)
        return super().refused(call, refusal)
