"""Charges of the payments API: create, query, simulate the payment."""

import json
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.reference import formats, qr
from pix_conformance.reference.brcode import BrCodeRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT, LedgerRules
from pix_conformance.reference.payments.charge_fields import ChargeFieldRules
from pix_conformance.reference.payments.events import EventRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class ChargeRules(ChargeFieldRules, EventRules, LedgerRules, BrCodeRules):
    """PIX IN."""

    ledger_prefix = "payments"
    charge_created_status = 200
    charge_payable: ClassVar[tuple[str, ...]] = ("pending",)
    charge_words: ClassVar[dict[str, str]] = {
        "create_charge": "QR code created",
        "get_charge": "charge found",
        "pay_charge": "payment simulated",
    }

    async def create_charge(self, call: Call) -> Answer:
        """POST /api/v1/pix/in/qrcode."""
        read = self.read_charge(self.json_body(call))
        await self.pause(call, "create")
        charge = self.new_charge(call.access, read)
        with self.store.transaction():
            self.store.insert("payments_charge", charge)
            self.emit("transaction_created", "transaction", charge)
        return Answer(self.charge_created_status, self.charge_answer(call, charge))

    async def get_charge(self, call: Call) -> Answer:
        """GET /api/v1/pix/in/qrcode/{transactionId}."""
        return Answer(200, self.charge_answer(call, self.owned(call, "payments_charge", call.params["id"])))

    async def pay_charge(self, call: Call) -> Answer:
        """POST /api/v1/pix/in/qrcode/{transactionId}/pay."""
        charge = self.owned(call, "payments_charge", call.params["id"])
        self.require_sandbox(call, charge)
        if not self.may_pay(charge):
            raise self.not_payable(charge)
        await self.pause(call, "pay")
        with self.store.transaction():
            if not self.claim_charge(charge, self.paid_changes(charge)):
                raise self.not_payable(charge)
            paid = self.store.find("payments_charge", id=charge["id"]) or charge
            self.settle(paid)
            self.emit("transaction_paid", "transaction", paid)
        return Answer(200, self.pay_answer(call, paid))

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Make the row of a new charge from its fields."""
        now, token = self.clock.now(), self.world.chance.uuid().hex
        customer, emv = read["customer"], self.code(token, read["amountInCents"])
        return {
            "id": self.new_charge_id(),
            "account": access.account,
            "environment": access.environment,
            "status": "pending",
            "amount": read["amountInCents"],
            "fees": self.charge_fees(read["amountInCents"]),
            "emv": emv,
            "qr_code": self.qr_image(emv),
            "payer_name": customer["name"],
            "payer_document": customer["document"],
            "postback_url": read["postbackUrl"],
            "splits": json.dumps(read["splits"] or [], default=str),
            "description": read["description"],
            "end_to_end_id": None,
            "created_at": now,
            "updated_at": now,
        }

    def new_charge_id(self) -> str:
        """Make an id for a charge."""
        return str(self.world.chance.uuid())

    def qr_image(self, emv: str) -> str:
        """Draw the code, Base64 of an image."""
        return qr.png_base64(emv)

    def charge_fees(self, amount: int) -> int:
        """Fees of a charge: one per cent, one cent at least."""
        return max(1, amount // 100)

    def may_pay(self, charge: Row) -> bool:
        """Judge whether a charge's status lets it be paid."""
        return charge["status"] in self.charge_payable

    def not_payable(self, charge: Row) -> Refusal:
        """Refuse to pay a charge that is no longer pending."""
        del charge
        return Refusal("state", "transaction is no longer pending")

    def paid_changes(self, charge: Row) -> Row:
        """What payment changes in a charge."""
        del charge
        now = self.clock.now()
        return {"status": "paid", "end_to_end_id": formats.end_to_end_id(now, self.world.chance), "updated_at": now}

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Compare and set: change the charge only if it is still as it was seen."""
        return self.store.update("payments_charge", changes, id=charge["id"], status=charge["status"]) == 1

    def settle(self, charge: Row) -> None:
        """Book a payment: fees to the service, splits of the net to their companies, the rest to the wallet."""
        net = charge["amount"] - charge["fees"]
        shares = self.split_shares(charge, net)
        rest = net - sum(share for _, share in shares)
        self.post(
            owner_of(charge),
            "charge.paid",
            charge["id"],
            ("acquirer", DEBIT, charge["amount"]),
            ("fees", CREDIT, charge["fees"]),
            ("splits", CREDIT, net - rest),
            ("pix", CREDIT, rest),
        )
        for email, share in shares:
            self.pay_share(charge, email, share)

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """E-mail and cents of each split, rounded down."""
        splits = json.loads(charge["splits"])
        return [(s["email"], int(net * Decimal(str(s["percentage"])) / 100)) for s in splits]

    def pay_share(self, charge: Row, email: str, share: int) -> None:
        """Credit one split to the company of that e-mail, if the service knows it."""
        receiver = self.company(email, charge["environment"])
        if receiver:
            entries = ("splits", DEBIT, share), ("pix", CREDIT, share)
            self.post(receiver, "split.received", charge["id"], *entries)

    def company(self, email: str, environment: str) -> Access | None:
        """Find the company of an e-mail in an environment: one is known, the other merchant."""
        known = email.lower() == self.world.accounts.split_email
        return Access("merchant-b", environment) if known else None

    def charge_answer(self, call: Call, charge: Row) -> dict[str, Any]:
        """Body that creation and query share."""
        return {"success": True, "message": self.charge_words[call.operation], "data": self.charge_view(call, charge)}

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Data of a charge."""
        del call
        pix = {"emv": charge["emv"], "qrCode": charge["qr_code"]}
        return {"id": charge["id"], "pix": pix, "status": charge["status"], "fees": charge["fees"]}

    def pay_answer(self, call: Call, charge: Row) -> dict[str, Any]:
        """Body of a simulated payment."""
        return {"success": True, "message": self.charge_words[call.operation], "data": self.pay_view(charge)}

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Data of a simulated payment."""
        return {"id": charge["id"], "status": charge["status"], "endToEndId": charge["end_to_end_id"]}
