"""Fields of a charge creation (PAY-CHG, PAY-CUS, PAY-ITEM, PAY-SPL)."""

from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most


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
