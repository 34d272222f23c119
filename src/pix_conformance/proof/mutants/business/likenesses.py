"""What goes wrong for what is like something else: labels, amounts, moments, beginnings; and what refusals leave."""

import uuid
from typing import Any

from pix_conformance.proof.mutants.business.events import CREATED, PAID
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

REAL, LARGE, DIGITS, SHORTEST = 100, 1_000_000, 3, 12
UNAVAILABLE, TOO_MANY = 503, 429


def whole(amount: int) -> int:
    """Return an amount in reais if it is whole, else in cents."""
    return amount if amount % REAL else amount // REAL


def as_number(label: str | None) -> Any:
    """Return a label of digits as a number."""
    return int(label) if label and label.isascii() and label.isdigit() and label[0] != "0" else label


class BusLatePayLeavesPending(BusinessRules):
    """A payment past the end is refused, and the charge can be canceled all the same."""

    group = "time"
    breaks = ("BUS-CAN-06",)

    def seen(self, call: Call, charge: Row) -> Row:
        """Refuse and record nothing."""
        late = call.operation == "pay_charge" and charge["status"] == "pending" and self.is_overdue(charge)
        return charge | {"status": "expired"} if late else super().seen(call, charge)


class BusForeignPayCaptures(BusinessRules):
    """A payment of another account's pending charge is not found, and captured for its owner."""

    group = "isolation"
    breaks = ("BUS-ISO-07",)

    def not_found(self, call: Call) -> Refusal:
        """Capture before the refusal."""
        row = self.store.find("business_charge", id=call.params["id"])
        if call.operation == "pay_charge" and row is not None and row["status"] == "pending":
            self.capture(row)
        return super().not_found(call)


class BusListByWholeSeconds(BusinessRules):
    """Of the charges of one second a list shows the oldest first."""

    group = "state"
    breaks = ("BUS-LIST-08",)

    def list_order(self) -> str:
        """Compare the seconds."""
        return "CAST(created_at AS INTEGER) DESC, seq"


class BusInvalidBodyReplays(BusinessRules):
    """A used key answers with its charge before the body is read, also to an invalid one."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    async def create_charge(self, call: Call) -> Answer:
        """Forgive what is invalid."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            key = self.idempotency_key(call)
            first = self.earlier(call, key) if key is not None and refusal.kind == "invalid" else None
            if first is None:
                raise
            return self.replay(call, first)


class BusLabelCapturedOnce(BusinessRules):
    """Of the payments with one label the first is captured."""

    group = "state"
    breaks = ("BUS-PAY-15",)

    def capture(self, charge: Row) -> None:
        """Leave out later ones."""
        same = {"external_ref": charge["external_ref"], "account": charge["account"], "status": "paid"}
        found = self.store.rows("business_charge", **same) if charge["external_ref"] is not None else []
        if len(found) <= 1:
            super().capture(charge)


class BusAmountCapturedOnce(BusinessRules):
    """A payment of the amount of the one before it is not captured, if it comes within two seconds."""

    group = "state"
    breaks = ("BUS-PAY-15",)

    def capture(self, charge: Row) -> None:
        """Take it for a repetition."""
        for last in self.postings(owner_of(charge), 1):
            soon = self.clock.now() - last["created_at"] < 2  # noqa: PLR2004  # seconds
            if soon and last["entries"][0]["amount"] == charge["amount"]:
                return
        super().capture(charge)


