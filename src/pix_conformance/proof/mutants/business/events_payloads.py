"""Mutants of BUS-EVT, events: what they carry."""

from typing import Any

from pix_conformance.proof.difference import mutant, setting
from pix_conformance.proof.mutants.guards import amount_from
from pix_conformance.proof.mutants.operators.changes import as_number, later, whole
from pix_conformance.proof.mutants.operators.events import in_later_attempts, in_payload
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

GROUP = "events"
PAID, CANCELED, CREATED = "business.pix.paid", "business.pix.canceled", "business.pix.created"
SOME_MOMENT = 1_795_255_380


def without_pictures(text: str) -> str:
    return "".join(one if ord(one) < 0x10000 else "?" for one in text)


def flat(payload: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = payload["data"]
    return {name: payload[name] for name in payload if name != "data"} | data


MUTANTS = {
    "BUS-EVT-04": {
        "sent-by-put": setting("Events are sent by PUT.", event_method="PUT"),
        "sent-by-patch": setting("Events are sent by PATCH.", event_method="PATCH"),
    },
    "BUS-EVT-06": {
        "type-named-event": in_payload(
            "", lambda body: {"event" if name == "type" else name: value for name, value in body.items()})
            .says("An event has its name in event, not in type."),
    },
    "BUS-EVT-08": {
        "data-beside-id": in_payload("", flat).says("The data of an event stand beside its id."),
    },
    "BUS-EVT-09": {
        "amount-in-reais": in_payload("data.amount_cents", lambda cents: cents / 100)
            .says("The amount of an event is in reais, with a fraction."),
    },
    "BUS-EVT-11": {
        "always-null": in_payload("data.external_ref", None),
        "missing-when-paid": in_payload("data.external_ref", GONE, PAID),
        "missing-when-canceled": in_payload("data.external_ref", GONE, CANCELED),
    },
    "BUS-EVT-12": {
        "hundredfold": in_payload("data.amount_cents", lambda cents: cents * 100, PAID)
            .says("The amount of a paid event is a hundred times that of the charge."),
        "less-a-fee": in_payload("data.amount_cents", lambda cents: cents - max(1, cents // 100), PAID)
            .says("The amount of a paid event is what a fee leaves of it."),
        "zero-when-created": in_payload("data.amount_cents", 0, CREATED),
        "whole-reais-as-reais": in_payload("data.amount_cents", whole, PAID).seen_in("BUS-PAY-15")
            .says("The amount of a paid event is in reais if it is whole."),
        "rounded-to-3-digits": in_payload("data.amount_cents", lambda cents: float(f"{cents:.3g}"))
            .says("The amount of an event is rounded to three digits").when(amount_from(10_000_00))
            .seen_in("BUS-CHG-56"),
    },
    "BUS-EVT-13": {
        "in-capitals": in_payload("data.external_ref", str.upper)
            .says("The external_ref of an event is in capitals."),
        "cut-at-36": in_payload("data.external_ref", lambda text: text[:36])
            .says("An event has the first 36 characters of its external_ref."),
        "ascii-only": in_payload("data.external_ref", lambda text: text.encode("ascii", "replace").decode())
            .says("Letters outside ASCII become question marks in the external_ref of an event."),
        "no-pictures": in_payload("data.external_ref", without_pictures)
            .says("Characters beyond U+FFFF become question marks in the external_ref of an event."),
        "one-line": in_payload("data.external_ref", lambda text: " ".join(text.splitlines()))
            .says("Line breaks become blanks in the external_ref of an event."),
        "digits-as-number": in_payload("data.external_ref", as_number)
            .says("An external_ref of digits is a number in an event."),
        "trimmed-when-paid": in_payload("data.external_ref", str.strip, PAID)
            .says("A paid event has its external_ref without the blanks around it."),
        "id-of-charge-when-paid": in_payload("data.external_ref", "chg_0000000000", PAID),
        "escaped-when-canceled": in_payload("data.external_ref", lambda text: text.replace('"', "&quot;"), CANCELED)
            .says("A canceled event has the quotes of its external_ref escaped."),
    },
    "BUS-EVT-14": {
        "another-payment": in_payload("data.e2e_id", lambda _: formats.end_to_end_id(SOME_MOMENT), PAID)
            .says("A paid event has another e2e_id than its charge."),
        "in-lower-case": in_payload("data.e2e_id", str.lower, PAID)
            .says("The e2e_id of a paid event is in lower case."),
        "empty-in-retries": in_later_attempts("data.e2e_id", ""),
        "another-in-retries": in_later_attempts("data.e2e_id", "E123456782026112012000123456789a")
            .says("From the second attempt on, an event names another payment."),
    },
    "BUS-EVT-18": {
        "constant": in_payload("id", "evt_00000000000000000000000000000001").says("All events have one id."),
        "id-of-charge": setting(
            "The id of an event is that of its charge: created and paid share it.",
            event_id=lambda _rules, _event, row: row["id"]),
        "name-and-second": setting(
            "The id of an event is made of its name and second.",
            event_id=lambda rules, event, _row: f"{event}-{int(rules.clock.now())}"),
    },
    "BUS-EVT-20": {
        "plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain"),
        "form": setting("Events are labelled as a form.", event_content_type="application/x-www-form-urlencoded"),
    },
    "BUS-EVT-21": {
        "number-of-seconds": in_payload("created_at", SOME_MOMENT)
            .says("The created_at of an event is a number of seconds."),
        "no-zone": in_payload("created_at", lambda text: text.removesuffix("Z"))
            .says("The created_at of an event does not say that it is UTC."),
        "three-hours-behind": in_payload("created_at", lambda text: later(text, hours=-3)).also("BUS-EVT-26")
            .says("The created_at of an event is the time of Brasilia, with the Z of UTC."),
        "tomorrow": in_payload("created_at", lambda text: later(text, days=1), PAID).also("BUS-EVT-26")
            .says("The created_at of a paid event is a day ahead."),
    },
}  # fmt: skip


@mutant("BUS-EVT-14/first-payment-of-label", seen_in=("BUS-PAY-15",))
class FirstPaymentOfLabel(BusinessRules):
    """A paid event has the data of the first charge that was paid with its external_ref."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        owner = {name: row[name] for name in ("account", "environment", "external_ref")}
        found = self.store.rows("business_charge", status="paid", **owner) if row["external_ref"] else []
        return super().event_data(event, found[0] if event == PAID and found else row)


@mutant("BUS-EVT-14/made-up-in-queries", group="state")
class MadeUpInQueries(BusinessRules):
    """Each query of a paid charge makes up an e2e_id."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        view, made_up = super().charge_view(call, charge), {"e2e_id": formats.end_to_end_id(self.clock.now())}
        return view | made_up if call.operation == "get_charge" and charge["status"] == "paid" else view
