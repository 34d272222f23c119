"""The qr_code of a charge is an EMV payload of the central bank's form (business.md, lines 7 and 39)."""

from functools import partial

import pytest

from fixtures.business.bodies import a_charge, a_full_charge
from fixtures.business.charges import a_pending, creating, echoed, id_of, many_charges
from pix_conformance.checks.business.qr_code import first_violation, pictures
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles import emv

AMOUNTS = (29, 1005, 1999, 98_765, 100_000)
LARGE = (1_000_000, 1_234_567)


@pytest.fixture(scope="module")
def charges(business: Business) -> list[Exchange]:
    """Return creations and queries of several amounts, with and without the other fields."""
    made = [one for amount in AMOUNTS for one in echoed(business, amount_cents=amount)]
    full = precondition(creating(business, a_full_charge()))
    return [*made, full, *many_charges(business).made]


@requirement("BUS-QR-01")
def test_the_code_can_be_read_to_its_end(charges: list[Exchange]) -> None:
    """Whatever the charge."""
    expect(*first_violation(charges, "qr_code parses", emv.RULES["tlv"]))


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("format_indicator", marks=requirement("BUS-QR-02")),
        pytest.param("currency", marks=requirement("BUS-QR-05")),
        pytest.param("country", marks=requirement("BUS-QR-06")),
        pytest.param("pix_template", marks=requirement("BUS-QR-07")),
        pytest.param("no_duplicates", marks=requirement("BUS-QR-08")),
        pytest.param("mcc", marks=requirement("BUS-QR-09")),
        pytest.param("name", marks=requirement("BUS-QR-10")),
        pytest.param("city", marks=requirement("BUS-QR-11")),
        pytest.param("additional", marks=requirement("BUS-QR-12")),
        pytest.param("initiation", marks=requirement("BUS-QR-13")),
    ],
)
def test_the_code_keeps_the_rule(charges: list[Exchange], rule: str) -> None:
    """Whatever the charge."""
    expect(*first_violation(charges, f"qr_code keeps the rule {rule}", emv.RULES[rule]))


@requirement("BUS-QR-03", "BUS-QR-04")
def test_the_code_ends_in_its_crc(charges: list[Exchange]) -> None:
    """Of many codes: one in sixteen has a CRC that begins with a zero."""
    expect(*first_violation(charges, "qr_code ends in a CRC", emv.ends_in_crc), of="BUS-QR-03")
    expect(*first_violation(charges, "the CRC is right", emv.RULES["crc"]), of="BUS-QR-04")


@requirement("BUS-QR-14")
@pytest.mark.parametrize("amount", AMOUNTS)
def test_the_amount_in_the_code_is_that_of_the_charge(business: Business, amount: int) -> None:
    """Where the code states one."""
    made = echoed(business, amount_cents=amount)
    expect(*first_violation(made, "the amount is the charge's", partial(emv.amount_agrees, cents=amount)))


@requirement("BUS-QR-14")
@pytest.mark.parametrize("amount", LARGE)
def test_a_large_amount_in_the_code_is_that_of_the_charge(business: Business, amount: int) -> None:
    """Of five digits before the point, where it is accepted at all: how high amounts may be is not stated."""
    charge = creating(business, a_charge(amount_cents=amount))
    if not charge.ok:
        raise not_applicable(f"a charge of {amount} cents is not accepted")
    made = [charge, precondition(business.get_charge(id_of(charge)))]
    expect(*first_violation(made, "the amount is the charge's", partial(emv.amount_agrees, cents=amount)))


@requirement("BUS-QR-15")
def test_the_code_is_dynamic(charges: list[Exchange]) -> None:
    """It points to a payload and holds no key."""
    expect(*first_violation(charges, "qr_code is dynamic", emv.dynamic))


@requirement("BUS-QR-16")
def test_the_code_is_short_enough(charges: list[Exchange]) -> None:
    """512 characters at most, also for a charge with every field."""
    expect(*first_violation(charges, "qr_code has 512 characters at most", emv.length))


@requirement("BUS-QR-17")
def test_two_charges_have_two_codes(business: Business) -> None:
    """Of the same amount, and with the same label, so that nothing else tells them apart."""
    first, second = a_pending(business), a_pending(business)
    third = a_pending(business, external_ref=first.at("external_ref"))
    codes = [one.at("qr_code") for one in (first, second, third)]
    same = "two charges have the same qr_code" if len(set(map(str, codes))) < len(codes) else None
    expect(third, computed("its code is its own", same))


@requirement("BUS-QR-18")
def test_there_is_no_picture_of_the_code(charges: list[Exchange]) -> None:
    """No member of the answer is an image, in base64 or as a data URI."""
    found = pictures(charges[0].json)
    expect(charges[0], computed("there is no picture", f"{found[0]} is a picture" if found else None))
