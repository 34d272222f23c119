"""The items of a charge."""

from typing import Any

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

GENERATED = ("PAY-ITEM-03", "PAY-ITEM-04", "PAY-ITEM-05", "PAY-ITEM-06", "PAY-ITEM-07", "PAY-ITEM-09")
"""Requirements that the generated requests break, one at a time; the rows below ask the others."""
REFUSED_ALONE = [
    case("PAY-ITEM-06", "items.0.tangible", "true", id="items.0.tangible-string"),
    case("PAY-ITEM-08", "items.0.quantity", 1.5, id="items.0.quantity-decimal"),
    case("PAY-ITEM-10", "items.0.amountInCents", "1050", id="items.0.amountInCents-string"),
    case("PAY-ITEM-11", "items.0.amountInCents", 1050.5, id="items.0.amountInCents-decimal"),
    case("PAY-ITEM-13", "items.0.shippingAddress", "Avenida Paulista", id="items.0.shippingAddress-string"),
]
REFUSED_BESIDE_A_VALID_ITEM = [
    case("PAY-ITEM-08", "items.0.quantity", "1", id="items.0.quantity-string"),
    case("PAY-ITEM-06", "items.1.tangible", None, id="items.1.tangible-null"),
]
OPEN_POINTS: dict[str, dict[str, dict[str, Any]]] = {
    "PAY-ITEM-14": {"no field": an_item(shippingAddress={})},
    "PAY-ITEM-15": {"quantity 0": an_item(quantity=0), "an item of 0 cents": an_item(amountInCents=0)},
    "PAY-ITEM-16": {"items of more than the charge": an_item(quantity=2, amountInCents=1050)},
}


@requirement("PAY-ITEM-01")
def test_two_items_are_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """Two items that add up to the charge are accepted, with amountInCents either of one piece or of all pieces.

    Each has its required fields only. One is tangible, and has a title with Portuguese letters and usual signs.
    """
    two_of_350 = an_item(amountInCents=350, quantity=2)
    two_for_700 = an_item(amountInCents=700, quantity=2)
    bread = an_item(title="Pão de açúcar Nº 1 (P/M) - 50%", tangible=True, amountInCents=350)
    answer = first_accepted(payments, [a_charge(items=[two_of_350, bread]), a_charge(items=[two_for_700, bread])])
    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-ITEM-12")
def test_a_shipping_address_is_accepted(
    payments: Payments, charge_with_one_item: Exchange, pending_charge: Exchange
) -> None:
    """An item with at least one of six usual shippingAddress objects is accepted: its fields are not documented."""
    precondition(charge_with_one_item)
    addresses = [
        an_address_of_brazil(),
        an_address_of_brazil(number=1000),
        an_address_of_brazil(zipCode="01310-100"),
        an_address_of_brazil(number=1000, zipCode="01310-100"),
        an_address_of_brazil(complement="10", country="BR"),
        {},
    ]
    answer = first_accepted(payments, [a_charge(items=[an_item(shippingAddress=address)]) for address in addresses])
    if may_concern_a_field_inside(answer, "shippingAddress"):
        raise NotApplicable("no form of shippingAddress that was tried is accepted, and its fields are not shown")

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-ITEM-02")
def test_an_item_that_is_not_an_object_is_refused(payments: Payments, charge_with_one_item: Exchange) -> None:
    """An items array with a valid item and an element that is not an object is refused with 400."""
    precondition(charge_with_one_item)
    expect(payments.create_charge(a_charge(items=[an_item(), "Ticket"])), status(400))


@pytest.mark.generated
@pytest.mark.parametrize("rule", rules(GENERATED, "PAY-ERR-08"))
def test_every_item_that_breaks_one_requirement_is_refused(
    payments: Payments, charge_with_one_item: Exchange, generation: Generation, rule: str
) -> None:
    """Every generated charge with an item that breaks exactly one requirement is refused with 400."""
    precondition(charge_with_one_item)
    expect_refusals(generation, "create_charge", rule, "PAY-ERR-08", lambda request: send_charge(payments, request))


@requirement("PAY-ERR-08")
@pytest.mark.parametrize(("path", "bad"), REFUSED_ALONE)
def test_an_item_with_one_bad_field_is_refused(
    payments: Payments, charge_with_one_item: Exchange, rule: str, path: str, bad: Any
) -> None:
    """A single item with one invalid field is refused with 400, and the message names the field."""
    precondition(charge_with_one_item)
    answer = payments.create_charge(with_field(a_charge(items=[an_item()]), path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(last_name(path)), of="PAY-ERR-08")


@requirement("PAY-ERR-08")
@pytest.mark.parametrize(("path", "bad"), REFUSED_BESIDE_A_VALID_ITEM)
def test_an_item_with_one_bad_field_beside_a_valid_one_is_refused(
    payments: Payments, body_with_two_items: dict[str, Any], rule: str, path: str, bad: Any
) -> None:
    """An item beside a valid one with one missing or invalid field is refused with 400; the message names the field."""
    answer = payments.create_charge(with_field(body_with_two_items, path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(last_name(path)), of="PAY-ERR-08")


@requirement("PAY-ITEM-17")
@pytest.mark.parametrize("number", BEYOND_A_DOUBLE.values(), ids=BEYOND_A_DOUBLE)
def test_an_item_of_an_amount_beyond_a_double_causes_no_server_error(
    payments: Payments, charge_with_one_item: Exchange, number: str
) -> None:
    """POST of an item of 1e400 cents, and of one with 40 digits, is accepted or refused, but not with a 5xx."""
    precondition(charge_with_one_item)
    content = with_number(a_charge(items=[an_item()]), "items.0.amountInCents", number)
    expect(payments.create_charge(..., content=content), is_no_server_error())


@pytest.mark.parametrize("items", [case(rule, items, id=rule) for rule, items in OPEN_POINTS.items()])
def test_the_answer_to_an_item_that_the_document_does_not_decide_is_noted(
    payments: Payments, rule: str, items: dict[str, dict[str, Any]], observe: Observer
) -> None:
    """Whether the item is accepted or refused is noted: the document does not say."""
    note_charges(observe, payments, rule, {name: a_charge(items=[item]) for name, item in items.items()})
