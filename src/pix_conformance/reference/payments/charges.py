"""Charges of the payments API: fields (PAY-CHG, PAY-CUS, PAY-ITEM, PAY-SPL), creation, query, simulated payment."""

import json
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.brcode import BrCodeRules, png_base64
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most
from pix_conformance.reference.http import route
from pix_conformance.reference.ledger import CREDIT, DEBIT, LedgerRules
from pix_conformance.reference.payments.events import EventRules
from pix_conformance.reference.store import Row, owner_of


class ChargeFieldRules(FieldRules):
    """The field tables of the charge request and the rule of each field."""

    minimum_charge = 100
    charge_description_limit = 140
    document_types: ClassVar[tuple[str, ...]] = ("cpf", "cnpj")
    document_lengths: ClassVar[dict[str, int]] = {"cpf": 11, "cnpj": 14}
    checks_document_digits = False
    minimum_percentage = Decimal("0.01")
    maximum_percentage = Decimal(100)
    maximum_percentage_sum = Decimal(100)

    customer_fields: ClassVar[tuple[Field, ...]] = (
        Field("documentType", "string", required=True, rule="judge_document_type"),
        Field("document", "string", required=True, rule="judge_document"),
        Field("name", "string"),
        Field("email", "string", rule="judge_customer_email"),
        Field("phone", "string"),
        Field("billingAddress", "object"),
    )
    item_fields: ClassVar[tuple[Field, ...]] = (
        Field("title", "string", required=True),
        Field("tangible", "boolean", required=True),
        Field("quantity", "integer", required=True),
        Field("amountInCents", "integer", required=True),
        Field("shippingAddress", "object"),
    )
    split_fields: ClassVar[tuple[Field, ...]] = (
        Field("email", "string", required=True, rule="judge_split_email"),
        Field("percentage", "number", required=True, rule="judge_percentage"),
    )

    def charge_fields(self) -> tuple[Field, ...]:
        """Return the field table of the charge request (PAY-CHG, PAY-CUS, PAY-ITEM, PAY-SPL)."""
        return (
            Field("amountInCents", "integer", required=True, rule="judge_charge_amount"),
            Field("customer", "object", required=True, fields=self.customer_fields),
            Field("description", "string", rule="judge_charge_description"),
            Field("postbackUrl", "string", rule="judge_charge_postback"),
            Field("items", "array", fields=self.item_fields),
            Field("splits", "array", fields=self.split_fields),
        )

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Read and check a charge request: each field, then fields that depend on each other. Raises Refusal."""
        read = self.read_body(body, self.charge_fields())
        if complaint := self.judge_customer(read["customer"]):
            raise self.invalid("customer.document", complaint)
        if complaint := self.judge_splits(read["splits"] or []):
            raise self.invalid("splits", complaint)
        return read

    def judge_charge_amount(self, value: int) -> str | None:
        """Return what is wrong with `amountInCents`, or None (PAY-CHG-06)."""
        return f"must be at least {self.minimum_charge}" if value < self.minimum_charge else None

    def judge_charge_description(self, value: str) -> str | None:
        """Return what is wrong with `description`, or None (PAY-CHG-13)."""
        return text_of_at_most(self.charge_description_limit, value)

    def judge_charge_postback(self, value: str) -> str | None:
        """Return what is wrong with `postbackUrl`, or None (PAY-CHG-19)."""
        return None if formats.is_uri(value) else "must be a URI"

    def judge_document_type(self, value: str) -> str | None:
        """Return what is wrong with `customer.documentType`, or None (PAY-CUS-05)."""
        return None if value in self.document_types else "must be one of " + ", ".join(self.document_types)

    def judge_document(self, value: str) -> str | None:
        """Return what is wrong with `customer.document` alone, or None (PAY-CUS-09)."""
        return None if formats.is_digits(value) else "must consist of digits only"

    def judge_customer(self, customer: dict[str, Any]) -> str | None:
        """Return what is wrong with `customer.document` for its `documentType`, or None.

        Checked is the length; the check digits only if `checks_document_digits` is set.
        """
        kind, document = customer["documentType"], customer["document"]
        length = self.document_lengths.get(kind)
        if length is not None and len(document) != length:
            return f"must have {length} digits"
        has_digits = formats.has_cpf_digits if kind == "cpf" else formats.has_cnpj_digits
        return "has wrong check digits" if self.checks_document_digits and not has_digits(document) else None

    def judge_customer_email(self, value: str) -> str | None:
        """Return what is wrong with `customer.email`, or None (PAY-CUS-20)."""
        return None if formats.is_email(value) else "must be a valid e-mail"

    def judge_split_email(self, value: str) -> str | None:
        """Return what is wrong with `splits[].email`, or None. The service need not know the company."""
        return None if formats.is_email(value) else "must be a valid e-mail"

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Return what is wrong with `splits[].percentage`, or None (PAY-SPL-09, PAY-SPL-11)."""
        if value < self.minimum_percentage:
            return f"must be at least {self.minimum_percentage}"
        return f"must be at most {self.maximum_percentage}" if value > self.maximum_percentage else None

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Return what is wrong with the sum of all `splits[].percentage`, or None (PAY-SPL-13)."""
        total = sum((Decimal(split["percentage"]) for split in splits), Decimal())
        return (
            f"must not exceed {self.maximum_percentage_sum} in total" if total > self.maximum_percentage_sum else None
        )


class ChargeRules(ChargeFieldRules, EventRules, LedgerRules, BrCodeRules):
    """Charges (PIX IN), their payment and splits."""

    ledger_prefix = "payments"
    charge_created_status = 200
    charge_payable: ClassVar[tuple[str, ...]] = ("pending",)
    unpaid_status: ClassVar[str | None] = None
    """The status in which a charge ends that is not paid; None: it stays pending."""
    unpaid_seconds = 0.05
    charge_words: ClassVar[dict[str, str]] = {
        "create_charge": "QR code created",
        "get_charge": "charge found",
        "pay_charge": "payment simulated",
    }

    @route("POST", "/api/v1/pix/in/qrcode")
    async def create_charge(self, call: Call) -> Answer:
        """POST /api/v1/pix/in/qrcode."""
        read = self.read_charge(self.json_body(call))
        await self.pause(call, "create")
        charge = self.new_charge(call.access, read)
        with self.store.transaction():
            self.store.insert("payments_charge", charge)
            self.emit("transaction_created", "transaction", charge)
            if self.unpaid_status:
                self.store.after_commit(lambda: self.state.outbox.begin(self.end_unpaid(charge)))
        return Answer(self.charge_created_status, self.charge_answer(call, charge))

    @route("GET", "/api/v1/pix/in/qrcode/{id}")
    async def get_charge(self, call: Call) -> Answer:
        """GET /api/v1/pix/in/qrcode/{transactionId}."""
        return Answer(200, self.charge_answer(call, self.owned(call, "payments_charge", call.params["id"])))

    @route("POST", "/api/v1/pix/in/qrcode/{id}/pay")
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
            self.credit_payment(paid)
            self.emit("transaction_paid", "transaction", paid)
        return Answer(200, self.pay_answer(call, paid))

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Return the database row of a new charge."""
        now, token = self.clock.now(), self.state.random.uuid().hex
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
        """Return a new UUID as the charge's id."""
        return str(self.state.random.uuid())

    def qr_image(self, emv: str) -> str:
        """Return a PNG image of the code, in Base64."""
        return png_base64(emv)

    def charge_fees(self, amount: int) -> int:
        """Return the fees of a charge in cents: 1 %, at least 1."""
        return max(1, amount // 100)

    def may_pay(self, charge: Row) -> bool:
        """Return whether the status allows a payment."""
        return charge["status"] in self.charge_payable

    def not_payable(self, charge: Row) -> Refusal:
        """Return the refusal to pay a charge that is no longer pending (PAY-PAYS-12)."""
        del charge
        return Refusal("state", "transaction is no longer pending")

    def paid_changes(self, charge: Row) -> Row:
        """Return the columns that a payment changes."""
        del charge
        now = self.clock.now()
        return {"status": "paid", "end_to_end_id": formats.end_to_end_id(now, self.state.random), "updated_at": now}

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Change the charge only if its status is still the one that was read (compare and set)."""
        return self.store.update("payments_charge", changes, id=charge["id"], status=charge["status"]) == 1

    async def end_unpaid(self, charge: Row) -> None:
        """End a charge that is not paid in time."""
        await self.clock.sleep(self.unpaid_seconds)
        self.change_charge(charge, str(self.unpaid_status))

    def change_charge(self, charge: Row, status: str) -> Row | None:
        """Give a charge a status without a request, and send the event; None if it has changed meanwhile."""
        return self.change_status("transaction", charge, status, self.claim_charge)

    def credit_payment(self, charge: Row) -> None:
        """Write the posting of a payment.

        Fees go to the service, splits of the net amount to their companies, the rest to the wallet.
        """
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
        """Return e-mail and cents of each split, rounded down. `net` is in cents."""
        splits = json.loads(charge["splits"])
        return [(s["email"], int(net * Decimal(str(s["percentage"])) / 100)) for s in splits]

    def pay_share(self, charge: Row, email: str, share: int) -> None:
        """Credit one split to the company with that e-mail, if the service knows it."""
        receiver = self.company(email, charge["environment"])
        if receiver:
            entries = ("splits", DEBIT, share), ("pix", CREDIT, share)
            self.post(receiver, "split.received", charge["id"], *entries)

    def company(self, email: str, environment: str) -> Access | None:
        """Return the company with that e-mail in an environment. The service knows one: the other merchant account."""
        known = email.lower() == self.state.accounts.split_email
        return Access("merchant-b", environment) if known else None

    def charge_answer(self, call: Call, charge: Row) -> dict[str, Any]:
        """Return the body of creation and query (PAY-CHG)."""
        return {"success": True, "message": self.charge_words[call.operation], "data": self.charge_view(call, charge)}

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Return `data` of a charge."""
        del call
        pix = {"emv": charge["emv"], "qrCode": charge["qr_code"]}
        return {"id": charge["id"], "pix": pix, "status": charge["status"], "fees": charge["fees"]}

    def pay_answer(self, call: Call, charge: Row) -> dict[str, Any]:
        """Return the body of a simulated payment (PAY-PAYS)."""
        return {"success": True, "message": self.charge_words[call.operation], "data": self.pay_view(charge)}

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Return `data` of a simulated payment."""
        return {"id": charge["id"], "status": charge["status"], "endToEndId": charge["end_to_end_id"]}
