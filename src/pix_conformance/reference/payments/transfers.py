"""Transfers of the payments API: their fields (PAY-TRF, PAY-KEY), creation, query, approval, simulated completion."""

import asyncio
from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most
from pix_conformance.reference.http import route
from pix_conformance.reference.idempotency import IdempotencyRules
from pix_conformance.reference.ledger import CREDIT, DEBIT, LedgerRules
from pix_conformance.reference.payments.events import EventRules
from pix_conformance.reference.store import Row, owner_of


class TransferFieldRules(FieldRules):
    """The field table of the transfer request and the rule of each field."""

    minimum_transfer = 1
    transfer_description_limit = 140
    currencies: ClassVar[tuple[str, ...]] = ("BRL",)
    default_currency = "BRL"
    pix_key_types: ClassVar[tuple[str, ...]] = ("cpf", "cnpj", "email", "phone", "evp")

    def transfer_fields(self) -> tuple[Field, ...]:
        """Return the field table of the transfer request (PAY-TRF)."""
        return (
            Field("pixKey", "string", required=True, rule="judge_pix_key"),
            Field("amount", "integer", required=True, rule="judge_transfer_amount"),
            Field("currency", "string", rule="judge_currency", default=self.default_currency),
            Field("description", "string", rule="judge_transfer_description"),
            Field("postbackUrl", "string", rule="judge_transfer_postback"),
        )

    def read_transfer(self, body: Any) -> dict[str, Any]:
        """Read and check a transfer request; raises Refusal."""
        return self.read_body(body, self.transfer_fields())

    def judge_pix_key(self, value: str) -> str | None:
        """Return what is wrong with `pixKey`, or None: it must be of an accepted type (PAY-KEY)."""
        types = (kind for kind in self.pix_key_types if getattr(self, f"is_{kind}_key")(value))
        return None if any(types) else "must be a CPF, CNPJ, e-mail, +55 phone or random key"

    def is_cpf_key(self, value: str) -> bool:
        """Return whether a PIX key is a CPF: 11 digits."""
        return formats.is_digits(value, 11)

    def is_cnpj_key(self, value: str) -> bool:
        """Return whether a PIX key is a CNPJ: 14 digits."""
        return formats.is_digits(value, 14)

    def is_email_key(self, value: str) -> bool:
        """Return whether a PIX key is an e-mail."""
        return formats.is_email(value)

    def is_phone_key(self, value: str) -> bool:
        """Return whether a PIX key is a phone number with +55."""
        return formats.is_brazilian_phone(value)

    def is_evp_key(self, value: str) -> bool:
        """Return whether a PIX key is a random key (EVP), a UUID."""
        return formats.is_uuid(value)

    def judge_transfer_amount(self, value: int) -> str | None:
        """Return what is wrong with `amount`, or None (PAY-TRF-09)."""
        return f"must be at least {self.minimum_transfer}" if value < self.minimum_transfer else None

    def judge_currency(self, value: str) -> str | None:
        """Return what is wrong with `currency`, or None (PAY-TRF-13)."""
        return None if value in self.currencies else "must be one of " + ", ".join(self.currencies)

    def judge_transfer_description(self, value: str) -> str | None:
        """Return what is wrong with `description`, or None (PAY-TRF-20)."""
        return text_of_at_most(self.transfer_description_limit, value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Return what is wrong with `postbackUrl`, or None (PAY-TRF-23)."""
        return None if formats.is_uri(value) else "must be a URI"


class TransferRules(TransferFieldRules, EventRules, LedgerRules, IdempotencyRules):
    """Transfers (PIX OUT), their approval and completion."""

    idempotency_header = "x-idempotency-key"
    transfer_created_status = 200
    transfer_first_status = "pending"
    transfer_approved_status = "processing"
    approval_seconds = 0.1
    transfer_incompletable: ClassVar[tuple[str, ...]] = ("pending", "manual_analysis", "completed", "canceled")
    refuses_without_funds = False
    overdraft_limit = 100_000_000
    overdrawn_status: ClassVar[str | None] = None
    transfer_words: ClassVar[dict[str, str]] = {
        "create_transfer": "transfer created",
        "complete_transfer": "completion simulated",
    }

    @route("POST", "/api/v1/pix/out/pixkey")
    async def create_transfer(self, call: Call) -> Answer:
        """POST /api/v1/pix/out/pixkey."""
        body = self.json_body(call)
        read = self.read_transfer(body)
        return await self.execute_once(call, body, lambda: self.open_transfer(call, read))

    @route("GET", "/api/v1/pix/out/pixkey/{id}")
    async def get_transfer(self, call: Call) -> Answer:
        """GET /api/v1/pix/out/pixkey/{transferId}."""
        transfer = self.owned(call, "transfer", call.params["id"])
        return Answer(200, {"success": True, "data": self.transfer_view(transfer)})

    @route("POST", "/api/v1/pix/out/pixkey/{id}/complete")
    async def complete_transfer(self, call: Call) -> Answer:
        """POST /api/v1/pix/out/pixkey/{transferId}/complete."""
        transfer = self.completable(call)
        await self.pause(call, "complete")
        with self.store.transaction():
            if not self.claim_transfer(transfer, self.completed_changes(transfer)):
                transfer = self.completable(call)  # the approval changed the status between reading and writing
                if not self.claim_transfer(transfer, self.completed_changes(transfer)):
                    raise self.not_completable(transfer)
            done = self.store.find("transfer", id=transfer["id"]) or transfer
            self.book_completion(done)
            self.emit("transfer_completed", "transfer", done)
        return Answer(200, self.complete_answer(call, done))

    def completable(self, call: Call) -> Row:
        """Return the transfer of the path, if it can be completed now. Raises Refusal."""
        transfer = self.owned(call, "transfer", call.params["id"])
        self.require_sandbox(call, transfer)
        if not self.may_complete(transfer):
            raise self.not_completable(transfer)
        return transfer

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Answer:
        """Create a transfer from the fields that were read, within a transaction."""
        lacking = read["amount"] - self.balance_of(call.access, "pix")
        beyond = lacking > 0
        if lacking > (0 if self.refuses_without_funds else self.overdraft_limit):
            raise self.invalid("amount", "exceeds the available balance")
        transfer = self.new_transfer(call.access, read)
        self.store.insert("transfer", transfer)
        decide = self.cancel_or_refuse if beyond and self.overdrawn_status else self.approve
        if decide == self.approve:
            self.book_transfer(transfer)
        self.emit("transfer_created", "transfer", transfer)
        self.store.after_commit(lambda: self.state.outbox.begin(decide(transfer)))
        return Answer(self.transfer_created_status, self.transfer_answer(call, transfer))

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Return the database row of a new transfer."""
        now = self.clock.now()
        return {
            "id": self.new_transfer_id(),
            "account": access.account,
            "environment": access.environment,
            "status": self.transfer_first_status,
            "amount": read["amount"],
            "fees": self.transfer_fees(read["amount"]),
            "pix_key": read["pixKey"],
            "currency": read["currency"],
            "description": read["description"],
            "postback_url": read["postbackUrl"],
            "end_to_end_id": None,
            "created_at": now,
            "updated_at": now,
            "processed_at": None,
        }

    def new_transfer_id(self) -> str:
        """Return a new UUID as the transfer's id."""
        return str(self.state.random.uuid())

    def transfer_fees(self, amount: int) -> int:
        """Return the fees of a transfer in cents: 1 % of the gross amount, at most 50."""
        return min(50, amount // 100)

    async def approve(self, transfer: Row) -> None:
        """Let a new transfer pass the approval, some milliseconds of real time after its creation."""
        await asyncio.sleep(self.approval_seconds)
        self.change_transfer(transfer, self.transfer_approved_status)

    async def cancel_or_refuse(self, transfer: Row) -> None:
        """Cancel or refuse a transfer beyond the balance, as long after its creation as an approval takes."""
        await asyncio.sleep(self.approval_seconds)
        self.change_transfer(transfer, str(self.overdrawn_status))

    def change_transfer(self, transfer: Row, status: str) -> Row | None:
        """Give a transfer a status without a request, and send the event; None if it has changed meanwhile."""
        return self.change_status("transfer", transfer, status, self.claim_transfer)

    def may_complete(self, transfer: Row) -> bool:
        """Return whether the status allows the completion (PAY-CMP-11, PAY-CMP-12)."""
        return transfer["status"] not in self.transfer_incompletable

    def not_completable(self, transfer: Row) -> Refusal:
        """Return the refusal to complete a transfer."""
        return Refusal("state", f"transfer cannot be completed while it is {transfer['status']}")

    def completed_changes(self, transfer: Row) -> Row:
        """Return the columns that a completion changes."""
        del transfer
        now = self.clock.now()
        moments = {"updated_at": now, "processed_at": now}
        return {"status": "completed", "end_to_end_id": formats.end_to_end_id(now, self.state.random)} | moments

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Change the transfer only if its status is still the one that was read (compare and set)."""
        return self.store.update("transfer", changes, id=transfer["id"], status=transfer["status"]) == 1

    def book_transfer(self, transfer: Row) -> None:
        """Write the posting that takes the gross amount from the wallet."""
        entries = ("pix", DEBIT, transfer["amount"]), ("in_flight", CREDIT, transfer["amount"])
        self.post(owner_of(transfer), "transfer.created", transfer["id"], *entries)

    def book_completion(self, transfer: Row) -> None:
        """Write the posting of the net amount to the bank and the fees to the service."""
        self.post(
            owner_of(transfer),
            "transfer.completed",
            transfer["id"],
            ("in_flight", DEBIT, transfer["amount"]),
            ("acquirer", CREDIT, transfer["amount"] - transfer["fees"]),
            ("fees", CREDIT, transfer["fees"]),
        )

    def transfer_answer(self, call: Call, transfer: Row) -> dict[str, Any]:
        """Return the body of a creation (PAY-TRF)."""
        words = self.transfer_words[call.operation]
        return {"success": True, "message": words, "data": self.new_transfer_view(transfer)}

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Return `data` of a transfer in the response to its creation."""
        return {
            "id": transfer["id"],
            "status": transfer["status"],
            "amount": transfer["amount"],
            "netAmount": transfer["amount"] - transfer["fees"],
            "fees": transfer["fees"],
            "pixKey": transfer["pix_key"],
        }

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Return `data` of a transfer in the response to a query (PAY-TRF)."""
        processed = transfer["processed_at"]
        return self.new_transfer_view(transfer) | {
            "endToEndId": transfer["end_to_end_id"],
            "createdAt": self.moment(transfer["created_at"]),
            "updatedAt": self.moment(transfer["updated_at"]),
            "processedAt": self.moment(processed) if processed else None,
        }

    def complete_answer(self, call: Call, transfer: Row) -> dict[str, Any]:
        """Return the body of a simulated completion (PAY-CMP)."""
        return {"success": True, "message": self.transfer_words[call.operation], "data": self.complete_view(transfer)}

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Return `data` of a simulated completion."""
        return {"id": transfer["id"], "status": transfer["status"], "endToEndId": transfer["end_to_end_id"]}
