"""The order items of a charge (payments.md, lines 50-60)."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.bodies import with_field, without_field
from fixtures.payments.bodies import a_charge, an_address_of_brazil, an_item
from fixtures.payments.charges import (
    NAMED,
    OF_KIND,
    an_order,
    as_plain,
    first_accepted,
    leaf,
    plain_charge,
    plain_items,
    plain_order,
    wants_more,
)
from pix_conformance.checks.matchers import message_names, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, not_applicable
from pix_conformance.harness.requirement import case, requirement

LACKING = [
    case("PAY-ITEM-03", "items.1.title", id="items.1.title"),
    case("PAY-ITEM-05", "items.1.tangible", id="items.1.tangible"),
    case("PAY-ITEM-07", "items.1.quantity", id="items.1.quantity"),
    case("PAY-ITEM-09", "items.1.amountInCents", id="items.1.amountInCents"),
]
WRONG = [
    *(
        case("PAY-ITEM-04", "items.0.title", OF_KIND[kind], id=f"items.0.title-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    *(case("PAY-ITEM-04", "items.1.title", OF_KIND[kind], id=f"items.1.title-{kind}") for kind in ("null",)),
    case("PAY-ITEM-06", "items.0.tangible", "true", id="items.0.tangible-string"),
    case("PAY-ITEM-06", "items.0.tangible", 1, id="items.0.tangible-number"),
    *(
        case("PAY-ITEM-06", "items.0.tangible", OF_KIND[kind], id=f"items.0.tangible-{kind}")
        for kind in ("array", "object")
    ),
    *(case("PAY-ITEM-06", "items.1.tangible", OF_KIND[kind], id=f"items.1.tangible-{kind}") for kind in ("null",)),
    case("PAY-ITEM-08", "items.1.quantity", "1", id="items.1.quantity-string"),
    case("PAY-ITEM-08", "items.0.quantity", 1.5, id="items.0.quantity-decimal"),
    *(
        case("PAY-ITEM-08", "items.0.quantity", OF_KIND[kind], id=f"items.0.quantity-{kind}")
        for kind in ("boolean", "array", "object", "null")
    ),
    *(
        case("PAY-ITEM-10", "items.0.amountInCents", OF_KIND[kind], id=f"items.0.amountInCents-{kind}")
        for kind in ("string", "boolean", "array", "object")
    ),
    *(
        case("PAY-ITEM-10", "items.1.amountInCents", OF_KIND[kind], id=f"items.1.amountInCents-{kind}")
        for kind in ("null",)
    ),
    case("PAY-ITEM-11", "items.0.amountInCents", 1050.5, id="items.0.amountInCents-decimal"),
    *(
        case("PAY-ITEM-13", "items.0.shippingAddress", OF_KIND[kind], id=f"items.0.shippingAddress-{kind}")
        for kind in ("number", "boolean", "array")
    ),
    *(
        case("PAY-ITEM-13", "items.1.shippingAddress", OF_KIND[kind], id=f"items.1.shippingAddress-{kind}")
        for kind in ("string",)
    ),
]
NO_ITEM = ["Ticket", 1050, True, ["Ticket"], None]


@requirement("PAY-ITEM-01")
@pytest.mark.parametrize("tangible", [True, False])
def test_an_item_of_the_four_required_fields_is_accepted(payments: Payments, *, tangible: bool) -> None:
    """It adds up to the charge."""
    expect(payments.create_charge(an_order(tangible=tangible)), *as_plain(plain_charge(payments)))


@requirement("PAY-ITEM-01")
@pytest.mark.parametrize("title", ["Pão de açúcar", "Camiseta Nº 1 (P/M) - 50%"], ids=["accents", "signs"])
def test_an_item_of_any_title_is_accepted(payments: Payments, title: str) -> None:
    """A title is a text, in the letters and signs of the country."""
    expect(payments.create_charge(an_order(title=title)), *as_plain(plain_order(payments)))


@requirement("PAY-ITEM-01")
def test_two_items_are_accepted(payments: Payments) -> None:
    """They add up to the charge, whether the amount of two tickets is that of one or of both: neither is said."""
    tickets = [an_item(amountInCents=cents, quantity=2) for cents in (350, 700)]
    orders = [a_charge(items=[one, an_item(title="Cap", amountInCents=350)]) for one in tickets]
    expect(first_accepted(payments, orders), *as_plain(plain_charge(payments)))


@requirement("PAY-ITEM-02")
@pytest.mark.parametrize("element", NO_ITEM, ids=lambda one: type(one).__name__)
def test_an_item_that_is_no_object_is_refused(payments: Payments, element: Any) -> None:
    """One right item stands before it."""
    plain_order(payments)
    expect(payments.create_charge(a_charge(items=[an_item(), element])), status(400))


@requirement("PAY-ITEM-12")
def test_a_shipping_address_is_accepted(payments: Payments) -> None:
    """Its fields are not shown: those of billingAddress are tried in several forms, then more of them, then none."""
    plain_order(payments)
    more = {"complement": "10", "country": "BR"}
    known = [an_address_of_brazil(), an_address_of_brazil(number=1000), an_address_of_brazil(zipCode="01310-100")]
    known += [an_address_of_brazil(number=1000, zipCode="01310-100")]
    answer = first_accepted(payments, [an_order(shippingAddress=one) for one in [*known, {**known[0], **more}, {}]])
    if wants_more(answer, "shippingAddress"):
        raise not_applicable("no form of shippingAddress that was tried is accepted, and its fields are not shown")
    expect(answer, *as_plain(plain_charge(payments)))


@requirement(NAMED)
@pytest.mark.parametrize("path", LACKING)
def test_an_item_without_a_required_field_is_refused(payments: Payments, rule: str, path: str) -> None:
    """The item before it is right, and so is all else about the charge."""
    answer = payments.create_charge(without_field(plain_items(payments), path))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement(NAMED)
@pytest.mark.parametrize(("path", "bad"), WRONG)
def test_an_item_with_a_bad_field_is_refused(payments: Payments, rule: str, path: str, bad: Any) -> None:
    """One field of the only item, or of the second, is bad in one way, and the message names it."""
    plain_order(payments)
    order = plain_items(payments) if path.startswith("items.1.") else an_order()
    answer = payments.create_charge(with_field(order, path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement("PAY-ITEM-08")
def test_a_bad_item_before_a_good_one_is_refused(payments: Payments) -> None:
    """Every element is looked at."""
    expect(payments.create_charge(with_field(plain_items(payments), "items.0.quantity", "1")), status(400))
