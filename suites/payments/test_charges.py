"""POST /api/v1/pix/in/qrcode creates a charge."""

from typing import Any

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@quick
@requirement("PAY-CHG-01")
def test_a_charge_of_amount_and_customer_is_created(answer_to_plain_charge: Exchange) -> None:
    """POST /api/v1/pix/in/qrcode with an amount and a customer of two fields returns 200 and an object as data."""
    expect(answer_to_plain_charge, status(200), has("data", "object"))


@requirement("PAY-CHG-01")
def test_a_charge_with_every_optional_field_is_created(payments: Payments, callback_url: CallbackUrl) -> None:
    """A charge with all optional fields together returns 200, if each of them is accepted alone."""
    optional: dict[str, Any] = {
        "customer": a_customer(
            name="Maria da Silva",
            email="player@example.com",
            phone="+5511987654321",
            billingAddress=an_address_of_brazil(),
        ),
        "description": "Order 1234",
        "postbackUrl": callback_url("every"),
        "items": [an_item(), an_item(tangible=True)],
        "splits": [a_split(company(payments))],
    }
    answer = payments.create_charge(a_charge(**optional))
    for name, value in {} if answer.ok else optional.items():
        if not (alone := payments.create_charge(a_charge(**{name: value}))).ok:
            raise NotApplicable(f"{name} is refused by itself ({alone.evidence}): see its own requirement")

    expect(answer, status(200), has("data", "object"))


@pytest.mark.generated
@requirement("PAY-CHG-01")
def test_every_valid_charge_is_created(
    payments: Payments, pending_charge: Exchange, callback_url: CallbackUrl, generation: Generation
) -> None:
    """Every generated combination of valid fields, each of which is accepted alone, creates a charge."""
    precondition(pending_charge)
    url = callback_url("generated")
    valid = valid_requests(generation, "create_charge")
    expect_accepted(
        valid, lambda request: send_valid_charge(payments, request, url), status(200), has("data", "object")
    )


@quick
@requirement("PAY-CHG-40")
def test_a_new_charge_is_pending(pending_charge: Exchange) -> None:
    """The data.status of a charge that was just created is pending."""
    charge = precondition(pending_charge, has("data.status", "string"))
    expect(charge, field("data.status", "pending"))


@requirement("PAY-CHG-40")
def test_a_new_charge_with_every_optional_field_is_pending(full_charge: Exchange) -> None:
    """The data.status of a charge that was just created with items and splits is pending."""
    expect(precondition(full_charge, has("data.status", "string")), field("data.status", "pending"))


@requirement("PAY-CHG-41")
def test_two_equal_requests_create_charges_with_different_ids(routes: Routes, pending_charge: Exchange) -> None:
    """Two equal POST /api/v1/pix/in/qrcode requests create two charges, each with an id of its own."""
    second = precondition(routes.called("create_charge"))
    expect(second, has_another_id_than(pending_charge))


@requirement("PAY-CHG-85")
def test_whether_a_charge_that_is_sent_again_is_another_one_is_noted(payments: Payments, observe: Observer) -> None:
    """A charge is created twice with one x-idempotency-key, which the document describes for transfers only."""
    body, headers = a_charge(), {"x-idempotency-key": fresh_key()}
    first = precondition(payments.create_charge(body, headers=headers), has("data.id", "string"))
    second = payments.create_charge(body, headers=headers)
    same = second.at("data.id") == first.at("data.id")
    words = f"the second request returns {second.status}" + (" and the first charge" if same else "")
    observe("PAY-CHG-85", words if same or not second.ok else f"{words} and another charge", same, first, second)
