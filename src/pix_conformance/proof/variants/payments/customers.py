"""Conforming variants where PAY-CUS is silent: the customer of a charge."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

SIGN = r"(?:[^\W\d_]|['-])"
"""A letter, or what stands between letters of a name."""
ADDRESS = ("street", "number", "neighborhood", "city", "state", "zipCode")


class CapitalTypes(PaymentsRules):
    """Whether CPF and CNPJ in capitals are a documentType is not shown."""

    def judge_document_type(self, value: str) -> str | None:
        """Read small letters."""
        return super().judge_document_type(value.lower())


class CheckedDocuments(PaymentsRules):
    """Whether check digits are validated is not shown."""

    checks_document_digits = True


class AnyLengthDocuments(PaymentsRules):
    """Digits only is all that is said of a document."""

    def judge_customer(self, customer: dict[str, Any]) -> str | None:  # any length will do
        """Take any number of digits."""
        return None


class EmptyDocuments(PaymentsRules):
    """A document is required, but no length is stated."""

    def judge_document(self, value: str) -> str | None:
        """Take none as well."""
        return super().judge_document(value) if value else None

    def judge_customer(self, customer: dict[str, Any]) -> str | None:
        """Take none as well."""
        return super().judge_customer(customer) if customer["document"] else None


class FullNames(PaymentsRules):
    """The name is called the full name of the payer (payments.md, line 45): two words of letters."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse what is none."""
        wrong = key == "customer.name" and not re.fullmatch(rf"{SIGN}{{2,}}( {SIGN}{{2,}})+", value)
        return "must be a full name" if wrong else super().complaint(key, value, field)


class LetteredNames(PaymentsRules):
    """How long a name is and of which signs is not shown: three letters, of which no digit is one."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse less, and others."""
        wrong = key == "customer.name" and not re.fullmatch(rf"{SIGN}{{3,}}( {SIGN}+)*", value)
        return "must be a name" if wrong else super().complaint(key, value, field)


class NullPayers(PaymentsRules):
    """A customer needs no name, and what the payment says of the payer then is not shown: null."""

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Leave it as it is."""
        return super().event_payer(row) | {"name": row["payer_name"]}


class AbsentPayers(NullPayers):
    """A customer needs no name, and what the payment says of the payer then is not shown: nothing."""

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Leave it out."""
        return {name: one for name, one in super().event_payer(row).items() if one is not None}


class WantsFullPhones(PaymentsRules):
    """A contact phone is all that is said: with its country and area."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse other forms."""
        wrong = key == "customer.phone" and not re.fullmatch(r"\+[0-9]{8,15}", value)
        return "must be a phone with its country" if wrong else super().complaint(key, value, field)


class NationalPhones(PaymentsRules):
    """A contact phone is all that is said: the digits of area and subscriber."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse other forms."""
        wrong = key == "customer.phone" and not re.fullmatch(r"[1-9][0-9]{9,10}", value)
        return "must be ten or eleven digits" if wrong else super().complaint(key, value, field)


class PlainAddresses(PaymentsRules):
    """The types of an address's fields are not shown: a zipCode of eight digits, a state of two capitals."""

    forms: ClassVar[dict[str, str]] = {"zipCode": "[0-9]{8}", "state": "[A-Z]{2}"}
    address_fields: ClassVar[tuple[Field, ...]] = tuple(Field(one, "string", required=True) for one in ADDRESS)

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Read an address by its own table."""
        address = field.name in {"billingAddress", "shippingAddress"}
        return super().read_field(
            holder, Field(field.name, field.kind, fields=self.address_fields) if address else field, where
        )

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Want their forms."""
        wrong = field.name in self.forms and not re.fullmatch(self.forms[field.name], value)
        return "has another form" if wrong else super().complaint(key, value, field)


class StrictAddresses(PaymentsRules):
    """The types of an address's fields are not shown: six strings, all of them."""

    address_fields: ClassVar[tuple[Field, ...]] = tuple(Field(one, "string", required=True) for one in ADDRESS)

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Read an address by its own table."""
        if field.name in {"billingAddress", "shippingAddress"}:
            field = Field(field.name, field.kind, fields=self.address_fields)
        return super().read_field(holder, field, where)


class NumberedHouses(StrictAddresses):
    """The types of an address's fields are not shown: the number of a house may be one, a zipCode have its hyphen."""

    address_fields = tuple(Field(one, "integer" if one == "number" else "string") for one in ADDRESS)

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Want the hyphen."""
        wrong = field.name == "zipCode" and not re.fullmatch(r"[0-9]{5}-[0-9]{3}", value)
        return "must be a zip code" if wrong else super().complaint(key, value, field)


class CitiesByNumber(StrictAddresses):
    """The types of an address's fields are not shown: the city is the number that the statistics office gave it."""

    address_fields: ClassVar[tuple[Field, ...]] = tuple(
        Field(one, "integer" if one == "city" else "string") for one in ADDRESS
    )


VARIANTS = [
    Variant("payments-document-types", ("PAY-CUS-06",), {"capitals": CapitalTypes}),
    Variant(
        "payments-documents",
        ("PAY-CUS-11", "PAY-CUS-12", "PAY-CUS-13"),
        {"checked": CheckedDocuments, "any": AnyLengthDocuments},
    ),
    Variant("payments-empty-documents", ("PAY-CUS-14",), {"taken": EmptyDocuments}),
    Variant("payments-names", ("PAY-CUS-17",), {"full": FullNames, "letters": LetteredNames}),
    Variant("payments-payers", ("PAY-CUS-17",), {"null": NullPayers, "absent": AbsentPayers}),
    Variant("payments-phones", ("PAY-CUS-23",), {"full": WantsFullPhones, "national": NationalPhones}),
    Variant(
        "payments-addresses",
        ("PAY-CUS-26", "PAY-ITEM-14"),
        {"strict": StrictAddresses, "numbered": NumberedHouses, "plain": PlainAddresses},
    ),
    Variant("payments-cities", ("PAY-CUS-26",), {"numbers": CitiesByNumber}),
]
