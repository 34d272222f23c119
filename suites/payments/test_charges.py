"""Creating charges: the amount, the optional fields, the shape of the body."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.bodies import with_field, without_field
from fixtures.payments.bodies import a_charge, a_customer, a_split, an_address_of_brazil, an_item
from fixtures.payments.callback_urls import an_address, skip_if_host_unknown, with_suffix
from fixtures.payments.charges import (
    CREATED,
    NAMED,
    OF_KIND,
    as_plain,
    id_of,
    leaf,
    plain_charge,
)
from fixtures.payments.splits import company
from pix_conformance.checks.matchers import computed, field, has, message_names, status
from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import case, requirement

LACKING = [case("PAY-CHG-02", "amountInCents", id="amountInCents"), case("PAY-CHG-08", "customer", id="customer")]
WRONG = [
    *(
        case("PAY-CHG-03", "amountInCents", OF_KIND[kind], id=f"amountInCents-{kind}")
        for kind in ("string", "boolean", "array", "object", "null")
    ),
    *(case("PAY-CHG-04", "amountInCents", OF_KIND[kind], id=f"amountInCents-{kind}") for kind in ("decimal",)),
    case("PAY-CHG-04", "amountInCents", 1050.5, id="amountInCents-just-over"),
    case("PAY-CHG-04", "amountInCents", 1050.001, id="amountInCents-by-a-thousandth"),
    case("PAY-CHG-03", "amountInCents", [1050], id="amountInCents-number-in-an-array"),
    case("PAY-CHG-06", "amountInCents", 99, id="amountInCents-99"),
    case("PAY-CHG-06", "amountInCents", 0, id="amountInCents-zero"),
    case("PAY-CHG-06", "amountInCents", -1050, id="amountInCents-negative"),
    *(
        case("PAY-CHG-09", "customer", OF_KIND[kind], id=f"customer-{kind}")
        for kind in ("string", "number", "boolean", "array", "null")
    ),
    *(
        case("PAY-CHG-11", "description", OF_KIND[kind], id=f"description-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    *(
        case("PAY-CHG-18", "postbackUrl", OF_KIND[kind], id=f"postbackUrl-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    case("PAY-CHG-19", "postbackUrl", "no uri at all", id="postbackUrl-words"),
    case("PAY-CHG-19", "postbackUrl", "/pix-conformance", id="postbackUrl-path"),
    case("PAY-CHG-19", "postbackUrl", "example.com/pix-conformance", id="postbackUrl-no-scheme"),
    case("PAY-CHG-19", "postbackUrl", "https://exam ple.com/x", id="postbackUrl-blank"),
    *(
        case("PAY-CHG-21", "items", OF_KIND[kind], id=f"items-{kind}")
        for kind in ("string", "number", "boolean", "object")
    ),
    *(
        case("PAY-CHG-23", "splits", OF_KIND[kind], id=f"splits-{kind}")
        for kind in ("string", "number", "boolean", "object")
    ),
    case("PAY-CHG-21", "items", an_item(), id="items-item-without-array"),
]
NO_JSON = [
    pytest.param(b'{"amountInCents": 1050,', id="cut"),
    pytest.param(b"amountInCents=1050", id="form"),
    pytest.param(b"{'amountInCents': 1050}", id="single-quotes"),
]
NO_OBJECT = [
    pytest.param(b"[]", id="array"),
    pytest.param(b'"1050"', id="string"),
    pytest.param(b"1050", id="number"),
    pytest.param(b"true", id="boolean"),
    pytest.param(b"null", id="null"),
    pytest.param(b"", id="empty"),
]


@requirement("PAY-CHG-01")
def test_a_charge_of_amount_and_customer_is_created(payments: Payments) -> None:
    """Amount and a customer of two fields are all that a charge needs."""
    expect(payments.create_charge(a_charge()), *CREATED)


@requirement("PAY-CHG-01")
def test_a_charge_of_every_field_is_created(payments: Payments) -> None:
    """Each field is accepted by itself, and none excludes another."""
    customer = {"name": "Maria da Silva", "email": "player@example.com", "phone": "+5511987654321"}
    parts: dict[str, Any] = {
        "customer": a_customer(**customer, billingAddress=an_address_of_brazil()),
        "description": "Order 1234",
        "postbackUrl": an_address(payments, "every"),
        "items": [an_item(), an_item(tangible=True)],
        "splits": [a_split(company(payments))],
    }
    for name, part in parts.items():
        if not (answer := payments.create_charge(a_charge(**{name: part}))).ok:
            raise NotApplicable(f"{name} is refused by itself ({answer.evidence}): see its own requirement")
    expect(payments.create_charge(a_charge(**parts)), *CREATED)


@requirement("PAY-CHG-05")
def test_the_smallest_amount_is_accepted(payments: Payments) -> None:
    """100 cents are not below the minimum of 100."""
    expect(payments.create_charge(a_charge(amountInCents=100)), *as_plain(plain_charge(payments)))


@requirement("PAY-CHG-10")
def test_a_description_is_accepted(payments: Payments) -> None:
    """A charge may say what it is for."""
    expect(payments.create_charge(a_charge(description="Order 1234")), *as_plain(plain_charge(payments)))


@requirement("PAY-CHG-17")
def test_a_postback_address_is_accepted(payments: Payments) -> None:
    """A charge may name the https address that is told of its payment; a query is a part of a URI."""
    address = with_suffix(payments, an_address(payments, "postback"), "?charge=1")
    answer = skip_if_host_unknown(payments.create_charge(a_charge(postbackUrl=address)), address)
    expect(answer, *as_plain(plain_charge(payments)))


@requirement(NAMED)
@pytest.mark.parametrize("path", LACKING)
def test_a_charge_without_a_required_field_is_refused(payments: Payments, rule: str, path: str) -> None:
    """All else about the charge is right."""
    plain_charge(payments)
    answer = payments.create_charge(without_field(a_charge(), path))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement(NAMED)
@pytest.mark.parametrize(("path", "bad"), WRONG)
def test_a_charge_with_a_bad_field_is_refused(payments: Payments, rule: str, path: str, bad: Any) -> None:
    """One field is bad in one way, and the message names it."""
    plain_charge(payments)
    answer = payments.create_charge(with_field(a_charge(), path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement("PAY-CHG-25")
@pytest.mark.parametrize("body", NO_JSON)
def test_a_charge_body_that_is_no_json_is_refused(payments: Payments, body: bytes) -> None:
    """It is labelled as JSON all the same."""
    plain_charge(payments)
    expect(payments.create_charge(..., content=body), status(400))


@requirement("PAY-CHG-26")
@pytest.mark.parametrize("body", NO_OBJECT)
def test_a_charge_body_that_is_no_object_is_refused(payments: Payments, body: bytes) -> None:
    """Other JSON values, and no body at all, hold no charge."""
    plain_charge(payments)
    expect(payments.create_charge(..., content=body), status(400))


@requirement("PAY-CHG-26")
def test_a_charge_in_an_array_is_refused(payments: Payments) -> None:
    """An array is no object, whatever it holds."""
    plain_charge(payments)
    expect(payments.create_charge([a_charge()]), status(400))


@requirement("PAY-CHG-40")
def test_a_new_charge_is_pending(payments: Payments) -> None:
    """Creation leads to pending."""
    expect(
        precondition(payments.create_charge(a_charge()), has("data.status", "string")), field("data.status", "pending")
    )


@requirement("PAY-CHG-41")
def test_two_charges_have_different_ids(payments: Payments) -> None:
    """Equal bodies make two charges, not one."""
    first, second = plain_charge(payments), precondition(payments.create_charge(a_charge()))
    problem = f"both have the id {id_of(first)}" if id_of(first) == id_of(second) else None
    expect(second, computed("its id is another than that of an earlier charge", problem))


@requirement("PAY-CHG-23", NAMED)
def test_a_split_without_its_array_is_refused(payments: Payments) -> None:
    """It is a right one."""
    plain_charge(payments)
    answer = payments.create_charge(a_charge(splits=a_split(company(payments))))
    expect(answer, status(400), of="PAY-CHG-23")
    expect(answer, status(400), message_names("splits"), of=NAMED)
