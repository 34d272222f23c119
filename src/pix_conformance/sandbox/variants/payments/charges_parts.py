"""Conforming variants where PAY-CUS, PAY-ITEM and PAY-SPL are silent: customer, items and splits of a charge."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pix_conformance.reference.fields import Field
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

SIGN = r"(?:[^\W\d_]|['-])"
"""A letter, or what stands between letters of a name."""
ADDRESS = ("street", "number", "neighborhood", "city", "state", "zipCode")
STRINGS = tuple(Field(name, "string", required=True) for name in ADDRESS)


def unlike(field: str, pattern: str) -> Callable[[str, Any], bool]:
    return lambda key, value: key == field and not re.fullmatch(pattern, value)


def with_integer(name: str) -> tuple[Field, ...]:
    return tuple(Field(part, "integer" if part == name else "string") for part in ADDRESS)


def read_addresses(sentence: str, fields: tuple[Field, ...], **forms: str) -> Difference:
    """Read both addresses by a table; `forms` has patterns of some of their fields."""

    def read(_rules: Any, right: Callable[..., Any], holder: dict[str, Any], field: Field, where: str) -> Any:
        is_address = field.name in {"billingAddress", "shippingAddress"}
        return right(holder, Field(field.name, field.kind, fields=fields) if is_address else field, where)

    def complaint(_rules: Any, right: Callable[..., Any], key: str, value: Any, field: Field) -> Any:
        wrong = field.name in forms and not re.fullmatch(forms[field.name], value)
        return "has another form" if wrong else right(key, value, field)

    return overrides(sentence, read_field=read, complaint=complaint)


LINES = tuple(Field(name, "string", required=True) for name in ("line1", "line2", "postcode"))


def read_other_address(_rules: Any, holder: dict[str, Any], field: Field, where: str) -> tuple[Any, ...]:
    address = Field(field.name, field.kind, fields=LINES)
    return holder, address if field.name == "shippingAddress" else field, where


def add_up(rules: Any, read: dict[str, Any], amount: Callable[[dict[str, Any]], int]) -> None:
    items = read["items"] or []
    if items and sum(map(amount, items)) != read["amountInCents"]:
        raise rules.invalid("items", "must add up to amountInCents")


def refuse_small_shares(rules: Any, read: dict[str, Any], _: Any) -> None:
    net = read["amountInCents"] - rules.charge_fees(read["amountInCents"])
    for split in read["splits"] or []:
        if 0 < net * Decimal(split["percentage"]) / 100 < 1:
            raise rules.invalid("splits[].percentage", "must be a cent at least")


def refuse_unknown_companies(rules: Any, read: dict[str, Any], _: Any) -> None:
    for split in read.get("splits") or ():
        if rules.company(split["email"], "sandbox") is None:
            raise rules.invalid("splits[].email", "must be a company of the service")


def refuse_second_splits(rules: Any, read: dict[str, Any], *_: Any) -> None:
    named = [split["email"].lower() for split in read["splits"] or []]
    if len(set(named)) < len(named):
        raise rules.invalid("splits[].email", "must not appear twice")


def configure_no_company(_rules: Any, right: Callable[..., None], state: ServerState) -> None:
    state.accounts.split_email = ""
    right(state)


def known_shares(rules: Any, right: Callable[..., list[tuple[str, int]]], charge: Row, net: int) -> object:
    """Leave the share of an e-mail of no company with the payee."""
    return [(email, cents) for email, cents in right(charge, net) if rules.company(email, charge["environment"])]


def read_with_one_split_each(rules: Any, right: Callable[..., dict[str, Any]], body: Any) -> dict[str, Any]:
    read = right(body)
    refuse_second_splits(rules, read)
    return read


VARIANTS = {
    "PAY-CUS-06/types-in-capitals": changes_arguments("documentType may be in capitals: its case is not stated.",
        judge_document_type=lambda _rules, value: (value.lower(),),
        judge_customer=lambda _rules, payer: (payer | {"documentType": payer["documentType"].lower()},)),
    "PAY-CUS-11/check-digits-validated": setting(
        "A document with wrong check digits is refused: whether they count is not stated.",
        checks_document_digits=True).also("PAY-CUS-12", "PAY-CUS-13"),
    "PAY-CUS-11/any-length": setting("A document has any number of digits: no length is stated.",
        judge_customer=lambda _rules, _customer: None).also("PAY-CUS-12", "PAY-CUS-13"),
    "PAY-CUS-14/empty-documents": overrides(
        "An empty document is accepted: no length is stated, only that it is required.",
        judge_document=lambda _, right, value: right(value) if value else None,
        judge_customer=lambda _, right, customer: right(customer) if customer["document"] else None),
    "PAY-CUS-17/full-names": refuses_values("A name is two words of letters or more: it is the full name of the payer.",
        unlike("customer.name", rf"{SIGN}{{2,}}( {SIGN}{{2,}})+")),
    "PAY-CUS-17/three-letters": refuses_values(
        "A name begins with three letters and has no digit: its length and characters are not stated.",
        unlike("customer.name", rf"{SIGN}{{3,}}( {SIGN}+)*")),
    "PAY-CUS-17/unknown-payer-is-null": changes_result(
        "The name of a payer is null in events if the customer has none: what it is then is not stated.",
        event_payer=lambda _rules, payer, row: payer | {"name": row["payer_name"]}),
    "PAY-CUS-17/unknown-payer-is-absent": changes_result(
        "The name of a payer is absent from events if the customer has none: what it is then is not stated.",
        event_payer=lambda _rules, payer, row: {
            name: value for name, value in (payer | {"name": row["payer_name"]}).items() if value is not None}),
    "PAY-CUS-23/international-phones": refuses_values("A phone has a plus, country and area: its form is not stated.",
        unlike("customer.phone", r"\+[0-9]{8,15}")),
    "PAY-CUS-23/national-phones": refuses_values(
        "A phone is the ten or eleven digits of area and subscriber: its form is not stated.",
        unlike("customer.phone", r"[1-9][0-9]{9,10}")),
    "PAY-CUS-26/six-strings": read_addresses("An address has six strings, all required: its types are not shown.",
        STRINGS).also("PAY-ITEM-14"),
    "PAY-CUS-26/city-is-number": read_addresses(
        "The city of an address is the integer that the statistics office gave it: "
        "its types are not shown.", with_integer("city")),
    "PAY-CUS-26/house-number-is-integer": read_addresses(
        "The number of an address is an integer, a zipCode has a hyphen: types are not shown.",
        with_integer("number"), zipCode="[0-9]{5}-[0-9]{3}").also("PAY-ITEM-14"),
    "PAY-CUS-26/postal-forms": read_addresses(
        "A zipCode has eight digits, a state two capitals: the types of addresses are not shown.",
        STRINGS, zipCode="[0-9]{8}", state="[A-Z]{2}").also("PAY-ITEM-14"),
    "PAY-ITEM-14/other-shipping-address": changes_arguments(
        "shippingAddress has two lines and a postcode: its fields are not shown.", read_field=read_other_address),
    "PAY-ITEM-15/zero-refused": refuses_values(
        "A quantity or amount of an item below 1 is refused: no limit is stated.",
        lambda key, value: key in {"items[].quantity", "items[].amountInCents"} and value < 1),
    "PAY-ITEM-16/pieces-add-up": acts_after(
        "Items whose quantities times amounts are not the amount of the charge are refused: "
        "whether they must add up is not stated.",
        read_charge=lambda rules, read, _: add_up(rules, read, lambda row: row["quantity"] * row["amountInCents"])),
    "PAY-ITEM-16/lines-add-up": acts_after("Items whose amounts are not the amount of the charge are refused: "
        "whether an amount is that of one piece or of all is not stated.",
        read_charge=lambda rules, read, _: add_up(rules, read, lambda item: item["amountInCents"])),
    "PAY-SPL-14/two-decimals": changes_result(
        "A percentage with more than two decimals is refused: its precision is not stated.",
        judge_percentage=lambda _rules, complaint, value: complaint or (
            None if Decimal(value) * 100 % 1 == 0 else "must have at most two decimals")),
    "PAY-SPL-14/share-of-a-cent": acts_after(
        "A split whose share of the net amount is less than one cent is refused: "
        "what becomes of one is not stated.", read_charge=refuse_small_shares),
    "PAY-SPL-15/unknown-companies-refused": acts_after(
        "A split to an e-mail of no company is refused: a split goes to a company of the service.",
        read_charge=refuse_unknown_companies),
    "PAY-SPL-15/no-company-configured": overrides(
        "No company that receives splits is configured, and their shares stay: none must be.",
        __init__=configure_no_company, split_shares=known_shares),
    "PAY-SPL-15/one-split-each-and-unknown-shares-stay": overrides(
        "A second split to a company is refused, an unknown one gets nothing: both are open.",
        read_charge=read_with_one_split_each, split_shares=known_shares),
    "PAY-SPL-16/one-split-each": acts_after(
        "Two splits to one company are refused: whether one may have two is not stated.",
        read_charge=refuse_second_splits),
}  # fmt: skip
