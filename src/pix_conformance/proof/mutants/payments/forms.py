"""Servers that know the plainest form of a text only, and events that say what no document has."""

import re
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.mutants.payments.payloads import ChangesPayload
from pix_conformance.proof.mutants.payments.tables import Refuses, failing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

CREATED, COMPLETED = ("transaction_created",), ("transfer_completed",)
CPF, CNPJ, MOST = 11, 14, 5


def _unlike(pattern: str) -> Callable[[str], bool]:
    return lambda text: not re.fullmatch(pattern, text)


def _number(length: int) -> Callable[[str], bool]:
    """Judge whether digits lose their zeros as a number."""
    return lambda text: len(text) == length and text.startswith("0")


def _status(events: tuple[str, ...], kind: str, word: str) -> dict[str, Any]:
    return {"events": events, "where": f"{kind}.status", "change": staticmethod(lambda _: word)}


globals().update(
    family(__name__, "limits", Refuses, {
        "EmailOfShortEnds": ("A customer's email ends in two to four letters.", "PAY-CUS-18",
            failing("customer.email", _unlike(r".+\.[a-z]{2,4}"))),
        "EmailWithoutUnderscore": ("A customer's email may have no underscore.", "PAY-CUS-18",
            failing("customer.email", lambda text: "_" in text)),
        "NameOfAscii": ("A customer's name has letters of ASCII only.", "PAY-CUS-15",
            failing("customer.name", lambda text: not text.isascii())),
        "NameWithoutApostrophe": ("A customer's name consists of letters and blanks.", "PAY-CUS-15",
            failing("customer.name", lambda text: "'" in text)),
        "CpfWithoutZero": ("A CPF that begins with a zero is counted without it.", "PAY-CUS-03",
            failing("customer.document", _number(CPF))),
        "CnpjWithoutZero": ("A CNPJ that begins with a zero is counted without it.", "PAY-CUS-04",
            failing("customer.document", _number(CNPJ))),
        "TitleOfAscii": ("An item's title has letters of ASCII only.", "PAY-ITEM-01",
            failing("items[].title", lambda text: not text.isascii())),
        "CpfKeyWithoutZero": ("A CPF that begins with a zero is no key.", "PAY-KEY-01",
            failing("pixKey", _number(CPF))),
        "CnpjKeyWithoutZero": ("A CNPJ that begins with a zero is no key.", "PAY-KEY-02",
            failing("pixKey", _number(CNPJ))),
        "EmailKeyOfShortEnds": ("An e-mail as key has plain letters, and ends in two or three.", "PAY-KEY-03",
            failing("pixKey", lambda text: "@" in text and not re.fullmatch(r"[\w.+-]+@[\w.-]+\.[a-z]{2,3}", text))),
        "HookUrlNeedsPath": ("The url of a webhook has a path.", "PAY-WH-01",
            failing("url", _unlike(r"https://[^/]+/.+"))),
    })
    | family(__name__, "events", ChangesPayload, {
        "CompletedEventProcessing": ("transfer_completed shows the status from before.", "PAY-EVT-69",
            _status(COMPLETED, "transfer", "processing")),
        "CompletedEventDone": ("transfer_completed shows the status done.", "PAY-EVT-69",
            _status(COMPLETED, "transfer", "done")),
        "TransferCreatedEventCreated": ("transfer_created shows the status created.", "PAY-EVT-69",
            _status(("transfer_created",), "transfer", "created")),
        "TransferCreatedEventCompleted": ("transfer_created shows the status completed.", "PAY-EVT-69",
            _status(("transfer_created",), "transfer", "completed")),
        "CreatedEventPaid": ("transaction_created shows the status paid.", "PAY-EVT-49 PAY-EVT-51",
            _status(CREATED, "transaction", "paid")),
        "CreatedEventWaiting": ("transaction_created shows the status waiting_payment.", "PAY-EVT-49 PAY-EVT-51",
            _status(CREATED, "transaction", "waiting_payment")),
    })
)  # fmt: skip


class HookShowsFiveEvents(PaymentsRules):
    """The record of a webhook shows five of its events at most."""

    breaks = ("PAY-WH-29",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Cut the others off."""
        view = super().webhook_view(call, hook)
        return view | {"events": view["events"][:MOST]}


class CompletesNoCpf(PaymentsRules):
    """A transfer to a CPF as key cannot be completed in the sandbox."""

    breaks = ("PAY-CMP-01",)
    group = "state"

    def may_complete(self, transfer: Row) -> bool:
        """Look at the key."""
        return super().may_complete(transfer) and not self.is_cpf_key(transfer["pix_key"])


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
