"""Fields of a transfer creation (PAY-TRF, PAY-KEY)."""

from typing import Any, ClassVar

from pix_conformance.reference import formats
from pix_conformance.reference.fields import Field, FieldRules, text_of_at_most


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
