"""Payloads of events with a value missing, wrong, or of another object."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import GONE, changed, family
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


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


IN = ("transaction_created", "transaction_paid")
OUT = ("transfer_created", "transfer_updated", "transfer_completed")
PAID, COMPLETED = ("transaction_paid",), ("transfer_completed",)


def _payload(events: tuple[str, ...], where: str, change: Any) -> dict[str, Any]:
    new = change if callable(change) else lambda _: change
    return {"events": events, "where": where, "change": staticmethod(new)}


def _shapes(label: str, events: tuple[str, ...], rows: dict[str, tuple[str, Any]]) -> dict[str, type]:
    """Make two classes of each value: it is left out, and it is of another type or value."""
    found: dict[str, type] = {}
    for where, (ids, wrong) in rows.items():
        name = label + "".join(part[:1].upper() + part[1:] for part in where.split("."))
        words = f"in {' and '.join(events)}"
        table = {
            f"{name}Missing": (f"{where} is missing {words}.", ids, _payload(events, where, GONE)),
            f"{name}Wrong": (f"{where} is of a wrong type or value {words}.", ids, _payload(events, where, wrong)),
        }
        found |= family(__name__, "events", ChangesPayload, table)
    return found


globals().update(
    _shapes("Event", IN, {
        "id": ("PAY-EVT-40", "evt_0123456789"),
        "type": ("PAY-EVT-41", "charge"),
        "event": ("PAY-EVT-42", lambda name: name.replace("_", ".")),
        "scope": ("PAY-EVT-43", None),
        "transaction": ("PAY-EVT-44", lambda one: [one]),
        "transaction.id": ("PAY-EVT-45", lambda text: {"uuid": text}),
        "transaction.amount": ("PAY-EVT-47", str),
        "transaction.status": ("PAY-EVT-49", 1),
    }),
    **_shapes("PaidEvent", PAID, {
        "transaction.pix": ("PAY-EVT-52", None),
        "transaction.pix.endToEndId": ("PAY-EVT-53", None),
        "transaction.pix.payerInfo": ("PAY-EVT-55", None),
        "transaction.pix.payerInfo.name": ("PAY-EVT-56", None),
        "transaction.pix.payerInfo.document": ("PAY-EVT-57", 52998224725),
    }),
    **_shapes("TransferEvent", OUT, {
        "type": ("PAY-EVT-61", "transaction"),
        "event": ("PAY-EVT-62", lambda name: name.upper()),
        "transfer": ("PAY-EVT-64", lambda one: [one]),
        "transfer.id": ("PAY-EVT-65", 7),
        "transfer.amount": ("PAY-EVT-67", lambda cents: f"{cents / 100:.2f}"),
        "transfer.status": ("PAY-EVT-69", None),
    }),
    **_shapes("CompletedEvent", COMPLETED, {
        "transfer.pix": ("PAY-EVT-71", None),
        "transfer.pix.endToEndId": ("PAY-EVT-72", None),
        "transfer.pix.creditorAccount": ("PAY-EVT-74", "Simulated Holder"),
    }),
    **family(__name__, "events", ChangesPayload, {
        "TransferEventWithoutId": ("Events of transfers have no id.", "PAY-EVT-60", _payload(OUT, "id", GONE)),
        "TransferEventWithoutScope": ("Events of transfers have no scope.", "PAY-EVT-63",
            _payload(OUT, "scope", GONE)),
        "TransferEventOfNull": ("The id of an event of transfers is null.", "PAY-EVT-60 PAY-EVT-77",
            _payload(OUT, "id", None)),
        "TransferEventOfNoScope": ("The scope of an event of transfers is null.", "PAY-EVT-63 PAY-EVT-77",
            _payload(OUT, "scope", None)),
        "TransferEventOfNumber": ("The id of an event of transfers is a number.", "PAY-EVT-77",
            _payload(OUT, "id", 7)),
        "TransferEventOfWords": ("The id of an event of transfers is no UUID.", "PAY-EVT-77",
            _payload(OUT, "id", "evt_7")),
        "CreditorWithoutName": ("The creditor in transfer_completed has no name.", "PAY-EVT-75",
            _payload(COMPLETED, "transfer.pix.creditorAccount.name", GONE)),
        "CreditorWithoutDocument": ("The creditor in transfer_completed has no document.", "PAY-EVT-76",
            _payload(COMPLETED, "transfer.pix.creditorAccount.document", GONE)),
        "PaidNamesUpdated": ("transaction_paid calls itself transaction_updated.", "PAY-EVT-02",
            _payload(PAID, "event", "transaction_updated")),
        "CompletedNamesUpdated": ("transfer_completed calls itself transfer_updated.", "PAY-EVT-04",
            _payload(COMPLETED, "event", "transfer_updated")),
        "CompletedEventCompleted": ("transfer_completed shows the status completed.", "PAY-EVT-70",
            _payload(COMPLETED, "transfer.status", "completed")),
        "PaidEventOfType": ("transaction_paid says type payment.", "PAY-EVT-41", _payload(PAID, "type", "payment")),
        "PaidEventPending": ("transaction_paid shows the status from before.", "PAY-EVT-50",
            _payload(PAID, "transaction.status", "pending")),
        "PaidEventCompleted": ("transaction_paid shows the status completed.", "PAY-EVT-50 PAY-EVT-49",
            _payload(PAID, "transaction.status", "completed")),
        "CreatedEventActive": ("transaction_created shows the status created.", "PAY-EVT-49 PAY-EVT-51",
            _payload(("transaction_created",), "transaction.status", "created")),
        "EventOfAnotherCharge": ("Events show another id than the charge's.", "PAY-EVT-46",
            _payload(IN, "transaction.id", lambda text: text[::-1])),
        "EventOfEventId": ("Events show their own id as the charge's.", "PAY-EVT-46",
            _payload(PAID, "", lambda one: one | {"transaction": one["transaction"] | {"id": one["id"]}})),
        "EventOfAnotherTransfer": ("Events show another id than the transfer's.", "PAY-EVT-66",
            _payload(OUT, "transfer.id", lambda text: text[::-1])),
        "CompletedOfEndToEndId": ("transfer_completed shows the endToEndId as the transfer's id.", "PAY-EVT-66",
            _payload(COMPLETED, "transfer", lambda one: one | {"id": one["pix"]["endToEndId"]})),
        "EventInUnits": ("Events show the amount of a charge in currency units.", "PAY-EVT-47",
            _payload(IN, "transaction.amount", lambda cents: cents / 100)),
        "EventTimesHundred": ("Events show a hundred times the amount of a charge.", "PAY-EVT-48",
            _payload(IN, "transaction.amount", lambda cents: cents * 100)),
        "CreatedEventOfZero": ("transaction_created shows an amount of zero.", "PAY-EVT-48",
            _payload(("transaction_created",), "transaction.amount", 0)),
        "TransferEventTimesHundred": ("Events show a hundred times the amount of a transfer.", "PAY-EVT-68",
            _payload(OUT, "transfer.amount", lambda cents: cents * 100)),
        "TransferEventNegative": ("Events show the amount of a transfer below zero, as it leaves.", "PAY-EVT-68",
            _payload(OUT, "transfer.amount", lambda cents: -cents)),
        "PaidEventOfAnotherEndToEndId": ("transaction_paid shows another endToEndId than the pay.", "PAY-EVT-54",
            _payload(PAID, "transaction.pix.endToEndId", "E99999999202611211000abcdefghijk")),
        "CompletedOfAnotherEndToEndId": ("transfer_completed shows another endToEndId.", "PAY-EVT-73",
            _payload(COMPLETED, "transfer.pix.endToEndId", "E99999999202611211000abcdefghijk")),
        "PaidEventPayerList": ("transaction_paid shows payers as an array.", "PAY-EVT-55",
            _payload(PAID, "transaction.pix.payerInfo", lambda one: [one])),
        "PaidEventFlat": ("transaction_paid shows the endToEndId outside of pix.", "PAY-EVT-53",
            _payload(PAID, "transaction", lambda one: one | {
                "endToEndId": one["pix"]["endToEndId"], "pix": {"payerInfo": one["pix"]["payerInfo"]}})),
    }),
)  # fmt: skip


class EventOfNetAmount(PaymentsRules):
    """Events show the amount of a charge less its fees."""

    breaks = ("PAY-EVT-48",)
    group = "events"

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Take the fees off."""
        return super().event_transaction(event, row) | {"amount": row["amount"] - row["fees"]}


