"""Servers that are right about plain charges, and wrong about larger, addressed or described ones, or in a corner."""

import base64
import json
from typing import Any, ClassVar

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

LARGE, OFTEN, MINUTE = 100_000, 3, 60


class Told(PaymentsRules):
    """Knows the charges that it treats otherwise."""

    def __init__(self, *words: Any) -> None:
        """Know none."""
        super().__init__(*words)
        self._meant: set[str] = set()

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Judge a charge by what was sent."""
        return bool(read["amountInCents"] >= LARGE)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Remember it."""
        charge = super().new_charge(access, read)
        if self.is_meant(read):
            self._meant.add(charge["id"])
        return charge

    def means(self, charge: Row) -> bool:
        """Recognise it."""
        return charge["id"] in self._meant


class LargeChargeBornPaid(Told):
    """A charge of 1,000.00 or more is answered as paid when it is created."""

    breaks = ("PAY-CHG-40",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Take it for settled."""
        born = call.operation == "create_charge" and self.means(charge)
        return super().charge_view(call, charge) | ({"status": "paid"} if born else {})


class LargeChargePaidAgain(Told):
    """A charge of 1,000.00 or more can be paid again."""

    breaks = ("PAY-PAYS-12",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the amount."""
        return super().may_pay(charge) or self.means(charge)


class LargePaymentUnrecorded(Told):
    """The pay of a charge of 1,000.00 or more is answered right, and nothing recorded."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the status of its creation."""
        return super().charge_view(call, charge) | ({"status": "pending"} if self.means(charge) else {})


class DescribedChargeOfOtherFees(Told):
    """The query of a pending charge with a description shows other fees than its creation."""

    breaks = ("PAY-CHG-72",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the description."""
        return bool(read["description"])

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Add a cent."""
        view = super().charge_view(call, charge)
        shown = call.operation == "get_charge" and self.means(charge)
        return view | ({"fees": view["fees"] + 1} if shown else {})


class OrderOfAnotherCode(Told):
    """The query of a pending charge with items makes a new code for it."""

    breaks = ("PAY-CHG-72", "PAY-CHG-77")
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the items."""
        return bool(read["items"])

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Write it anew."""
        view = super().charge_view(call, charge)
        if call.operation != "get_charge" or not self.means(charge):
            return view
        return view | {"pix": view["pix"] | {"emv": self.code(self.new_charge_id().replace("-", ""), charge["amount"])}}


class EqualOrdersShareAnId(Told):
    """A charge with the same items as an earlier one is answered with the id of that."""

    breaks = ("PAY-CHG-41",)
    seen_in = ("PAY-CHG-71",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Keep what was sent."""
        self._sent = json.dumps(read, default=str)
        return bool(read["items"])

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Look for an earlier one."""
        view = super().charge_view(call, charge)
        if call.operation != "create_charge" or not self.means(charge):
            return view
        return view | {"id": self.__dict__.setdefault("orders", {}).setdefault(self._sent, charge["id"])}


class CompanysImageOfCode(PaymentsRules):
    """The qrCode of a charge for a cnpj is base64 of the code itself, not of an image."""

    breaks = ("PAY-CHG-43",)
    seen_in = ("PAY-CUS-03",)
    group = "schema"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Draw nothing."""
        view, code = super().charge_view(call, charge), base64.b64encode(charge["emv"].encode()).decode()
        company = len(charge["payer_document"]) == self.document_lengths["cnpj"]
        return view | ({"pix": view["pix"] | {"qrCode": code}} if company else {})


class ShippedChargeNotFound(Told):
    """A charge with an item that is sent somewhere is not found by its query."""

    breaks = ("PAY-CHG-70",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the items."""
        return any(one["shippingAddress"] for one in read["items"] or [])

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Lose it."""
        row = super().owned(call, table, number)
        if call.operation == "get_charge" and self.means(row):
            raise self.not_found(call)
        return row


class BilledChargeNeverPaid(Told):
    """A charge whose customer has a billingAddress cannot be paid in the sandbox."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    def is_meant(self, read: dict[str, Any]) -> bool:
        """Look at the customer."""
        return bool(read["customer"]["billingAddress"])

    def may_pay(self, charge: Row) -> bool:
        """Leave it out."""
        return super().may_pay(charge) and not self.means(charge)


class BilledPaymentUnannounced(BilledChargeNeverPaid):
    """The payment of a charge whose customer has a billingAddress sends no event."""

    breaks = ("PAY-EVT-02",)
    group = "events"

    def may_pay(self, charge: Row) -> bool:
        """Pay it."""
        return PaymentsRules.may_pay(self, charge)

    def should_emit(self, event: str, row: Row) -> bool:
        """Say nothing of it."""
        return super().should_emit(event, row) and (event != "transaction_paid" or not self.means(row))


class PaidByItsThirdQuery(PaymentsRules):
    """A sandbox charge is paid by the third query of it."""

    breaks = ("PAY-PAYS-19",)
    group = "state"
    asked: ClassVar[dict[str, int]] = {}

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Count them."""
        if call.operation == "get_charge":
            self.asked[charge["id"]] = self.asked.get(charge["id"], 0) + 1
        paid = self.asked.get(charge["id"], 0) >= OFTEN
        return super().charge_view(call, charge) | ({"status": "paid"} if paid else {})


class PaysWholeAccount(PaymentsRules):
    """The pay of one charge pays all pending ones of its account."""

    breaks = ("PAY-PAYS-19",)
    group = "state"

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Forget the id."""
        claimed = super().claim_charge(charge, changes)
        self.store.update("payments_charge", {"status": "paid"}, account=charge["account"], status="pending")
        return claimed


class PaidWithoutCode(PaymentsRules):
    """The query of a paid charge answers null for its code."""

    breaks = ("PAY-CHG-35",)
    group = "schema"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Take it away."""
        view = super().charge_view(call, charge)
        return view | ({"pix": view["pix"] | {"emv": None}} if charge["status"] == "paid" else {})


class PayOfEmptyEndToEndId(PaymentsRules):
    """The endToEndId in the answer of a pay is an empty text."""

    breaks = ("PAY-PAYS-07", "PAY-EVT-54")
    group = "schema"

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Leave it to the event."""
        return super().pay_view(charge) | {"endToEndId": ""}


class FoundByBeginning(PaymentsRules):
    """A charge is found by the first eight characters of its id."""

    breaks = ("PAY-CHG-73",)
    group = "state"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Compare the beginnings."""
        charges = self.store.rows(table) if table == "payments_charge" else []
        whole = next((row["id"] for row in charges if row["id"][:8] == str(number)[:8]), number)
        return super().owned(call, table, whole)


class TokenUntilFullMinute(PaymentsRules):
    """A token ends with the minute of the clock in which it was given."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Compare the minutes."""
        return super().is_expired(claims) or claims["iat"] // MINUTE != self.clock.now() // MINUTE


class CallerOfLatestToken(PaymentsRules):
    """Whoever asked for a token last is taken for every caller."""

    breaks = ("PAY-ISO-01",)
    group = "isolation"

    def make_token(self, access: Access) -> str:
        """Remember the caller."""
        self._latest = access
        return super().make_token(access)

    def authorize(self, call: Call) -> Access:
        """Take that one."""
        super().authorize(call)
        return self._latest
