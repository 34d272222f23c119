"""Mutants of BUS-EVT: the payload of an event."""

from typing import Any

from pix_conformance.proof.mutants.operators.business.events import (
    CANCELED,
    CREATED,
    PAID,
    PAYMENT_HEAD,
    Attempts,
    Payloads,
    in_payload,
)
from pix_conformance.proof.mutants.operators.business.fields import LARGE, as_number, whole
from pix_conformance.proof.mutants.operators.business.responses import later
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

DIGITS = 3
PLANE = 0x10000


globals().update(
    family(__name__, "events", BusinessRules, {
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
    })
)  # fmt: skip


globals().update(
    family(__name__, "events", Payloads, {
        "BusEventWithoutId": ("An event has no id.", "BUS-EVT-05", in_payload("id", GONE)),
        "BusEventIdNumber": (
            "The id of an event is a number.", "BUS-EVT-05", in_payload("id", lambda text: int(text[4:12], 16)),
        ),
        "BusEventIdNull": ("The id of a canceled event is null.", "BUS-EVT-05", in_payload("id", None, CANCELED)),
        "BusEventWithoutType": ("An event does not say what it is.", "BUS-EVT-06", in_payload("type", GONE)),
        "BusEventTypeNamedEvent": (
            "An event tells its name as event.",
            "BUS-EVT-06",
            in_payload("", lambda body: {"event" if name == "type" else name: value for name, value in body.items()}),
        ),
        "BusEventWithoutTime": ("An event has no created_at.", "BUS-EVT-07", in_payload("created_at", GONE)),
        "BusPaidEventWithoutTime": (
            "A paid event has no created_at.",
            "BUS-EVT-07",
            in_payload("created_at", GONE, PAID),
        ),
        **{
            f"BusPaidEventTime{name}": (
                f"The created_at of a paid event is {words}.",
                "BUS-EVT-07, seen in BUS-EVT-02",
                in_payload("created_at", lambda _, value=value: value, PAID),
            )
            for name, words, value in (
                ("Null", "null", None),
                ("True", "true", True),
                ("Object", "an object", {}),
                ("InWords", "'now'", "now"),
            )
        },
        "BusEventWithoutData": ("An event has no data.", "BUS-EVT-08", in_payload("data", GONE)),
        "BusEventDataArray": (
            "The data of an event is an array.",
            "BUS-EVT-08",
            in_payload("data", lambda data: [data]),
        ),
        "BusEventDataText": ("The data of an event is JSON in a string.", "BUS-EVT-08", in_payload("data", str)),
        "BusEventFlat": (
            "The data of an event stand beside its id.",
            "BUS-EVT-08",
            in_payload("", lambda body: {name: body[name] for name in body if name != "data"} | body["data"]),
        ),
        "BusEventWithoutAmount": (
            "The data of an event has no amount.", "BUS-EVT-09", in_payload("data.amount_cents", GONE),
        ),
        "BusCanceledEventWithoutAmount": (
            "The data of a canceled event has no amount.",
            "BUS-EVT-09",
            in_payload("data.amount_cents", GONE, CANCELED),
        ),
        "BusEventAmountText": (
            "The amount of an event is a string of digits.", "BUS-EVT-09", in_payload("data.amount_cents", str),
        ),
        "BusEventAmountInReais": (
            "The amount of an event is in reais, with a fraction.",
            "BUS-EVT-09",
            in_payload("data.amount_cents", lambda cents: cents / 100),
        ),
        "BusPaidEventWithoutE2e": (
            "A paid event has no e2e_id.", "BUS-EVT-10", in_payload("data.e2e_id", GONE, PAID),
        ),
        "BusPaidEventE2eNull": (
            "The e2e_id of a paid event is null.", "BUS-EVT-10", in_payload("data.e2e_id", None, PAID),
        ),
        "BusEventRefNull": (
            "No event has the external_ref of its charge.", "BUS-EVT-11", in_payload("data.external_ref", None),
        ),
        "BusPaidEventWithoutRef": (
            "A paid event has no external_ref.", "BUS-EVT-11", in_payload("data.external_ref", GONE, PAID),
        ),
        "BusCanceledEventWithoutRef": (
            "A canceled event has no external_ref.", "BUS-EVT-11", in_payload("data.external_ref", GONE, CANCELED),
        ),
        "BusEventRefNumber": (
            "The external_ref of an event is a number.", "BUS-EVT-11", in_payload("data.external_ref", len),
        ),
        "BusEventAmountHundredfold": (
            "The amount of a paid event is a hundred times that of the charge.",
            "BUS-EVT-12",
            in_payload("data.amount_cents", lambda cents: cents * 100, PAID),
        ),
        "BusEventAmountNet": (
            "The amount of a paid event is what a fee leaves of it.",
            "BUS-EVT-12",
            in_payload("data.amount_cents", lambda cents: cents - max(1, cents // 100), PAID),
        ),
        "BusCreatedEventAmountZero": (
            "The amount of a created event is 0.", "BUS-EVT-12", in_payload("data.amount_cents", 0, CREATED),
        ),
        "BusEventRefInCapitals": (
            "The external_ref of an event is written in capitals.",
            "BUS-EVT-13",
            in_payload("data.external_ref", str.upper),
        ),
        "BusEventRefCut": (
            "Of the external_ref 36 characters stand in an event.",
            "BUS-EVT-13",
            in_payload("data.external_ref", lambda text: text[:36]),
        ),
        "BusEventRefAscii": (
            "Letters outside ASCII become question marks in an event.",
            "BUS-EVT-13",
            in_payload("data.external_ref", lambda text: text.encode("ascii", "replace").decode()),
        ),
        "BusPaidEventRefTrimmed": (
            "Blanks around the external_ref are cut off in a paid event.",
            "BUS-EVT-13",
            in_payload("data.external_ref", str.strip, PAID),
        ),
        "BusPaidEventRefIsId": (
            "A paid event has the id of the charge where its external_ref is due.",
            "BUS-EVT-13",
            in_payload("data.external_ref", "chg_0000000000", PAID),
        ),
        "BusEventRefOfOnePlane": (
            "Pictures in the external_ref become question marks in an event.",
            "BUS-EVT-13",
            in_payload("data.external_ref", lambda text: "".join(one if ord(one) < PLANE else "?" for one in text)),
        ),
        "BusEventRefOfOneLine": (
            "Line breaks in the external_ref become blanks in an event.",
            "BUS-EVT-13",
            in_payload("data.external_ref", lambda text: " ".join(text.splitlines())),
        ),
        "BusCanceledEventRefEscaped": (
            "A canceled event has the quotes of its external_ref escaped.",
            "BUS-EVT-13",
            in_payload("data.external_ref", lambda text: text.replace('"', "&quot;"), CANCELED),
        ),
        "BusPaidEventE2eOther": (
            "The e2e_id of a paid event is another than that of the charge.",
            "BUS-EVT-14",
            in_payload("data.e2e_id", lambda _: formats.end_to_end_id(1_795_255_380), PAID),
        ),
        "BusPaidEventE2eInSmallLetters": (
            "The e2e_id of a paid event is written in small letters.",
            "BUS-EVT-14",
            in_payload("data.e2e_id", str.lower, PAID),
        ),
        "BusEventTimeEpoch": (
            "The created_at of an event is a number of seconds.", "BUS-EVT-21", in_payload("created_at", 1_795_255_380),
        ),
        "BusEventTimeLocal": (
            "The created_at of an event does not say that it is UTC.",
            "BUS-EVT-21",
            in_payload("created_at", lambda text: text.removesuffix("Z")),
        ),
        "BusEventInLocalTime": (
            "The created_at of an event is the time of Brasilia, with the Z of UTC.",
            "BUS-EVT-21 BUS-EVT-26",
            in_payload("created_at", lambda text: later(text, hours=-3)),
        ),
        "BusPaidEventTomorrow": (
            "The created_at of a paid event lies a day ahead.",
            "BUS-EVT-21 BUS-EVT-26",
            in_payload("created_at", lambda text: later(text, days=1), PAID),
        ),
    })
)  # fmt: skip


class BusPaidEventInReais(BusinessRules):
    """The amount of a paid event is in reais if it is whole."""

    group = "events"
    breaks = ("BUS-EVT-12",)
    seen_in = ("BUS-PAY-15",)

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Divide what can be divided."""
        data = super().event_data(event, row)
        return data | ({"amount_cents": whole(row["amount"])} if event == PAID else {})


class BusLargeEventAmountRounded(BusinessRules):
    """The amount of an event has three digits that count, from ten thousand reais on."""

    group = "events"
    breaks = ("BUS-EVT-12",)
    seen_in = ("BUS-CHG-56",)

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Round it."""
        data, amount = super().event_data(event, row), row["amount"]
        return data | ({"amount_cents": float(f"{amount:.{DIGITS}g}")} if amount >= LARGE else {})


class BusDigitLabelIsNumberInEvents(BusinessRules):
    """A label of digits is a number in events."""

    group = "events"
    breaks = ("BUS-EVT-13",)

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Read it as one."""
        data = super().event_data(event, row)
        return data | {"external_ref": as_number(data["external_ref"])}


def named(number: str) -> dict[str, Any]:
    """Members of a class that names another payment from the second attempt on."""
    return {"change": staticmethod(lambda _, body: body | {"data": body["data"] | {"e2e_id": number}})}


globals().update(
    family(__name__, "events", Attempts, {
        "BusRetriesUnnamed": ("From the second attempt on the e2e_id is empty.", "BUS-EVT-14", named("")),
        "BusRetriesNamedOtherwise": (
            "From the second attempt on an event names another payment.",
            "BUS-EVT-14",
            named(f"{PAYMENT_HEAD}0123456789a"),
        ),
    })
)  # fmt: skip


class BusPaidEventOfFirst(BusinessRules):
    """The paid event tells of the first charge that was paid under the label."""

    group = "events"
    breaks = ("BUS-EVT-14",)
    seen_in = ("BUS-PAY-15",)

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Look for the label instead of the id."""
        owner = {name: row[name] for name in ("account", "environment", "external_ref")}
        found = self.store.rows("business_charge", status="paid", **owner) if row["external_ref"] else []
        return super().event_data(event, found[0] if event == PAID and found else row)


class BusE2eOfMoment(BusinessRules):
    """Each query of a paid charge makes up an e2e_id."""

    group = "state"
    breaks = ("BUS-EVT-14",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Make it up."""
        view = super().charge_view(call, charge)
        made_up = {"e2e_id": formats.end_to_end_id(self.clock.now())}
        return view | made_up if call.operation == "get_charge" and charge["status"] == "paid" else view
