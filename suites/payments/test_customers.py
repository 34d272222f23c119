"""The customer of a charge (payments.md, lines 39-48)."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.bodies import with_field, without_field
from fixtures.payments.bodies import a_charge, a_customer, an_address_of_brazil
from fixtures.payments.charges import (
    NAMED,
    OF_KIND,
    as_plain,
    first_accepted,
    leaf,
    plain_charge,
    wants_more,
)
from pix_conformance.checks.matchers import message_names, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.oracles import pix_key

CNPJ = pix_key.cnpj(1)
CPF_FROM_0, CNPJ_FROM_0 = pix_key.from_0("cpf"), pix_key.from_0("cnpj")
ARABIC_CPF = "52998224725".translate({ord("0") + digit: 0x0660 + digit for digit in range(10)})
PHONES = ("+5511987654321", "5511987654321", "11987654321", "(11) 98765-4321")
OF_A_COMPANY = a_customer(documentType="cnpj", document=CNPJ)
ACCEPTED = [
    pytest.param(OF_A_COMPANY, marks=requirement("PAY-CUS-04"), id="cnpj"),
    pytest.param(a_customer(name="Maria da Silva"), marks=requirement("PAY-CUS-15"), id="name"),
    pytest.param(a_customer(email="maria@example.com"), marks=requirement("PAY-CUS-18"), id="email"),
    pytest.param(
        a_customer(email="maria.silva+pix-1@mail.example.com"), marks=requirement("PAY-CUS-18"), id="email-of-parts"
    ),
    pytest.param(
        a_customer(email="Maria_Silva-2@Mail-1.example.com"), marks=requirement("PAY-CUS-18"), id="email-of-signs"
    ),
    pytest.param(
        a_customer(email="maria@example.photography"), marks=requirement("PAY-CUS-18"), id="email-of-long-end"
    ),
    pytest.param(a_customer(name="João D'Ávila Conceição"), marks=requirement("PAY-CUS-15"), id="name-of-brazil"),
    pytest.param(a_customer(document=CPF_FROM_0), marks=requirement("PAY-CUS-03"), id="cpf-that-begins-with-0"),
    pytest.param(
        a_customer(documentType="cnpj", document=CNPJ_FROM_0),
        marks=requirement("PAY-CUS-04"),
        id="cnpj-that-begins-with-0",
    ),
]
LACKING = [
    case("PAY-CUS-01", "customer.documentType", id="customer.documentType"),
    case("PAY-CUS-07", "customer.document", id="customer.document"),
]
WRONG = [
    *(
        case("PAY-CUS-02", "customer.documentType", OF_KIND[kind], id=f"customer.documentType-{kind}")
        for kind in ("number", "boolean", "array", "object", "null")
    ),
    case("PAY-CUS-05", "customer.documentType", "passport", id="customer.documentType-passport"),
    case("PAY-CUS-05", "customer.documentType", "", id="customer.documentType-empty"),
    case("PAY-CUS-05", "customer.documentType", "cpfx", id="customer.documentType-one-letter-more"),
    case("PAY-CUS-08", "customer.document", 52998224725, id="customer.document-number"),
    *(
        case("PAY-CUS-08", "customer.document", OF_KIND[kind], id=f"customer.document-{kind}")
        for kind in ("boolean", "array", "object", "null")
    ),
    case("PAY-CUS-09", "customer.document", "529.982.247-25", id="customer.document-punctuated"),
    case("PAY-CUS-09", "customer.document", "529 982 247 25", id="customer.document-blanks"),
    case("PAY-CUS-09", "customer.document", "529982247.2", id="customer.document-number-with-a-point"),
    case("PAY-CUS-10", "customer.document", "5299822472a", id="customer.document-letter"),
    case("PAY-CUS-10", "customer.document", "52998224725a", id="customer.document-letter-beside-digits"),
    case("PAY-CUS-10", "customer.document", ARABIC_CPF, id="customer.document-digits-of-another-script"),
    *(
        case("PAY-CUS-16", "customer.name", OF_KIND[kind], id=f"customer.name-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    *(
        case("PAY-CUS-19", "customer.email", OF_KIND[kind], id=f"customer.email-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    case("PAY-CUS-20", "customer.email", "maria.example.com", id="customer.email-no-at"),
    case("PAY-CUS-20", "customer.email", "maria@", id="customer.email-no-domain"),
    case("PAY-CUS-20", "customer.email", "@example.com", id="customer.email-no-name"),
    case("PAY-CUS-20", "customer.email", "maria silva@example.com", id="customer.email-blank"),
    case("PAY-CUS-20", "customer.email", "maria@silva@example.com", id="customer.email-two-at"),
    case("PAY-CUS-22", "customer.phone", 5511987654321, id="customer.phone-number"),
    *(
        case("PAY-CUS-22", "customer.phone", OF_KIND[kind], id=f"customer.phone-{kind}")
        for kind in ("boolean", "array", "object")
    ),
    *(
        case("PAY-CUS-25", "customer.billingAddress", OF_KIND[kind], id=f"customer.billingAddress-{kind}")
        for kind in ("string", "number", "boolean", "array")
    ),
]


@requirement("PAY-CUS-03")
def test_a_person_is_accepted(payments: Payments) -> None:
    """As a company is."""
    company = precondition(payments.create_charge(a_charge(customer=OF_A_COMPANY)))
    expect(payments.create_charge(a_charge()), *as_plain(company))


@pytest.mark.parametrize("customer", ACCEPTED)
def test_a_right_customer_is_accepted(payments: Payments, customer: dict[str, Any]) -> None:
    """A company, and each optional text, in the form that everyone knows; a plain person is."""
    expect(payments.create_charge(a_charge(customer=customer)), *as_plain(plain_charge(payments)))


@requirement("PAY-CUS-21")
def test_a_phone_is_accepted(payments: Payments) -> None:
    """Its form is not shown: whichever is taken will do."""
    bodies = [a_charge(customer=a_customer(phone=one)) for one in PHONES]
    expect(first_accepted(payments, bodies), *as_plain(plain_charge(payments)))


@requirement("PAY-CUS-24")
def test_a_billing_address_is_accepted(payments: Payments) -> None:
    """The types of its six fields are not shown: whichever form is taken will do."""
    addresses = [an_address_of_brazil(), an_address_of_brazil(number=1000), an_address_of_brazil(zipCode="01310-100")]
    addresses += [an_address_of_brazil(number=1000, zipCode="01310-100"), an_address_of_brazil(zipCode=1_310_100)]
    addresses += [an_address_of_brazil(number=1000, zipCode=1_310_100), an_address_of_brazil(state="São Paulo")]
    answer = first_accepted(payments, [with_field(a_charge(), "customer.billingAddress", one) for one in addresses])
    if wants_more(answer, "billingAddress"):
        raise not_applicable("no form of billingAddress that was tried is accepted, and its types are not shown")
    expect(answer, *as_plain(plain_charge(payments)))


@requirement(NAMED)
@pytest.mark.parametrize("path", LACKING)
def test_a_customer_without_a_required_field_is_refused(payments: Payments, rule: str, path: str) -> None:
    """All else about the charge is right."""
    plain_charge(payments)
    answer = payments.create_charge(without_field(a_charge(), path))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement("PAY-CUS-01")
def test_an_empty_customer_is_refused(payments: Payments) -> None:
    """An object alone names no payer."""
    plain_charge(payments)
    expect(payments.create_charge(with_field(a_charge(), "customer", {})), status(400))


@requirement(NAMED)
@pytest.mark.parametrize(("path", "bad"), WRONG)
def test_a_customer_with_a_bad_field_is_refused(payments: Payments, rule: str, path: str, bad: Any) -> None:
    """One field is bad in one way, and the message names it."""
    plain_charge(payments)
    answer = payments.create_charge(with_field(a_charge(), path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement("PAY-CUS-09", NAMED)
def test_a_company_number_with_punctuation_is_refused(payments: Payments) -> None:
    """The number itself is right."""
    plain_charge(payments)
    punctuated = f"{CNPJ[:2]}.{CNPJ[2:5]}.{CNPJ[5:8]}/{CNPJ[8:12]}-{CNPJ[12:]}"
    answer = payments.create_charge(a_charge(customer=a_customer(documentType="cnpj", document=punctuated)))
    expect(answer, status(400), of="PAY-CUS-09")
    expect(answer, status(400), message_names("document"), of=NAMED)


@requirement("PAY-CUS-10", NAMED)
def test_a_company_number_that_ends_in_a_letter_is_refused(payments: Payments) -> None:
    """The last two are digits in every CNPJ, also where others may be letters."""
    plain_charge(payments)
    answer = payments.create_charge(a_charge(customer=a_customer(documentType="cnpj", document=f"{CNPJ[:-1]}X")))
    expect(answer, status(400), of="PAY-CUS-10")
    expect(answer, status(400), message_names("document"), of=NAMED)
