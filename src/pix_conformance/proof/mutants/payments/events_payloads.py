"""Mutants of PAY-EVT: the payload of an event."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.payments.charges import LARGE, OTHER_PAYMENT
from pix_conformance.proof.mutants.operators.payments.events import (
    ONLY_COMPLETED,
    ONLY_PAID,
    PAID,
    ChangesPayload,
    in_payloads,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

ONLY_CREATED = ("transaction_created",)
OF_CHARGES = ("transaction_created", "transaction_paid")
OF_TRANSFERS = ("transfer_created", "transfer_updated", "transfer_completed")


def _shapes(label: str, events: tuple[str, ...], rows: dict[str, tuple[str, Any]]) -> dict[str, type]:
    """Make two classes of each value: it is left out, and it is of another type or value."""
    found: dict[str, type] = {}
    for where, (ids, wrong) in rows.items():
        name = label + "".join(part[:1].upper() + part[1:] for part in where.split("."))
        words = f"in {' and '.join(events)}"
        table = {
            f"{name}Missing": (f"{where} is missing {words}.", ids, in_payloads(events, where, GONE)),
            f"{name}Wrong": (f"{where} is of a wrong type or value {words}.", ids, in_payloads(events, where, wrong)),
        }
        found |= family(__name__, "events", ChangesPayload, table)
    return found


globals().update(
    _shapes("Event", OF_CHARGES, {
        "id": ("PAY-EVT-40", "evt_0123456789"),
        "type": ("PAY-EVT-41", "charge"),
        "event": ("PAY-EVT-42", lambda name: name.replace("_", ".")),
        "scope": ("PAY-EVT-43", None),
        "transaction": ("PAY-EVT-44", lambda one: [one]),
        "transaction.id": ("PAY-EVT-45", lambda text: {"uuid": text}),
        "transaction.amount": ("PAY-EVT-47", str),
        "transaction.status": ("PAY-EVT-49", 1),
    })
)  # fmt: skip


def _status(events: tuple[str, ...], kind: str, word: str) -> dict[str, Any]:
    return {"events": events, "where": f"{kind}.status", "change": staticmethod(lambda _: word)}


globals().update(
    family(__name__, "events", ChangesPayload, {
        "PaidEventOfType": (
            "transaction_paid says type payment.",
            "PAY-EVT-41",
            in_payloads(ONLY_PAID, "type", "payment"),
        ),
        "EventOfAnotherCharge": ("Events show another id than the charge's.", "PAY-EVT-46",
            in_payloads(OF_CHARGES, "transaction.id", lambda text: text[::-1])),
        "EventOfEventId": ("Events show their own id as the charge's.", "PAY-EVT-46",
            in_payloads(ONLY_PAID, "", lambda one: one | {"transaction": one["transaction"] | {"id": one["id"]}})),
        "EventInUnits": ("Events show the amount of a charge in currency units.", "PAY-EVT-47",
            in_payloads(OF_CHARGES, "transaction.amount", lambda cents: cents / 100)),
        "EventTimesHundred": ("Events show a hundred times the amount of a charge.", "PAY-EVT-48",
            in_payloads(OF_CHARGES, "transaction.amount", lambda cents: cents * 100)),
        "CreatedEventOfZero": ("transaction_created shows an amount of zero.", "PAY-EVT-48",
            in_payloads(("transaction_created",), "transaction.amount", 0)),
        "CreatedEventPaid": ("transaction_created shows the status paid.", "PAY-EVT-49 PAY-EVT-51",
            _status(ONLY_CREATED, "transaction", "paid")),
        "CreatedEventWaiting": ("transaction_created shows the status waiting_payment.", "PAY-EVT-49 PAY-EVT-51",
            _status(ONLY_CREATED, "transaction", "waiting_payment")),
        "CreatedEventActive": ("transaction_created shows the status created.", "PAY-EVT-49 PAY-EVT-51",
            in_payloads(("transaction_created",), "transaction.status", "created")),
        "PaidEventPending": ("transaction_paid shows the status from before.", "PAY-EVT-50",
            in_payloads(ONLY_PAID, "transaction.status", "pending")),
        "PaidEventCompleted": ("transaction_paid shows the status completed.", "PAY-EVT-50 PAY-EVT-49",
            in_payloads(ONLY_PAID, "transaction.status", "completed")),
        "PaidEventFlat": ("transaction_paid shows the endToEndId outside of pix.", "PAY-EVT-53",
            in_payloads(ONLY_PAID, "transaction", lambda one: one | {
                "endToEndId": one["pix"]["endToEndId"], "pix": {"payerInfo": one["pix"]["payerInfo"]}})),
        "PaidEventOfAnotherEndToEndId": ("transaction_paid shows another endToEndId than the pay.", "PAY-EVT-54",
            in_payloads(ONLY_PAID, "transaction.pix.endToEndId", "E99999999202611211000abcdefghijk")),
        "PaidEventPayerList": ("transaction_paid shows payers as an array.", "PAY-EVT-55",
            in_payloads(ONLY_PAID, "transaction.pix.payerInfo", lambda one: [one])),
        "TransferEventWithoutId": (
            "Events of transfers have no id.",
            "PAY-EVT-60",
            in_payloads(OF_TRANSFERS, "id", GONE),
        ),
        "TransferEventOfNull": ("The id of an event of transfers is null.", "PAY-EVT-60 PAY-EVT-77",
            in_payloads(OF_TRANSFERS, "id", None)),
        "TransferEventWithoutScope": ("Events of transfers have no scope.", "PAY-EVT-63",
            in_payloads(OF_TRANSFERS, "scope", GONE)),
        "TransferEventOfNoScope": ("The scope of an event of transfers is null.", "PAY-EVT-63 PAY-EVT-77",
            in_payloads(OF_TRANSFERS, "scope", None)),
        "EventOfAnotherTransfer": ("Events show another id than the transfer's.", "PAY-EVT-66",
            in_payloads(OF_TRANSFERS, "transfer.id", lambda text: text[::-1])),
        "CompletedOfEndToEndId": ("transfer_completed shows the endToEndId as the transfer's id.", "PAY-EVT-66",
            in_payloads(ONLY_COMPLETED, "transfer", lambda one: one | {"id": one["pix"]["endToEndId"]})),
        "TransferEventTimesHundred": ("Events show a hundred times the amount of a transfer.", "PAY-EVT-68",
            in_payloads(OF_TRANSFERS, "transfer.amount", lambda cents: cents * 100)),
        "TransferEventNegative": ("Events show the amount of a transfer below zero, as it leaves.", "PAY-EVT-68",
            in_payloads(OF_TRANSFERS, "transfer.amount", lambda cents: -cents)),
        "CompletedEventProcessing": ("transfer_completed shows the status from before.", "PAY-EVT-69",
            _status(ONLY_COMPLETED, "transfer", "processing")),
        "CompletedEventDone": ("transfer_completed shows the status done.", "PAY-EVT-69",
            _status(ONLY_COMPLETED, "transfer", "done")),
        "TransferCreatedEventCreated": ("transfer_created shows the status created.", "PAY-EVT-69",
            _status(("transfer_created",), "transfer", "created")),
        "TransferCreatedEventCompleted": ("transfer_created shows the status completed.", "PAY-EVT-69",
            _status(("transfer_created",), "transfer", "completed")),
        "CompletedEventCompleted": ("transfer_completed shows the status completed.", "PAY-EVT-70",
            in_payloads(ONLY_COMPLETED, "transfer.status", "completed")),
        "CompletedOfAnotherEndToEndId": ("transfer_completed shows another endToEndId.", "PAY-EVT-73",
            in_payloads(ONLY_COMPLETED, "transfer.pix.endToEndId", "E99999999202611211000abcdefghijk")),
        "CreditorWithoutName": ("The creditor in transfer_completed has no name.", "PAY-EVT-75",
            in_payloads(ONLY_COMPLETED, "transfer.pix.creditorAccount.name", GONE)),
        "CreditorWithoutDocument": ("The creditor in transfer_completed has no document.", "PAY-EVT-76",
            in_payloads(ONLY_COMPLETED, "transfer.pix.creditorAccount.document", GONE)),
        "TransferEventOfNumber": ("The id of an event of transfers is a number.", "PAY-EVT-77",
            in_payloads(OF_TRANSFERS, "id", 7)),
        "TransferEventOfWords": ("The id of an event of transfers is no UUID.", "PAY-EVT-77",
            in_payloads(OF_TRANSFERS, "id", "evt_7")),
    })
)  # fmt: skip


class EventCentsLost(PaymentsRules):
    """Events of charges and transfers lose a cent of some amounts, as binary fractions do."""

    breaks = ("PAY-EVT-48", "PAY-EVT-68")
    group = "events"

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Count in units on the way."""
        return super().event_transaction(event, row) | {"amount": int(row["amount"] / 100 * 100)}

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Count in units on the way."""
        return super().event_transfer(event, row) | {"amount": int(row["amount"] / 100 * 100)}


class SplitEventOfRest(PaymentsRules):
    """Events show the amount of a charge less what others get of it."""

    breaks = ("PAY-EVT-48",)
    group = "events"

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Take it off."""
        shares = sum(share for _, share in self.split_shares(row, row["amount"] - row["fees"]))
        return super().event_transaction(event, row | {"amount": row["amount"] - shares})


