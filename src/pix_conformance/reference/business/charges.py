"""Charges of the business API: create, query, list."""

from typing import Any

from pix_conformance.reference.brcode import BrCodeRules
from pix_conformance.reference.business.charge_fields import ChargeFieldRules
from pix_conformance.reference.business.events import EventRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.idempotency import IdempotencyRules
from pix_conformance.reference.store import Row


class ChargeRules(ChargeFieldRules, EventRules, IdempotencyRules, BrCodeRules):
    """Dynamic charges, whose expiry is detected when somebody looks."""

    charge_created_status = 201
    list_limit = 200
    provider = "simulated"

    async def create_charge(self, call: Call) -> Answer:
        """POST /v1/business/pix-charges."""
        body = self.json_body(call)
        read = self.read_charge(body)
        return await self.execute_once(call, body, lambda: self.open_charge(call, read))

    async def get_charge(self, call: Call) -> Answer:
        """GET /v1/business/pix-charges/{id}."""
        return Answer(200, self.charge_view(call, self.seen(call, self.owned(call))))

    async def list_charges(self, call: Call) -> Answer:
        """GET /v1/business/pix-charges."""
        status = self.list_filter(call)
        self.expire_all(call)
        charges = self.listed(call.access, status)
        return Answer(200, self.list_view(call, charges))

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Create a charge from its fields, within a transaction."""
        charge = self.new_charge(call.access, read)
        self.store.insert("business_charge", charge)
        self.emit("business.pix.created", charge)
        return Answer(self.charge_created_status, self.charge_view(call, charge))

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Make the row of a new charge."""
        now = self.clock.now()
        return {
            "id": self.new_charge_id(),
            "account": access.account,
            "environment": access.environment,
            "status": "pending",
            "amount": read["amount_cents"],
            "description": read["description"],
            "external_ref": read["external_ref"],
            "customer_email": read["customer_email"],
            "qr_code": self.code(self.world.chance.uuid().hex, read["amount_cents"]),
            "end_to_end_id": None,
            "expires_at": now + read["expires_in_seconds"],
            "created_at": now,
        }

    def new_charge_id(self) -> str:
        """Make an id for a charge."""
        return f"chg_{self.world.chance.uuid().hex}"

    def is_overdue(self, charge: Row) -> bool:
        """Judge whether a charge's time has passed."""
        return bool(self.clock.now() >= charge["expires_at"])

    def detects_expiry(self, operation: str) -> bool:
        """Judge whether an operation notices expiry: queries, lists and confirmations do, cancel does not."""
        return operation != "cancel_charge"

    def seen(self, call: Call, charge: Row) -> Row:
        """Give the charge as it is now, noticing its expiry."""
        noticing = self.detects_expiry(call.operation) and charge["status"] == "pending"
        if noticing and self.is_overdue(charge) and self.claim_charge(charge, {"status": "expired"}):
            return charge | {"status": "expired"}
        return charge

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Compare and set: change the charge only if it is still as it was seen."""
        return self.store.update("business_charge", changes, id=charge["id"], status=charge["status"]) == 1

    def expire_all(self, call: Call) -> None:
        """Notice the expiry of everything that a list could show."""
        owner = {"account": call.access.account, "environment": call.access.environment}
        for charge in self.store.rows("business_charge", status="pending", **owner):
            self.seen(call, charge)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Charges of an access, newest first, at most the limit."""
        where = {"account": access.account, "environment": access.environment}
        wanted = {} if status is None else {"status": status}
        return self.store.rows("business_charge", self.list_order(), self.list_limit, **where, **wanted)

    def list_order(self) -> str:
        """Order of the list, in SQL."""
        return "seq DESC"

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Envelope of the list: none, a bare array."""
        return [self.charge_view(call, charge) for charge in charges]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show a charge, the same everywhere."""
        del call
        return {
            "id": charge["id"],
            "status": charge["status"],
            "amount_cents": charge["amount"],
            **self.echo_view(charge),
            "qr_code": charge["qr_code"],
            **self.optional("e2e_id", charge["end_to_end_id"]),
            "provider": self.provider,
            "expires_at": self.moment(charge["expires_at"]),
            "created_at": self.moment(charge["created_at"]),
        }

    def echo_view(self, charge: Row) -> dict[str, Any]:
        """Show the fields that are echoed."""
        names = ("description", "external_ref", "customer_email")
        return {key: value for name in names for key, value in self.optional(name, charge[name]).items()}

    def optional(self, name: str, value: Any) -> dict[str, Any]:
        """Show a field that may have no value: it is null then."""
        return {name: value}
