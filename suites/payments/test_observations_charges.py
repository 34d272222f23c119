"""What the document leaves open about charges: asked and noted, never judged."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures import texts
from fixtures.bodies import with_field
from fixtures.payments.bodies import a_charge, a_customer, a_split, an_address_of_brazil
from fixtures.payments.callback_urls import a_plain_http_address
from fixtures.payments.charges import an_order
from fixtures.payments.descriptions import note_charges
from fixtures.payments.splits import UNKNOWN_COMPANY, plain_split, split
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import Observer
from pix_conformance.harness.requirement import requirement
from pix_conformance.oracles import pix_key

CPF, CNPJ = pix_key.cpf(1), pix_key.cnpj(1)
LARGE = {"2^31": 2**31, "a million millions": 10**12, "2^53 + 1": 2**53 + 1}
LONG = {
    "140 pictures beyond the basic plane": texts.astral(140),
    "70 such pictures": texts.astral(70),
    "70 letters with a combining accent": texts.combining(70),
    "140 letters with a combining accent": texts.combining(140),
}
DOCUMENTS = {
    "PAY-CUS-11": {
        "a CPF one digit short": ("cpf", CPF[:-1]),
        "a CPF one digit long": ("cpf", f"{CPF}0"),
        "a CNPJ one digit short": ("cnpj", CNPJ[:-1]),
    },
    "PAY-CUS-12": {
        "a CPF with another last digit": ("cpf", CPF[:-1] + str((int(CPF[-1]) + 1) % 10)),
        "a CNPJ with another last digit": ("cnpj", CNPJ[:-1] + str((int(CNPJ[-1]) + 1) % 10)),
    },
    "PAY-CUS-13": {"a CNPJ as cpf": ("cpf", CNPJ), "a CPF as cnpj": ("cnpj", CPF)},
    "PAY-CUS-14": {"an empty document": ("cpf", "")},
    "PAY-CUS-06": {"CPF": ("CPF", CPF), "CNPJ": ("CNPJ", CNPJ)},
}
PHONES = {
    "digits with country": "5511987654321",
    "digits without country": "11987654321",
    "punctuated": "(11) 98765-4321",
    "of another country": "+12125550100",
    "letters": "call me",
    "empty": "",
}
OPTIONAL = [
    "description", "postbackUrl", "items", "splits", "customer.name", "customer.email", "customer.phone",
    "customer.billingAddress", "items.0.shippingAddress",
]  # fmt: skip


def _customers(**changes: Any) -> dict[str, Any]:
    return a_charge(customer=a_customer(**changes))


def _null(path: str) -> dict[str, Any]:
    return with_field(an_order() if path.startswith("items.") else a_charge(), path, None)


BODIES: dict[str, dict[str, Any]] = {
    "PAY-CHG-07": {what: a_charge(amountInCents=cents) for what, cents in LARGE.items()},
    "PAY-CHG-14": {"an empty description": a_charge(description="")},
    "PAY-CHG-15": {what: a_charge(description=long) for what, long in LONG.items()},
    "PAY-CHG-22": {"no items in the array": a_charge(items=[])},
    "PAY-CHG-24": {"no splits in the array": a_charge(splits=[])},
    **{
        rule: {what: _customers(documentType=kind, document=number) for what, (kind, number) in rows.items()}
        for rule, rows in DOCUMENTS.items()
    },
    "PAY-CUS-17": {"an empty name": _customers(name=""), "a name of 1,000": _customers(name=texts.ascii_text(1_000))},
    "PAY-CUS-23": {what: _customers(phone=phone) for what, phone in PHONES.items()},
    "PAY-CUS-26": {
        "number as a number": _customers(billingAddress=an_address_of_brazil(number=1000)),
        "zipCode as a number": _customers(billingAddress=an_address_of_brazil(zipCode=1310100)),
        "a city alone": _customers(billingAddress={"city": "Sao Paulo"}),
        "no field": _customers(billingAddress={}),
    },
    "PAY-ITEM-14": {
        "the fields of billingAddress": an_order(shippingAddress=an_address_of_brazil()),
        "no field": an_order(shippingAddress={}),
    },
    "PAY-ITEM-15": {
        "quantity 0": an_order(quantity=0),
        "quantity -1": an_order(quantity=-1),
        "an item of 0 cents": an_order(amountInCents=0),
        "an item of -1050 cents": an_order(amountInCents=-1050),
    },
    "PAY-ITEM-16": {"items of more than the charge": an_order(quantity=2), "of less": an_order(amountInCents=1)},
    "PAY-SPL-15": {"a split to a stranger": a_charge(splits=[a_split(UNKNOWN_COMPANY)])},
    "PAY-GEN-07": {
        "an unknown field": a_charge(pixConformance="unknown"),
        "an unknown field of customer": _customers(pixConformance="unknown"),
    },
    "PAY-GEN-08": {f"{path} is null": _null(path) for path in OPTIONAL},
    "PAY-ERR-16": {"two faults": {"amountInCents": "1050", "customer": a_customer(documentType="passport")}},
}
ROWS = [pytest.param(rule, bodies, marks=requirement(rule), id=rule) for rule, bodies in BODIES.items()]


@pytest.mark.parametrize(("rule", "bodies"), ROWS)
def test_an_open_point_of_charges_is_noted(
    payments: Payments, rule: str, bodies: dict[str, Any], observe: Observer
) -> None:
    """Accepted or refused, both are right."""
    note_charges(observe, payments, rule, bodies)


@requirement("PAY-CHG-20")
def test_a_postback_address_of_plain_http_is_noted(payments: Payments, observe: Observer) -> None:
    """HTTPS is asked of registered webhooks only."""
    note_charges(observe, payments, "PAY-CHG-20", {"plain http": a_charge(postbackUrl=a_plain_http_address(payments))})


@requirement("PAY-SPL-14")
def test_percentages_of_more_than_two_decimals_are_noted(payments: Payments, observe: Observer) -> None:
    """Their range is stated, their precision is not."""
    plain_split(payments)
    note_charges(observe, payments, "PAY-SPL-14", {"12.345": split(payments, 12.345), "0.011": split(payments, 0.011)})


@requirement("PAY-SPL-16")
def test_two_splits_to_one_company_are_noted(payments: Payments, observe: Observer) -> None:
    """They add up to 30."""
    plain_split(payments)
    note_charges(observe, payments, "PAY-SPL-16", {"10 and 20 to one company": split(payments, 10, 20)})
