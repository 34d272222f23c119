"""Fields of a charge creation."""

from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most


class ChargeFieldRules(FieldRules):
    """Field tables of the charge request and what each field must hold."""

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
        """Give the whole table of the charge request."""
        return (
            Field("amountInCents", "integer", required=True, rule="judge_charge_amount"),
            Field("customer", "object", required=True, fields=self.customer_fields),
            Field("description", "string", rule="judge_charge_description"),
            Field("postbackUrl", "string", rule="judge_charge_postback"),
            Field("items", "array", fields=self.item_fields),
            Field("splits", "array", fields=self.split_fields),
        )

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Read a charge request, its fields first, then what they must be together."""
        read = self.read_body(body, self.charge_fields())
        if complaint := self.judge_customer(read["customer"]):
            raise self.invalid("customer.document", complaint)
        if complaint := self.judge_splits(read["splits"] or []):
            raise self.invalid("splits", complaint)
        return read

    def judge_charge_amount(self, value: int) -> str | None:
        """Judge `amountInCents`."""
        return f"must be at least {self.minimum_charge}" if value < self.minimum_charge else None

    def judge_charge_description(self, value: str) -> str | None:
        """Judge `description`."""
        return text_of_at_most(self.charge_description_limit, value)

    def judge_charge_postback(self, value: str) -> str | None:
        """Judge `postbackUrl`."""
        return None if formats.is_uri(value) else "must be a URI"

    def judge_document_type(self, value: str) -> str | None:
        """Judge `customer.documentType`."""
        return None if value in self.document_types else "must be one of " + ", ".join(self.document_types)

    def judge_document(self, value: str) -> str | None:
        """Judge `customer.document` by itself."""
        return None if formats.is_digits(value) else "must consist of digits only"

    def judge_customer(self, customer: dict[str, Any]) -> str | None:
        """Judge `customer.document` as one of its type: its length; its check digits only if told to."""
        kind, document = customer["documentType"], customer["document"]
        length = self.document_lengths.get(kind)
        if length is not None and len(document) != length:
            return f"must have {length} digits"
        has_digits = formats.has_cpf_digits if kind == "cpf" else formats.has_cnpj_digits
        return "has wrong check digits" if self.checks_document_digits and not has_digits(document) else None

    def judge_customer_email(self, value: str) -> str | None:
        """Judge `customer.email`."""
        return None if formats.is_email(value) else "must be a valid e-mail"

    def judge_split_email(self, value: str) -> str | None:
        """Judge `splits[].email`: any valid one, known or not."""
        return None if formats.is_email(value) else "must be a valid e-mail"

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Judge `splits[].percentage`."""
        if value < self.minimum_percentage:
            return f"must be at least {self.minimum_percentage}"
        return f"must be at most {self.maximum_percentage}" if value > self.maximum_percentage else None

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Judge all `splits[].percentage` together."""
        total = sum((Decimal(split["percentage"]) for split in splits), Decimal())
        return f"must not exceed {self.maximum_percentage_sum} in all" if total > self.maximum_percentage_sum else None
