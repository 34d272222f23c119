"""Mutants of BUS-EVT, events: what they carry."""

from typing import Any

from pix_conformance.proof.difference import mutant, setting
from pix_conformance.proof.mutants.operators.changes import as_number, later, whole
from pix_conformance.proof.mutants.operators.events import in_later_attempts, in_payload
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.store import Row

GROUP = "events"
PAID, CANCELED, CREATED = "business.pix.paid", "business.pix.canceled", "business.pix.created"


def without_pictures(text: str) -> str:
    return "".join(one if ord(one) < 0x10000 else "?" for one in text)


def flat(payload: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = payload["data"]
    return {name: payload[name] for name in payload if name != "data"} | data


MUTANTS = {
    "BUS-EVT-04": {"sent-by-put": setting("Events are sent by PUT.", event_method="PUT")},
    "BUS-EVT-06": {"type-named-event": in_payload(
            "", lambda body: {"event" if name == "type" else name: value for name, value in body.items()})
            .says("An event has its name in event, not in type.")},
    "BUS-EVT-08": {"data-beside-id": in_payload("", flat).says("The data of an event stand beside its id.")},
    "BUS-EVT-09": {"amount-in-reais": in_payload("data.amount_cents", lambda cents: cents / 100)
            .says("The amount of an event is in reais, with a fraction.")},
    "BUS-EVT-11": {
        "missing-when-paid": in_payload("data.external_ref", GONE, PAID),
        "missing-when-canceled": in_payload("data.external_ref", GONE, CANCELED),
    },
    "BUS-EVT-12": {"whole-reais-as-reais": in_payload("data.amount_cents", whole, PAID).seen_in("BUS-PAY-15")
            .says("The amount of a paid event is in reais if it is whole.")},
    "BUS-EVT-13": {
        "no-pictures": in_payload("data.external_ref", without_pictures)
            .says("Characters beyond U+FFFF become question marks in the external_ref of an event."),
        "one-line": in_payload("data.external_ref", lambda text: " ".join(text.splitlines()))
            .says("Line breaks become blanks in the external_ref of an event."),
        "digits-as-number": in_payload("data.external_ref", as_number)
            .says("An external_ref of digits is a number in an event."),
        "trimmed-when-paid": in_payload("data.external_ref", str.strip, PAID)
            .says("A paid event has its external_ref without the blanks around it."),
        "escaped-when-canceled": in_payload("data.external_ref", lambda text: text.replace('"', "&quot;"), CANCELED)
            .says("A canceled event has the quotes of its external_ref escaped."),
    },
    "BUS-EVT-14": {"empty-in-retries": in_later_attempts("data.e2e_id", "")},
    "BUS-EVT-18": {
        "constant": in_payload("id", "evt_00000000000000000000000000000001").says("All events have one id."),
    },
    "BUS-EVT-20": {"plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain")},
    "BUS-EVT-21": {"tomorrow": in_payload("created_at", lambda text: later(text, days=1), PAID).also("BUS-EVT-26")
            .says("The created_at of a paid event is a day ahead.")},
}  # fmt: skip


@mutant("BUS-EVT-14/first-payment-of-label", seen_in=("BUS-PAY-15",))
class FirstPaymentOfLabel(BusinessRules):
    """A paid event has the data of the first charge that was paid with its external_ref."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        owner = {name: row[name] for name in ("account", "environment", "external_ref")}
        found = self.store.rows("business_charge", status="paid", **owner) if row["external_ref"] else []
        return super().event_data(event, found[0] if event == PAID and found else row)
