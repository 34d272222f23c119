"""The copy-and-paste code data.pix.emv of a charge and its image data.pix.qrCode."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

RULES = [
    case("PAY-CHG-50", "tlv", id="tlv"),
    case("PAY-CHG-50", "no_duplicates", id="no_duplicates"),
    case("PAY-CHG-51", "format_indicator", id="format_indicator"),
    case("PAY-CHG-52", "crc", id="crc"),
    case("PAY-CHG-53", "pix_template", id="pix_template"),
    case("PAY-CHG-54", "mcc", id="mcc"),
    case("PAY-CHG-55", "currency", id="currency"),
    case("PAY-CHG-57", "country", id="country"),
    case("PAY-CHG-58", "name", id="name"),
    case("PAY-CHG-58", "city", id="city"),
    case("PAY-CHG-59", "additional", id="additional"),
    case("PAY-CHG-60", "initiation", id="initiation"),
]
"""Each rule of `oracles.emv` that a code is held against."""


@quick
@pytest.mark.parametrize("emv_rule", RULES)
def test_the_code_follows_a_rule_of_its_format(pending_charge: Exchange, emv_rule: str) -> None:
    """The data.pix.emv of a charge follows one rule of the EMV format of PIX codes."""
    charge = precondition(pending_charge, has("data.pix.emv"))
    expect(charge, follows_emv_rule("data.pix.emv", emv_rule))


@requirement("PAY-CHG-81")
@pytest.mark.concurrent
def test_two_equal_requests_create_two_codes(payments: Payments) -> None:
    """Two charges of the same customer and amount, created at once, have different codes in data.pix.emv."""
    answers = repeat_concurrently(2, partial(payments.create_charge, a_charge(), group="equal-charges"))
    first, second = (precondition(answer, has("data.pix.emv", "string")) for answer in answers)
    expect(second, not_field("data.pix.emv", first.at("data.pix.emv")))


@requirement("PAY-CHG-56")
@pytest.mark.parametrize("cents", [1001, 98_765])
def test_an_amount_in_the_code_is_that_of_the_charge(payments: Payments, cents: int) -> None:
    """An amount in data.pix.emv is a decimal number and that of the charge; it may be left out or 0."""
    charge = precondition(payments.create_charge(a_charge(amountInCents=cents)), has("data.pix.emv"))
    expect(charge, follows_emv_rule("data.pix.emv", "amount_form"), has_no_other_amount("data.pix.emv", cents))


@requirement("PAY-CHG-56")
def test_an_amount_in_the_code_of_a_charge_with_every_optional_field_is_that_of_the_charge(
    full_charge: Exchange, full_charge_body: dict[str, Any]
) -> None:
    """An amount in the data.pix.emv of a charge with items and splits is the amountInCents of the charge."""
    charge = precondition(full_charge, has("data.pix.emv"))
    expect(charge, has_no_other_amount("data.pix.emv", full_charge_body["amountInCents"]))


@pytest.mark.parametrize(
    "relation",
    [
        case("PAY-CHG-43", is_an_image, id="image", quick=True),
        case("PAY-CHG-82", shows_a_qr_code, id="qr-code", quick=True),
    ],
)
def test_the_qr_code_of_a_new_charge_is_an_image_that_can_be_read(
    pending_charge: Exchange, relation: Callable[[str], Relation]
) -> None:
    """The data.pix.qrCode of a new charge is base64 of an image, of any format, with a QR code that can be read."""
    charge = precondition(pending_charge, has("data.pix.qrCode"))
    expect(charge, relation("data.pix.qrCode"))


@requirement("PAY-CHG-82")
def test_a_qr_code_can_be_read_in_the_image_of_a_queried_charge(query_of_pending_charge: Exchange) -> None:
    """The image in data.pix.qrCode that GET of a charge returns contains a QR code that can be read."""
    charge = precondition(query_of_pending_charge, has("data.pix.qrCode"))
    expect(charge, shows_a_qr_code("data.pix.qrCode"))


@requirement("PAY-CHG-44")
def test_the_image_contains_the_copy_and_paste_code(pending_charge: Exchange) -> None:
    """The QR code in the image data.pix.qrCode of a charge contains the text of its data.pix.emv."""
    charge = precondition(pending_charge, has("data.pix.qrCode"), has("data.pix.emv"))
    expect(charge, shows_the_code("data.pix.qrCode", "data.pix.emv"))


@requirement("PAY-CHG-45")
def test_the_format_of_the_image_is_noted(pending_charge: Exchange, observe: Observer) -> None:
    """Whether data.pix.qrCode is plain base64 or a data URI, and its image format, are noted."""
    charge = precondition(pending_charge, has("data.pix.qrCode"))
    head, kind = image_format(charge.at("data.pix.qrCode"))
    form = f"a data URI ({head})" if head else "base64 alone"
    observe("PAY-CHG-45", f"{form} of {kind}", {"head": head, "kind": kind}, charge)
