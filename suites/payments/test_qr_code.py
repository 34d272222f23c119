"""The copy-and-paste code data.pix.emv of a charge and its image data.pix.qrCode."""

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


@deferred(AT_THE_END)
@requirement("PAY-CHG-52")
def test_every_code_of_the_run_has_a_correct_crc(payments_records: Records) -> None:
    """Every code of the run ends with its CRC: a lost leading 0 shows in one code of sixteen only."""
    expect_every(payments_records.codes())


@requirement("PAY-CHG-81")
def test_two_equal_requests_create_two_codes(payments: Payments) -> None:
    """Two charges of the same customer and amount have different codes in data.pix.emv."""
    first = precondition(payments.create_charge(a_charge()), has("data.pix.emv", "string"))
    second = precondition(payments.create_charge(a_charge()), has("data.pix.emv", "string"))

    expect(second, not_field("data.pix.emv", first.at("data.pix.emv")))


@requirement("PAY-CHG-56")
@pytest.mark.parametrize("cents", [1001, 1050, 98_765])
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


@quick
@requirement("PAY-CHG-43")
def test_the_qr_code_is_an_image(pending_charge: Exchange) -> None:
    """The data.pix.qrCode of a charge is base64 of an image, of any format, that can be opened."""
    charge = precondition(pending_charge, has("data.pix.qrCode"))

    expect(charge, is_an_image("data.pix.qrCode"))


@quick
@requirement("PAY-CHG-82")
def test_a_qr_code_can_be_read_in_the_image_of_a_new_charge(pending_charge: Exchange) -> None:
    """The image in data.pix.qrCode of a new charge contains a QR code that can be read, with any text."""
    charge = precondition(pending_charge, has("data.pix.qrCode"))

    expect(charge, shows_a_qr_code("data.pix.qrCode"))


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


@deferred(AT_THE_END)
@pytest.mark.whole_run
@requirement("PAY-CHG-43")
def test_every_qr_code_of_the_run_is_an_image(payments_records: Records) -> None:
    """Each POST of a charge in the run that returns 200 returns an image as pix.qrCode."""
    expect_every(payments_records.images())


@deferred(AT_THE_END)
@pytest.mark.whole_run
@requirement("PAY-CHG-79")
def test_no_image_contains_the_code_of_another_charge(payments_records: Records) -> None:
    """The images of the three charges that were created last contain no copy-and-paste code of another charge."""
    expect_every(payments_records.foreign_images())


@deferred(AT_THE_END)
@pytest.mark.whole_run
@requirement("PAY-CHG-81")
def test_no_two_charges_of_the_run_have_the_same_code(payments_records: Records) -> None:
    """Each POST of a charge in the run that returns 200 returns a pix.emv that no earlier charge has."""
    expect_every(payments_records.repeated_codes())
