"""Conforming variants where PAY-CUS is silent: the customer of a charge."""

import re
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, overrides, setting
from pix_conformance.proof.variants.common.checks import refuses_values
from pix_conformance.reference.fields import Field

SIGN = r"(?:[^\W\d_]|['-])"
"""A letter, or what stands between letters of a name."""
ADDRESS = ("street", "number", "neighborhood", "city", "state", "zipCode")
STRINGS = tuple(Field(one, "string", required=True) for one in ADDRESS)


def unlike(field: str, pattern: str) -> Callable[[str, Any], bool]:
    return lambda key, value: key == field and not re.fullmatch(pattern, value)


def with_integer(name: str) -> tuple[Field, ...]:
    return tuple(Field(one, "integer" if one == name else "string") for one in ADDRESS)


def read_addresses(sentence: str, fields: tuple[Field, ...], **forms: str) -> Difference:
    """Read both addresses by a table; `forms` has patterns of some of their fields."""

    def read(_rules: Any, right: Callable[..., Any], holder: dict[str, Any], field: Field, where: str) -> Any:
        is_address = field.name in {"billingAddress", "shippingAddress"}
        return right(holder, Field(field.name, field.kind, fields=fields) if is_address else field, where)

    def complaint(_rules: Any, right: Callable[..., Any], key: str, value: Any, field: Field) -> Any:
        wrong = field.name in forms and not re.fullmatch(forms[field.name], value)
        return "has another form" if wrong else right(key, value, field)

    return overrides(sentence, read_field=read, complaint=complaint)


VARIANTS = {
    "PAY-CUS-06": {"types-in-capitals": changes_arguments(
            "documentType may be in capitals: its case is not stated (payments.md, line 43).",
            judge_document_type=lambda _rules, value: (value.lower(),),
            judge_customer=lambda _rules, one: (one | {"documentType": one["documentType"].lower()},))},
    "PAY-CUS-11": {
        "check-digits-validated": setting(
            "A document with wrong check digits is refused: whether they count is not stated (payments.md, line 44).",
            checks_document_digits=True).also("PAY-CUS-12", "PAY-CUS-13"),
        "any-length": setting(
            "A document has any number of digits: no length is stated (payments.md, line 44).",
            judge_customer=lambda _rules, _customer: None).also("PAY-CUS-12", "PAY-CUS-13"),
    },
    "PAY-CUS-14": {"empty-documents": overrides(
            "An empty document is accepted: no length is stated, only that it is required (payments.md, line 44).",
            judge_document=lambda _, right, value: right(value) if value else None,
            judge_customer=lambda _, right, customer: right(customer) if customer["document"] else None)},
    "PAY-CUS-17": {
        "full-names": refuses_values(
            "A name is two words of letters or more: it is the full name of the payer (payments.md, line 45).",
            unlike("customer.name", rf"{SIGN}{{2,}}( {SIGN}{{2,}})+")),
        "three-letters": refuses_values(
            "A name begins with three letters and has no digit: its length and characters are not stated "
            "(payments.md, line 45).", unlike("customer.name", rf"{SIGN}{{3,}}( {SIGN}+)*")),
        "unknown-payer-is-null": changes_result(
            "The name of a payer is null in events if the customer has none: "
            "what it is then is not stated (payments.md, lines 45 and 353).",
            event_payer=lambda _rules, payer, row: payer | {"name": row["payer_name"]}),
        "unknown-payer-is-absent": changes_result(
            "The name of a payer is absent from events if the customer has none: "
            "what it is then is not stated (payments.md, lines 45 and 353).",
            event_payer=lambda _rules, payer, row: {
                name: one for name, one in (payer | {"name": row["payer_name"]}).items() if one is not None}),
    },
    "PAY-CUS-23": {
        "international-phones": refuses_values(
            "A phone has a plus, country and area: its form is not stated (payments.md, line 47).",
            unlike("customer.phone", r"\+[0-9]{8,15}")),
        "national-phones": refuses_values(
            "A phone is the ten or eleven digits of area and subscriber: its form is not stated "
            "(payments.md, line 47).", unlike("customer.phone", r"[1-9][0-9]{9,10}")),
    },
    "PAY-CUS-26": {
        "six-strings": read_addresses(
            "An address has six strings, all required: its types are not shown (payments.md, line 48).",
            STRINGS).also("PAY-ITEM-14"),
        "city-is-number": read_addresses(
            "The city of an address is the integer that the statistics office gave it: "
            "its types are not shown (payments.md, line 48).", with_integer("city")),
        "house-number-is-integer": read_addresses(
            "The number of an address is an integer, a zipCode has a hyphen: types are not shown "
            "(payments.md, line 48).", with_integer("number"), zipCode="[0-9]{5}-[0-9]{3}").also("PAY-ITEM-14"),
        "postal-forms": read_addresses(
            "A zipCode has eight digits, a state two capitals: the types of addresses are not shown "
            "(payments.md, line 48).", STRINGS, zipCode="[0-9]{8}", state="[A-Z]{2}").also("PAY-ITEM-14"),
    },
}  # fmt: skip
