"""Mutants of PAY-CUS, the customer of a charge."""

import re
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, mutant
from pix_conformance.proof.mutants.operators.fields import accepts, reads, refuses
from pix_conformance.proof.mutants.operators.values import (
    CNPJ_LENGTH,
    CPF_LENGTH,
    begins_with_zero,
    is_a,
    is_absent,
    is_empty,
    is_null,
    is_number,
    is_present,
    matches,
)
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "validation"
CPF = "52998224725"


def without_letters(_: Any, holder: Row, field: Field, where: str) -> tuple[Row, Field, str]:
    value = holder.get(field.name)
    if field.name == "document" and isinstance(value, str):
        holder = holder | {"document": re.sub("[A-Za-z]", "", value)}
    return holder, field, where


MUTANTS = {
    "PAY-CUS-01": {
        "empty-customer": reads("customer", lambda sent: sent == {}, {"documentType": "cpf", "document": CPF})
            .says("An empty customer is accepted."),
        "document-type-missing": accepts("customer.documentType", is_absent, "cpf"),
    },
    "PAY-CUS-02": {
        "document-type-number": accepts("customer.documentType", is_number, "cpf"),
        "document-type-null": accepts("customer.documentType", is_null, "cpf"),
        "document-type-array": accepts("customer.documentType", is_a(list), "cpf"),
    },
    "PAY-CUS-03": {"cpf-with-leading-zero-refused": refuses("customer.document", begins_with_zero(CPF_LENGTH))},
    "PAY-CUS-04": {"cnpj-with-leading-zero-refused": refuses("customer.document", begins_with_zero(CNPJ_LENGTH))},
    "PAY-CUS-05": {
        "document-type-with-letters-behind": accepts("customer.documentType", matches("cpf.*"), "cpf")
            .says("Any text that begins with cpf is accepted as documentType."),
        "document-type-empty": accepts("customer.documentType", is_empty, "cpf"),
    },
    "PAY-CUS-07": {"document-missing": accepts("customer.document", is_absent, CPF)},
    "PAY-CUS-08": {
        "document-number": accepts("customer.document", is_number, CPF),
        "document-null": accepts("customer.document", is_null, CPF),
    },
    "PAY-CUS-09": {
        "document-with-blanks": accepts("customer.document", matches(".* .*"), CPF).says("A document may have blanks."),
        "document-with-one-point": changes_arguments("A document may have one point.", judge_document=lambda _, value: (
            value.replace(".", "") if value.count(".") == 1 else value,)),
    },
    "PAY-CUS-10": {
        "letters-of-document-removed": changes_arguments("Letters of a document are removed before it is judged.",
            read_field=without_letters),
        "cnpj-with-letters": changes_result(
            "A document of 14 characters may have letters.", judge_document=lambda _, right, value: (
                None if len(value) == CNPJ_LENGTH and value.isalnum() else right)),
        "document-in-digits-of-other-scripts": changes_result(
            "A document may have the digits of any script.", judge_document=lambda _, right, value: (
                None if value.isdigit() else right)),
    },
    "PAY-CUS-15": {"name-with-accents-refused": refuses("customer.name", lambda text: not text.isascii())
            .says("A customer's name with a letter outside ASCII is refused.")},
    "PAY-CUS-16": {
        "name-number": accepts("customer.name", is_number, "7"),
        "name-object-or-array": accepts("customer.name", is_a(dict, list), "x"),
    },
    "PAY-CUS-18": {
        "email-with-capitals-refused": refuses("customer.email", lambda text: text != text.lower())
            .says("A customer's email with capitals is refused."),
        "email-with-plus-refused": refuses("customer.email", lambda text: "+" in text)
            .says("A customer's email with a plus is refused."),
        "email-with-long-ending-refused": refuses(
            "customer.email", lambda text: not re.fullmatch(r".+\.[a-z]{2,4}", text))
            .says("A customer's email is refused if its last part has more than four letters."),
    },
    "PAY-CUS-19": {
        "email-number": accepts("customer.email", is_number, None),
        "email-array": accepts("customer.email", is_a(list), None),
    },
    "PAY-CUS-20": {"email-without-at": accepts("customer.email", matches("[^@]*"), None)
            .says("A customer's email needs no @.")},
    "PAY-CUS-21": {"phone-refused": refuses("customer.phone", is_present)},
    "PAY-CUS-22": {
        "phone-number": accepts("customer.phone", is_number, "5511987654321"),
        "phone-array-or-object": accepts("customer.phone", is_a(list, dict), None),
    },
    "PAY-CUS-24": {"billing-address-refused": refuses("customer.billingAddress", is_present)},
    "PAY-CUS-25": {
        "billing-address-string": accepts("customer.billingAddress", is_a(str), None),
        "billing-address-array": accepts("customer.billingAddress", is_a(list), None),
    },
}  # fmt: skip


@mutant("PAY-CUS-20/email-without-domain", "PAY-SPL-05")
class EmailWithoutDomain(PaymentsRules):
    """An e-mail of a customer or split needs no domain."""

    def judge_customer_email(self, value: str) -> str | None:
        return None if "@" in value else super().judge_customer_email(value)

    def judge_split_email(self, value: str) -> str | None:
        return None if "@" in value else super().judge_split_email(value)


def last_part(value: str) -> str:
    """Return an e-mail that is right if what follows the last @ is."""
    return f"x@{value.rpartition('@')[2]}" if value[:1] != "@" and "@" in value else value


@mutant("PAY-CUS-20/email-with-two-at-signs", "PAY-KEY-08")
class EmailWithTwoAt(PaymentsRules):
    """An e-mail of a customer or as a PIX key may have blanks or a second @."""

    def judge_customer_email(self, value: str) -> str | None:
        return super().judge_customer_email(last_part(value))

    def is_email_key(self, value: str) -> bool:
        return super().is_email_key(last_part(value))