class EventOfNetAmount(PaymentsRules):
    """Events show the amount of a charge less its fees."""

    breaks = ("PAY-EVT-48",)
    group = "events"

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Take the fees off."""
        return super().event_transaction(event, row) | {"amount": row["amount"] - row["fees"]}


class LargePaymentToldInReais(PaymentsRules):
    """The event of a payment of 1,000.00 and more has the amount in whole reais."""

    group = "events"
    breaks = ("PAY-EVT-48",)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Divide."""
        large = event == PAID and row["amount"] >= LARGE
        return super().event_payload(event, kind, row | {"amount": row["amount"] // 100} if large else row)


class PostbackOfNetAmount(PaymentsRules):
    """A postbackUrl is told the net amount, a webhook the gross one."""

    breaks = ("PAY-EVT-48", "PAY-EVT-68", "PAY-EVT-46", "PAY-EVT-66")
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send to the address what is left after the fees."""
        kind = payload["type"]
        net = payload | {kind: payload[kind] | {"amount": row["amount"] - row["fees"]}}
        super().send_event(event, row | {"postback_url": None}, payload)
        if row["postback_url"]:
            self.send_webhook_request(row["postback_url"], net, None)


class SendsAlso(PaymentsRules):
    """Sends a further event after one, with a status of its own."""

    after: ClassVar[str] = ""
    also: ClassVar[str] = ""
    status: ClassVar[str] = ""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send both."""
        super().emit(event, kind, row)
        if event == self.after:
            super().emit(self.also, kind, row | {"status": self.status})


globals().update(
    family(__name__, "events", SendsAlso, {
        "PaymentToldRefunded": (
            "A payment sends transaction_refunded as well, with the status refunded.",
            "PAY-EVT-49",
            {"after": "transaction_paid", "also": "transaction_refunded", "status": "refunded"},
        ),
        "CompletionToldCanceled": (
            "A completion sends transfer_canceled as well, with the status canceled.",
            "PAY-EVT-69",
            {"after": "transfer_completed", "also": "transfer_canceled", "status": "canceled"},
        ),
    })
)  # fmt: skip


class PaidBeforePay(PaymentsRules):
    """transaction_paid is sent when a charge is created."""

    breaks = ("PAY-EVT-50", "PAY-EVT-18", "PAY-EVT-54")
    seen_in = ("PAY-ISO-02",)
    group = "events"

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Send it besides."""
        super().emit(event, kind, row)
        if event == "transaction_created":
            super().emit("transaction_paid", kind, row)


globals().update(
    _shapes("PaidEvent", ONLY_PAID, {
        "transaction.pix": ("PAY-EVT-52", None),
        "transaction.pix.endToEndId": ("PAY-EVT-53", None),
        "transaction.pix.payerInfo": ("PAY-EVT-55", None),
        "transaction.pix.payerInfo.name": ("PAY-EVT-56", None),
        "transaction.pix.payerInfo.document": ("PAY-EVT-57", 52998224725),
    })
)  # fmt: skip


class PlainPaymentToldOtherwise(PaymentsRules):
    """The event of a payment of a charge without postbackUrl has an endToEndId of its own."""

    group = "events"
    breaks = ("PAY-EVT-54",)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Make another one."""
        plain = event == PAID and not row["postback_url"]
        return super().event_payload(event, kind, row | {"end_to_end_id": OTHER_PAYMENT} if plain else row)


globals().update(
    _shapes("TransferEvent", OF_TRANSFERS, {
        "type": ("PAY-EVT-61", "transaction"),
        "event": ("PAY-EVT-62", lambda name: name.upper()),
        "transfer": ("PAY-EVT-64", lambda one: [one]),
        "transfer.id": ("PAY-EVT-65", 7),
        "transfer.amount": ("PAY-EVT-67", lambda cents: f"{cents / 100:.2f}"),
        "transfer.status": ("PAY-EVT-69", None),
    })
)  # fmt: skip


class TransferEventOfNetAmount(PaymentsRules):
    """Events show the amount of a transfer less its fees."""

    breaks = ("PAY-EVT-68",)
    group = "events"

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Take the fees off."""
        return super().event_transfer(event, row) | {"amount": row["amount"] - row["fees"]}


globals().update(
    _shapes("CompletedEvent", ONLY_COMPLETED, {
        "transfer.pix": ("PAY-EVT-71", None),
        "transfer.pix.endToEndId": ("PAY-EVT-72", None),
        "transfer.pix.creditorAccount": ("PAY-EVT-74", "Simulated Holder"),
    })
)  # fmt: skip