class TransferEventOfNetAmount(PaymentsRules):
    """Events show the amount of a transfer less its fees."""

    breaks = ("PAY-EVT-68",)
    group = "events"

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Take the fees off."""
        return super().event_transfer(event, row) | {"amount": row["amount"] - row["fees"]}


class EventOfList(PaymentsRules):
    """The body of an event is an array of events."""

    breaks = ("PAY-EVT-31",)
    group = "events"

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Put it into an array."""
        return b"[" + super().encode_event(payload) + b"]"


class EventAsForm(PaymentsRules):
    """The body of an event is a JSON text in quotes: encoded twice."""

    breaks = ("PAY-EVT-31",)
    group = "events"

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Encode the text again."""
        text = super().encode_event(payload).decode()
        return ('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"').encode()


class EventLabelledForm(PaymentsRules):
    """Events are labelled as a form."""

    breaks = ("PAY-EVT-32",)
    group = "events"
    event_content_type = "application/x-www-form-urlencoded"


class EventLabelledText(PaymentsRules):
    """Events are labelled text/plain."""

    breaks = ("PAY-EVT-32",)
    group = "events"
    event_content_type = "text/plain; charset=utf-8"


class EventOfLibrary(PaymentsRules):
    """Events name the library that sends them as User-Agent."""

    breaks = ("PAY-EVT-33",)
    group = "events"
    event_user_agent = "python-requests/2.32"


class EventOfVersion(PaymentsRules):
    """Events say a version behind the name in User-Agent."""

    breaks = ("PAY-EVT-33",)
    group = "events"
    event_user_agent = "Service/1.0"


class EventInSmallLetters(PaymentsRules):
    """Events write the User-Agent in small letters."""

    breaks = ("PAY-EVT-33",)
    group = "events"
    event_user_agent = "service"
