"""Charges of the business API: create, query, list."""

from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.brcode import BrCodeRules
from pix_conformance.reference.business.events import EventRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most
from pix_conformance.reference.http import route
from pix_conformance.reference.idempotency import IdempotencyRules
from pix_conformance.reference.store import Row


class ChargeFieldRules(FieldRules):
    """The field table of the charge request and the rule of each field."""

    minimum_charge = 1
    description_limit = 300
    external_ref_limit = 120
    shortest_expiry = 60
    longest_expiry = 86_400
    default_expiry = 3600
    list_statuses: ClassVar[tuple[str, ...]] = ("pending", "paid", "expired", "canceled")

    def charge_fields(self) -> tuple[Field, ...]:
        """Return the field table of the charge request (BUS-CHG)."""
        return (
            Field("amount_cents", "integer", required=True, rule="judge_amount"),
            Field("description", "string", rule="judge_description"),
            Field("external_ref", "string", rule="judge_external_ref"),
            Field("customer_email", "string", rule="judge_customer_email"),
            Field("expires_in_seconds", "integer", rule="judge_expiry", default=self.default_expiry),
        )

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Read and check a charge request; raises Refusal."""
        return self.read_body(body, self.charge_fields())

    def judge_amount(self, value: int) -> str | None:
        """Return what is wrong with `amount_cents`, or None (BUS-CHG-04)."""
        return "must be greater than zero" if value < self.minimum_charge else None

    def judge_description(self, value: str) -> str | None:
        """Return what is wrong with `description`, or None (BUS-CHG-16)."""
        return text_of_at_most(self.description_limit, value)

    def judge_external_ref(self, value: str) -> str | None:
        """Return what is wrong with `external_ref`, or None (BUS-CHG-21)."""
        return text_of_at_most(self.external_ref_limit, value)

    def judge_customer_email(self, value: str) -> str | None:
        """Return what is wrong with `customer_email`, or None (BUS-CHG-26)."""
        return None if formats.is_email(value) else "must be a valid e-mail"

    def judge_expiry(self, value: int) -> str | None:
        """Return what is wrong with `expires_in_seconds`, or None (BUS-CHG-31, BUS-CHG-33)."""
        if value < self.shortest_expiry:
            return f"must be at least {self.shortest_expiry}"
        return f"must be at most {self.longest_expiry}" if value > self.longest_expiry else None

    def list_filter(self, call: Call) -> str | None:
        """Read the query parameter `status` (BUS-LIST-02); raises Refusal for an unknown status."""
        sent = call.query.get("status")
        if not sent:
            return None
        if any(status not in self.list_statuses for status in sent):
            raise self.invalid("status", "must be one of " + ", ".join(self.list_statuses))
        return sent[-1]


class ChargeRules(ChargeFieldRules, EventRules, IdempotencyRules, BrCodeRules):
    """Charges. A query or confirmation after `expires_at` sets the status `expired` (BUS-EXP-04)."""

    charge_created_status = 201
    list_limit = 200
    provider = "simulated"

    @route("POST", "/v1/business/pix-charges")
    async def create_charge(self, call: Call) -> Answer:
        """POST /v1/business/pix-charges."""
        body = self.json_body(call)
        read = self.read_charge(body)
        return await self.execute_once(call, body, lambda: self.open_charge(call, read))

    @route("GET", "/v1/business/pix-charges/{id}")
    async def get_charge(self, call: Call) -> Answer:
        """GET /v1/business/pix-charges/{id}."""
        return Answer(200, self.charge_view(call, self.expire_if_overdue(call, self.owned(call))))

    @route("GET", "/v1/business/pix-charges")
    async def list_charges(self, call: Call) -> Answer:
        """GET /v1/business/pix-charges."""
        status = self.list_filter(call)
        self.expire_all(call)
        charges = self.find_charges(call.access, status)
        return Answer(200, self.list_view(call, charges))

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Create a charge from the fields that were read, within a transaction."""
        charge = self.new_charge(call.access, read)
        self.store.insert("business_charge", charge)
        self.emit("business.pix.created", charge)
        return Answer(self.charge_created_status, self.charge_view(call, charge))

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Return the database row of a new charge."""
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
            "qr_code": self.code(self.state.random.uuid().hex, read["amount_cents"]),
            "end_to_end_id": None,
            "expires_at": now + read["expires_in_seconds"],
            "created_at": now,
        }

    def new_charge_id(self) -> str:
        """Return a new random id with the prefix `chg_`."""
        return f"chg_{self.state.random.uuid().hex}"

    def is_overdue(self, charge: Row) -> bool:
        """Return whether `expires_at` of a charge has passed."""
        return bool(self.clock.now() >= charge["expires_at"])

    def detects_expiry(self, operation: str) -> bool:
        """Return whether an operation sets `expired`: queries, lists and confirmations do, cancel does not."""
        return operation != "cancel_charge"

    def expire_if_overdue(self, call: Call, charge: Row) -> Row:
        """Return the charge as it is now; set `expired` if the operation detects that."""
        noticing = self.detects_expiry(call.operation) and charge["status"] == "pending"
        if noticing and self.is_overdue(charge) and self.claim_charge(charge, {"status": "expired"}):
            return charge | {"status": "expired"}
        return charge

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Change the charge only if its status is still the one that was read (compare and set)."""
        return self.store.update("business_charge", changes, id=charge["id"], status=charge["status"]) == 1

    def expire_all(self, call: Call) -> None:
        """Set `expired` on every overdue charge that a list can show."""
        owner = {"account": call.access.account, "environment": call.access.environment}
        for charge in self.store.rows("business_charge", status="pending", **owner):
            self.expire_if_overdue(call, charge)

    def find_charges(self, access: Access, status: str | None) -> list[Row]:
        """Return the charges of an account and environment, newest first, at most `list_limit` of them."""
        where = {"account": access.account, "environment": access.environment}
        wanted = {} if status is None else {"status": status}
        return self.store.rows("business_charge", self.list_order(), self.list_limit, **where, **wanted)

    def list_order(self) -> str:
        """The order of the list, in SQL."""
        return "seq DESC"

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Return the body of the list: an array without an envelope."""
        return [self.charge_view(call, charge) for charge in charges]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Return the JSON of a charge, the same in all responses (BUS-CHG)."""
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
        """Return the fields of the request that the response repeats."""
        names = ("description", "external_ref", "customer_email")
        return {key: value for name in names for key, value in self.optional(name, charge[name]).items()}

    def optional(self, name: str, value: Any) -> dict[str, Any]:
        """Return a field that may have no value; it is null then."""
        return {name: value}
