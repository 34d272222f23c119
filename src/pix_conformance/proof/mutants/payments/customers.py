"""Mutants of PAY-CUS: the customer of a charge."""

import re
from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    CNPJ_LENGTH,
    CPF_LENGTH,
    NULL,
    NUMBERS,
    Accepts,
    Refuses,
    a,
    absent,
    anything,
    begins_with_zero,
    digits,
    failing,
    passing,
    unlike,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class CustomerOfNothing(PaymentsRules):
    """An empty customer is nobody, and nobody may be charged."""

    breaks = ("PAY-CUS-01",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Put somebody in."""
        nobody = isinstance(body, dict) and body.get("customer") == {}
        somebody = {"customer": {"documentType": "cpf", "document": "52998224725"}}
        return super().read_charge({**body, **somebody} if nobody else body)


def _punctuated(value: Any) -> bool:
    return isinstance(value, str) and any(mark in value for mark in ".-/")


def _lettered(value: Any) -> bool:
    return isinstance(value, str) and any(letter.isalpha() for letter in value)


globals().update(
    family(__name__, "validation", Accepts, {
        "DocumentTypeOptional": ("A customer without documentType is taken for a person.", "PAY-CUS-01",
            passing("customer.documentType", absent, "cpf")),
        "DocumentTypeNumber": ("A documentType that is a number is taken for an index.", "PAY-CUS-02",
            passing("customer.documentType", NUMBERS, "cpf")),
        "DocumentTypeNull": ("A documentType of null is taken for a person.", "PAY-CUS-02",
            passing("customer.documentType", NULL, "cpf")),
        "DocumentTypeList": ("A documentType in an array is taken out of it.", "PAY-CUS-02",
            passing("customer.documentType", a(list), "cpf")),
        "DocumentTypeByBeginning": ("Whatever begins with cpf is accepted as documentType.", "PAY-CUS-05",
            passing("customer.documentType", lambda v: isinstance(v, str) and v.startswith("cpf"), "cpf")),
        "DocumentTypeAny": ("Any text is accepted as documentType.", "PAY-CUS-05",
            passing("customer.documentType", lambda v: isinstance(v, str) and v not in {"cpf", "cnpj"}, "cpf")),
        "DocumentTypeEmpty": ("An empty documentType is accepted.", "PAY-CUS-05",
            passing("customer.documentType", lambda value: value == "", "cpf")),
        "DocumentOptional": ("A customer without document is accepted.", "PAY-CUS-07",
            passing("customer.document", absent, "52998224725")),
        "DocumentNumber": ("A document sent as a number is written out.", "PAY-CUS-08",
            passing("customer.document", NUMBERS, "52998224725")),
        "DocumentNull": ("A document of null is accepted.", "PAY-CUS-08",
            passing("customer.document", NULL, "52998224725")),
        "DocumentOfBlanks": ("Blanks may part the digits of a document.", "PAY-CUS-09",
            passing("customer.document", lambda value: isinstance(value, str) and " " in value, "52998224725")),
        "DocumentPunctuated": ("Punctuation is taken out of a document.", "PAY-CUS-09",
            passing("customer.document", _punctuated, "52998224725")),
        "DocumentLettered": ("A document with a letter is accepted.", "PAY-CUS-10",
            passing("customer.document", _lettered, "52998224725")),
        "NameFromNumber": ("A customer's name that is a number is written out.", "PAY-CUS-16",
            passing("customer.name", NUMBERS, "7")),
        "NameFromObject": ("A customer's name may be an object of first and last.", "PAY-CUS-16",
            passing("customer.name", a(dict, list), "x")),
        "EmailFromNumber": ("A customer's email that is a number is ignored.", "PAY-CUS-19",
            passing("customer.email", NUMBERS, None)),
        "EmailFromList": ("A customer's email may be an array of addresses.", "PAY-CUS-19",
            passing("customer.email", a(list), None)),
        "EmailAnyText": ("A customer's email is not checked to be one.", "PAY-CUS-20",
            passing("customer.email", lambda value: isinstance(value, str) and "@" not in value, None)),
        "PhoneFromNumber": ("A customer's phone that is a number is written out.", "PAY-CUS-22",
            passing("customer.phone", NUMBERS, "5511987654321")),
        "PhoneFromList": ("A customer's phone may be an array or an object.", "PAY-CUS-22",
            passing("customer.phone", a(list, dict), None)),
        "AddressText": ("A billingAddress in one line of text is accepted.", "PAY-CUS-25",
            passing("customer.billingAddress", a(str), None)),
        "AddressList": ("A billingAddress that is an array of lines is accepted.", "PAY-CUS-25",
            passing("customer.billingAddress", a(list), None)),
    })
)  # fmt: skip


globals().update(
    family(__name__, "limits", Refuses, {
        "CpfWithoutZero": ("A CPF that begins with a zero is counted without it.", "PAY-CUS-03",
            failing("customer.document", begins_with_zero(CPF_LENGTH))),
        "RefusesCpf": ("Only companies can be charged.", "PAY-CUS-03 PAY-CHG-01 PAY-ENV-02",
            failing("customer.documentType", lambda value: value == "cpf")),
        "CnpjWithoutZero": ("A CNPJ that begins with a zero is counted without it.", "PAY-CUS-04",
            failing("customer.document", begins_with_zero(CNPJ_LENGTH))),
        "RefusesCnpj": ("Only persons can be charged.", "PAY-CUS-04",
            failing("customer.documentType", lambda value: value == "cnpj")),
        "RefusesLongDocument": ("A document has at most 11 digits.", "PAY-CUS-04",
            failing("customer.document", digits(CNPJ_LENGTH))),
        "NameOfAscii": ("A customer's name has letters of ASCII only.", "PAY-CUS-15",
            failing("customer.name", lambda text: not text.isascii())),
        "NameWithoutApostrophe": ("A customer's name consists of letters and blanks.", "PAY-CUS-15",
            failing("customer.name", lambda text: "'" in text)),
        "RefusesName": ("A customer with a name is refused.", "PAY-CUS-15", failing("customer.name", anything)),
        "EmailOfSmallLetters": ("A customer's email may have no capitals.", "PAY-CUS-18",
            failing("customer.email", lambda value: value != value.lower())),
        "EmailOfShortEnds": ("A customer's email ends in two to four letters.", "PAY-CUS-18",
            failing("customer.email", unlike(r".+\.[a-z]{2,4}"))),
        "EmailWithoutUnderscore": ("A customer's email may have no underscore.", "PAY-CUS-18",
            failing("customer.email", lambda text: "_" in text)),
        "RefusesEmail": ("A customer with an email is refused.", "PAY-CUS-18", failing("customer.email", anything)),
        "EmailWithoutPlus": ("A customer's email may have no plus.", "PAY-CUS-18",
            failing("customer.email", lambda value: "+" in value)),
        "RefusesPhone": ("A customer with a phone is refused.", "PAY-CUS-21", failing("customer.phone", anything)),
        "RefusesBilling": ("A customer with a billingAddress is refused.", "PAY-CUS-24",
            failing("customer.billingAddress", anything)),
        "BillingWithoutZip": ("A billingAddress may not have a zipCode.", "PAY-CUS-24",
            failing("customer.billingAddress", lambda value: "zipCode" in value)),
    })
)  # fmt: skip


class DocumentLikeANumber(PaymentsRules):
    """A document needs to be read as a number only: it may have a point in it."""

    breaks = ("PAY-CUS-09",)
    group = "validation"

    def judge_document(self, value: str) -> str | None:
        """Leave a point out."""
        return super().judge_document(value.replace(".", "", 1) if value.count(".") == 1 else value)


class DocumentDigitsOfAnyScript(PaymentsRules):
    """A document may be written with the digits of any script."""

    breaks = ("PAY-CUS-10",)
    group = "validation"

    def judge_document(self, value: str) -> str | None:
        """Ask the language what a digit is."""
        return None if value.isdigit() else super().judge_document(value)


class CompanyNumberOfLetters(PaymentsRules):
    """A document of fourteen signs may hold letters."""

    breaks = ("PAY-CUS-10",)
    group = "validation"

    def judge_document(self, value: str) -> str | None:
        """Take them."""
        return None if len(value) == CNPJ_LENGTH and value.isalnum() else super().judge_document(value)


class LeavesOutLetters(PaymentsRules):
    """Letters in a document are left out before it is read."""

    breaks = ("PAY-CUS-10",)
    group = "validation"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Keep the digits."""
        value = holder.get(field.name)
        if field.name == "document" and isinstance(value, str):
            holder = holder | {"document": re.sub("[A-Za-z]", "", value)}
        return super().read_field(holder, field, where)


class TakesEmailWithoutDomain(PaymentsRules):
    """An e-mail needs no domain."""

    breaks = ("PAY-CUS-20", "PAY-SPL-05")
    group = "validation"

    def judge_customer_email(self, value: str) -> str | None:
        """Look for the sign alone."""
        return None if "@" in value else super().judge_customer_email(value)

    def judge_split_email(self, value: str) -> str | None:
        """Look for the sign alone."""
        return None if "@" in value else super().judge_split_email(value)


class EmailsWithTwoSigns(PaymentsRules):
    """An e-mail may hold blanks or a second sign: as a key, and of a customer."""

    breaks = ("PAY-CUS-20", "PAY-KEY-08")
    group = "validation"

    def judge_customer_email(self, value: str) -> str | None:
        """Look at the last sign alone."""
        return super().judge_customer_email(f"x@{value.rpartition('@')[2]}" if value[:1] != "@" else value)

    def is_email_key(self, value: str) -> bool:
        """Look at the last sign alone."""
        return super().is_email_key(f"x@{value.rpartition('@')[2]}" if value[:1] != "@" and "@" in value else value)
