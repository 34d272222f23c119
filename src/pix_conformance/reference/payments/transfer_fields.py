"""Fields of a transfer creation."""

from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most


class TransferFieldRules(FieldRules):
    """Field table of the transfer request and what each field must hold."""

    minimum_transfer = 1
    transfer_description_limit = 140
    currencies: ClassVar[tuple[str, ...]] = ("BRL",)
    default_currency = "BRL"
    pix_key_types: ClassVar[tuple[str, ...]] = ("cpf", "cnpj", "email", "phone", "evp")

    def transfer_fields(self) -> tuple[Field, ...]:
        """Give the whole table of the transfer request."""
        return (
            Field("pixKey", "string", required=True, rule="judge_pix_key"),
            Field("amount", "integer", required=True, rule="judge_transfer_amount"),
            Field("currency", "string", rule="judge_currency", default=self.default_currency),
            Field("description", "string", rule="judge_transfer_description"),
            Field("postbackUrl", "string", rule="judge_transfer_postback"),
        )

    def read_transfer(self, body: Any) -> dict[str, Any]:
        """Read a transfer request."""
        return self.read_body(body, self.transfer_fields())

    def judge_pix_key(self, value: str) -> str | None:
        """Judge `pixKey`: one of the accepted types."""
        types = (kind for kind in self.pix_key_types if getattr(self, f"is_{kind}_key")(value))
        return None if any(types) else "must be a CPF, CNPJ, e-mail, +55 phone or random key"

    def is_cpf_key(self, value: str) -> bool:
        """Judge whether a key is a CPF: 11 digits."""
        return formats.is_digits(value, 11)

    def is_cnpj_key(self, value: str) -> bool:
        """Judge whether a key is a CNPJ: 14 digits."""
        return formats.is_digits(value, 14)

    def is_email_key(self, value: str) -> bool:
        """Judge whether a key is an e-mail."""
        return formats.is_email(value)

    def is_phone_key(self, value: str) -> bool:
        """Judge whether a key is a phone with its +55."""
        return formats.is_brazilian_phone(value)

    def is_evp_key(self, value: str) -> bool:
        """Judge whether a key is a random one."""
        return formats.is_uuid(value)

    def judge_transfer_amount(self, value: int) -> str | None:
        """Judge `amount`."""
        return f"must be at least {self.minimum_transfer}" if value < self.minimum_transfer else None

    def judge_currency(self, value: str) -> str | None:
        """Judge `currency`."""
        return None if value in self.currencies else "must be one of " + ", ".join(self.currencies)

    def judge_transfer_description(self, value: str) -> str | None:
        """Judge `description`."""
        return text_of_at_most(self.transfer_description_limit, value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Judge `postbackUrl`."""
        return None if formats.is_uri(value) else "must be a URI"
