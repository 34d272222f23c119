"""The qr_code of a charge is an EMV payload of the central bank's form."""

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

Responses = tuple[Exchange, Exchange]


@pytest.fixture(scope="session")
def charges(business: Business, clock: Clock, charges_by_amount: dict[int, Responses]) -> list[Exchange]:
    """Creations and queries of several amounts, a creation with every field, and the pending charges of other tests.

    They are many because one CRC in sixteen begins with a zero.
    """
    full = precondition(business.create_charge(a_full_charge(), key=fresh_key()))
    several = [response for responses in charges_by_amount.values() for response in responses]
    return [*several, full, *untouched_charges(business, clock)]


@quick
@pytest.mark.parametrize(
    "rule",
    [
        case("BUS-QR-01", "tlv", id="data-objects"),
        case("BUS-QR-02", "format_indicator", id="format-indicator"),
        case("BUS-QR-03", "ends_in_crc", id="crc-at-the-end"),
        case("BUS-QR-04", "crc", id="crc"),
        case("BUS-QR-05", "currency", id="currency-986"),
        case("BUS-QR-06", "country", id="country-BR"),
        case("BUS-QR-07", "pix_template", id="pix-template"),
        case("BUS-QR-08", "no_duplicates", id="no-id-twice"),
        case("BUS-QR-09", "mcc", id="merchant-category"),
        case("BUS-QR-10", "name", id="merchant-name"),
        case("BUS-QR-11", "city", id="merchant-city"),
        case("BUS-QR-12", "additional", id="reference-label"),
        case("BUS-QR-13", "initiation", id="point-of-initiation"),
        case("BUS-QR-15", "dynamic", id="dynamic"),
        case("BUS-QR-16", "length", id="length"),
    ],
)
def test_every_qr_code_keeps_the_rule(charges: list[Exchange], rule: str) -> None:
    """The qr_code of every charge keeps the rule of EMV and of the central bank that is named in brackets."""
    expect(first_breaking(rule, charges), qr_code_keeps(rule))


@requirement("BUS-QR-14")
@pytest.mark.parametrize("amount", AMOUNTS)
def test_the_amount_in_the_qr_code_is_that_of_the_charge(charges_by_amount: dict[int, Responses], amount: int) -> None:
    """The amount in qr_code, if it has one, is amount_cents, in the response to POST and to GET."""
    for exchange in charges_by_amount[amount]:
        expect(exchange, qr_code_has_amount(amount))


@requirement("BUS-QR-14")
@pytest.mark.parametrize("amount", [1_000_000, 1_234_567])
def test_a_large_amount_in_the_qr_code_is_that_of_the_charge(business: Business, amount: int) -> None:
    """The amount in qr_code is amount_cents also for 10,000.00 and more, where such a charge is accepted."""
    charge = business.create_charge(a_charge(amount_cents=amount), key=fresh_key())
    if not charge.ok:
        raise NotApplicable(f"a charge of {amount} cents is not accepted")
    for exchange in (charge, precondition(business.get_charge(id_of(charge)))):
        expect(exchange, qr_code_has_amount(amount))


@requirement("BUS-QR-17")
def test_charges_of_one_amount_have_different_qr_codes(business: Business) -> None:
    """Three charges of one amount, two of them with the same external_ref, have three different qr_codes."""
    first, second = create_pending_charge(business), create_pending_charge(business)
    third = create_pending_charge(business, external_ref=first.at("external_ref"))
    expect(third, has_its_own("qr_code", others=[first, second]))


@requirement("BUS-QR-18")
def test_the_response_contains_no_image(charges_by_amount: dict[int, Responses]) -> None:
    """No field of the response to POST is an image in base64, an SVG or a data URI: the client draws the QR code."""
    creation, _ = charges_by_amount[AMOUNTS[0]]
    expect(creation, has_no_image())
