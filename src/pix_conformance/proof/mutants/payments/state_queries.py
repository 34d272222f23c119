"""Queries of charges of the payments API that show something else than what is."""

from decimal import Decimal
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class OneIdForEqualCharges(PaymentsRules):
    """Equal charges are taken for repeats: the id is made of the fields."""

    breaks = ("PAY-CHG-41", "PAY-PAYS-19")
    group = "state"

    async def create_charge(self, call: Call) -> Answer:
        """Answer the earlier charge of the same amount and document."""
        read = self.read_charge(self.json_body(call))
        same = {"amount": read["amountInCents"], "payer_document": read["customer"]["document"]}
        owner = {"account": call.access.account, "environment": call.access.environment}
        found = self.store.find("payments_charge", **same, **owner, status="pending")
        return Answer(200, self.charge_answer(call, found)) if found else await super().create_charge(call)


class QueryOfTheNewest(PaymentsRules):
    """The query answers the newest charge of the account, whatever it is asked for."""

    breaks = ("PAY-CHG-71",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Look for another one."""
        asked = self.owned(call, "payments_charge", call.params["id"])
        newest = self.store.rows("payments_charge", "seq DESC", 1, account=asked["account"])[0]
        return Answer(200, self.charge_answer(call, newest | {"status": asked["status"]}))


class QueryGoneWhenPaid(PaymentsRules):
    """A paid charge is no longer found by its query."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Look among the pending."""
        if self.owned(call, "payments_charge", call.params["id"])["status"] == "paid":
            raise self.not_found(call)
        return await super().get_charge(call)


class QueryCreated(PaymentsRules):
    """The query of a charge is answered 201, as its creation would be elsewhere."""

    breaks = ("PAY-CHG-70",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().get_charge(call)
        return Answer(201, answer.body)


class QueryOfAnotherCode(PaymentsRules):
    """The query makes a new code for the charge each time."""

    breaks = ("PAY-CHG-72", "PAY-CHG-77")
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Make it from the id of the call."""
        view = super().charge_view(call, charge)
        if call.operation == "get_charge":
            emv = self.code(self.new_charge_id().replace("-", ""), charge["amount"])
            view["pix"] = {"emv": emv, "qrCode": self.qr_image(emv)}
        return view


class MalformedIdRefused(PaymentsRules):
    """An id of another form is refused with 400 by the query of a charge."""

    breaks = ("PAY-CHG-74",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Judge the form first."""
        if not formats.is_uuid(call.params["id"]):
            raise self.invalid("transactionId", "must be a UUID")
        return await super().get_charge(call)


class MalformedIdBreaks(PaymentsRules):
    """An id of another form ends in a 500 in the query of a charge."""

    breaks = ("PAY-CHG-74", "PAY-CHG-78", "PAY-ERR-12")
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Fail to read the id."""
        if not formats.is_uuid(call.params["id"]):
            return Answer(500, {"error": "INTERNAL", "message": "invalid input syntax for type uuid"})
        return await super().get_charge(call)


class TransferFoundAsCharge(PaymentsRules):
    """The query of charges finds transfers too: both are transactions, of statuses of their own and without a code."""

    breaks = ("PAY-CHG-39", "PAY-CHG-42", "PAY-CHG-75")
    seen_in = ("PAY-CMP-01",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Show a transfer like a charge."""
        found = self.store.find("transfer", id=call.params["id"])
        if found is None or not self.sees(call.access, Access(found["account"], found["environment"]), "get_charge"):
            return await super().get_charge(call)
        return Answer(200, self.charge_answer(call, found | {"emv": "", "qr_code": ""}))


class FloatFees(PaymentsRules):
    """Fees of a charge are computed in floats and not rounded."""

    breaks = ("PAY-CHG-38",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show 1.99 per cent."""
        return super().charge_view(call, charge) | {"fees": float(Decimal(charge["amount"]) * Decimal("0.0199"))}
