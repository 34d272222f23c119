"""Mutants of PAY-CUS, the customer of a charge."""

import re
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result
from pix_conformance.proof.mutants.operators.fields import accepts, reads, refuses
from pix_conformance.proof.mutants.operators.values import (
    begins_with_zero,
    is_a,
    is_absent,
    is_empty,
    is_present,
    matches,
)
from pix_conformance.reference.fields import Field
from pix_conformance.reference.store import Row

GROUP = "validation"
CPF = "52998224725"


def without_letters(_: Any, holder: Row, field: Field, where: str) -> tuple[Row, Field, str]:
    value = holder.get(field.name)
    if field.name == "document" and isinstance(value, str):
        holder = holder | {"document": re.sub("[A-Za-z]", "", value)}
    return holder, field, where


def last_part(_: Any, value: str) -> tuple[str]:
    """Return an e-mail that is right if what follows the last @ is."""
    return (f"x@{value.rpartition('@')[2]}" if value[:1] != "@" and "@" in value else value,)


MUTANTS = {
    "PAY-CUS-01": {
        "empty-customer": reads("customer", lambda sent: sent == {}, {"documentType": "cpf", "document": CPF})
            .says("An empty customer is accepted."),
        "document-type-missing": accepts("customer.documentType", is_absent, "cpf"),
    },
    "PAY-CUS-02": {"document-type-number": accepts("customer.documentType", is_a("number"), "cpf")},
    "PAY-CUS-03": {"cpf-with-leading-zero-refused": refuses("customer.document", begins_with_zero(11))},
    "PAY-CUS-04": {"cnpj-with-leading-zero-refused": refuses("customer.document", begins_with_zero(14))},
    "PAY-CUS-05": {
        "document-type-with-letters-behind": accepts("customer.documentType", matches("cpf.*"), "cpf")
            .says("Any text that begins with cpf is accepted as documentType."),
        "document-type-empty": accepts("customer.documentType", is_empty, "cpf"),
    },
    "PAY-CUS-07": {"document-missing": accepts("customer.document", is_absent, CPF)},
    "PAY-CUS-08": {
        "document-number": accepts("customer.document", is_a("number"), CPF),
        "document-null": accepts("customer.document", is_a("null"), CPF),
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
                None if len(value) == 14 and value.isalnum() else right)),
        "document-in-digits-of-other-scripts": changes_result(
            "A document may have the digits of any script.", judge_document=lambda _, right, value: (
                None if value.isdigit() else right)),
    },
    "PAY-CUS-15": {"name-with-accents-refused": refuses("customer.name", lambda text: not text.isascii())
            .says("A customer's name with a letter outside ASCII is refused.")},
    "PAY-CUS-16": {"name-number": accepts("customer.name", is_a("number"), "7")},
    "PAY-CUS-18": {
        "email-with-capitals-refused": refuses("customer.email", lambda text: text != text.lower())
            .says("A customer's email with capitals is refused."),
        "email-with-plus-refused": refuses("customer.email", lambda text: "+" in text)
            .says("A customer's email with a plus is refused."),
        "email-with-long-ending-refused": refuses(
            "customer.email", lambda text: not re.fullmatch(r".+\.[a-z]{2,4}", text))
            .says("A customer's email is refused if its last part has more than four letters."),
    },
    "PAY-CUS-19": {"email-number": accepts("customer.email", is_a("number"), None)},
    "PAY-CUS-20": {
        "email-without-at": accepts("customer.email", matches("[^@]*"), None).says("A customer's email needs no @."),
        "email-without-domain": changes_result(
            "An e-mail of a customer or split needs no domain.",
            judge_customer_email=lambda _, right, value: None if "@" in value else right,
            judge_split_email=lambda _, right, value: None if "@" in value else right).also("PAY-SPL-05"),
        "email-with-two-at-signs": changes_arguments(
            "An e-mail of a customer or as a PIX key may have blanks or a second @.",
            judge_customer_email=last_part, is_email_key=last_part).also("PAY-KEY-08"),
    },
    "PAY-CUS-21": {"phone-refused": refuses("customer.phone", is_present)},
    "PAY-CUS-22": {
        "phone-number": accepts("customer.phone", is_a("number"), "5511987654321"),
        "phone-array-or-object": accepts("customer.phone", is_a("array", "object"), None),
    },
    "PAY-CUS-24": {"billing-address-refused": refuses("customer.billingAddress", is_present)},
    "PAY-CUS-25": {"billing-address-string": accepts("customer.billingAddress", is_a("string"), None)},
}  # fmt: skip