class BusWholeReaisPosted(BusinessRules):
    """Entries of whole reais are shown in reais."""

    group = "schema"
    breaks = ("BUS-PAY-15",)

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Divide what can be divided."""
        return super().entry_view(entry) | {"amount_cents": whole(entry["amount"])}


class BusNamelessNotPosted(BusinessRules):
    """A payment of a charge without external_ref is not posted."""

    group = "state"
    breaks = ("BUS-PAY-15",)

    def capture(self, charge: Row) -> None:
        """Leave it out."""
        if charge["external_ref"] is not None:
            super().capture(charge)


class BusLargeEntriesInWholeReais(BusinessRules):
    """Entries of ten thousand reais and more are rounded to whole reais."""

    group = "schema"
    breaks = ("BUS-FIN-19",)

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Round them."""
        view, amount = super().entry_view(entry), entry["amount"]
        return view | ({"amount_cents": amount // REAL * REAL} if amount >= LARGE else {})


class BusEntriesOf32Bits(BusinessRules):
    """Entries have 32 bits: what is more wraps."""

    group = "schema"
    breaks = ("BUS-FIN-19",)

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Cut it."""
        return super().entry_view(entry) | {"amount_cents": entry["amount"] % 2**32}


class BusPostingIdEachTime(BusinessRules):
    """A posting has another id in each answer."""

    group = "schema"
    breaks = ("BUS-FIN-24",)

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Make one."""
        return super().posting_view(posting) | {"id": str(uuid.uuid4())}


class BusPostingIdIsItsPlace(BusinessRules):
    """The id of a posting is its place in the ledger, counted from the newest."""

    group = "schema"
    breaks = ("BUS-FIN-24",)
    seen_in = ("BUS-LIST-09",)

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Count them."""
        view = super().finance_view(access)
        return view | {"transactions": [one | {"id": str(at)} for at, one in enumerate(view["transactions"])]}


class BusPostingTimeIsNow(BusinessRules):
    """The created_at of a posting is the time of the query."""

    group = "schema"
    breaks = ("BUS-FIN-24",)
    seen_in = ("BUS-CHG-44",)

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Look at the clock."""
        return super().posting_view(posting) | {"created_at": self.moment(self.clock.now())}


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


class BusVeryLargePaymentUnannounced(BusinessRules):
    """A payment of more than ten thousand reais sends no event."""

    group = "events"
    breaks = ("BUS-EVT-02",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return super().should_emit(event, row) and not (event == PAID and row["amount"] > LARGE)


class BusUnavailableIsDelivered(BusinessRules):
    """An event that is answered 503 is not sent again."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Take it for an answer."""
        return super().is_delivered(status) or status == UNAVAILABLE


class BusClientErrorIsFinal(BusinessRules):
    """An event that is answered 404, or any 4xx, is given up."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Stop there."""
        return super().is_delivered(status) or status in range(400, 500)


class BusRedirectIsDelivered(BusinessRules):
    """An event that is answered below 400 counts as delivered, as many an HTTP client's ok has it."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Take all but errors."""
        return super().is_delivered(status) or status in range(300, 400)


class BusBusyIsFinal(BusinessRules):
    """An event that is answered 429 is given up."""

    group = "events"
    breaks = ("BUS-RETRY-01",)

    def is_delivered(self, status: int) -> bool:
        """Stop there."""
        return super().is_delivered(status) or status == TOO_MANY


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


class BusDigitLabelIsNumber(BusinessRules):
    """A label of digits is shown as a number."""

    group = "schema"
    breaks = ("BUS-CHG-58",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Read it as one."""
        return super().charge_view(call, charge) | {"external_ref": as_number(charge["external_ref"])}


class BusDigitLabelIsNumberInEvents(BusinessRules):
    """A label of digits is a number in events."""

    group = "events"
    breaks = ("BUS-EVT-13",)

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Read it as one."""
        data = super().event_data(event, row)
        return data | {"external_ref": as_number(data["external_ref"])}


class BusBlankLabelForgotten(BusinessRules):
    """A label of blanks is forgotten."""

    group = "schema"
    breaks = ("BUS-CHG-58",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Keep what has a sign."""
        label = read["external_ref"]
        return super().new_charge(access, {**read, "external_ref": label if label and label.strip() else None})


class BusIdBeginningFound(BusinessRules):
    """A charge is found by the beginning of its id."""

    group = "state"
    breaks = ("BUS-CHG-70",)

    def owned(self, call: Call) -> Row:
        """Compare so much of it."""
        beginning = call.params["id"]
        where = {"account": call.access.account, "environment": call.access.environment}
        for row in self.store.rows("business_charge", **where) if len(beginning) > SHORTEST else ():
            if row["id"].startswith(beginning):
                return row
        return super().owned(call)
