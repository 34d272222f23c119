"""Fields of a charge creation and the list's filter (BUS-CHG)."""

from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.call import Call
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most


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
