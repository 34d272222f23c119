"""Requests by ids that no charge has: plain ones, and odd ones that a service may refuse as malformed.

They are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

import pytest

from fixtures import CONTROL_IDS, LONGEST_PLAIN_ID, ODD_IDS
from fixtures.business import create_canceled_charge, create_paid_charge, id_of
from pix_conformance.testing import *
from pix_conformance.testing.business import *

GET_RULES, CANCEL_RULES, PAY_RULES = (
    ("BUS-CHG-70", "BUS-CHG-85"),
    ("BUS-CAN-15", "BUS-CAN-18"),
    ("BUS-PAY-25", "BUS-PAY-28"),
)
"""What states that an unknown id of an odd form is refused with a 4xx, and with 404."""


@pytest.fixture(scope="session")
def canceled_charge(business: Business) -> Exchange:
    """The query of a charge that was canceled."""
    return create_canceled_charge(business)


@pytest.fixture(scope="session")
def paid_charge(business: Business) -> Exchange:
    """The query of a charge that was paid."""
    return create_paid_charge(business)


@pytest.fixture
def existing_charge(request: pytest.FixtureRequest, operation: str) -> Exchange:
    """The response that shows that the operation works with the id of an existing charge."""
    names = {"get_charge": "plain_charge", "cancel_charge": "canceled_charge", "pay_charge": "paid_charge"}
    found: Exchange = request.getfixturevalue(names[operation])
    return precondition(found)


@pytest.mark.usefixtures("existing_charge")
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "operation",
    [
        case("BUS-CHG-65", "get_charge", id="get_charge"),
        case("BUS-CAN-08", "cancel_charge", id="cancel_charge"),
        case("BUS-PAY-08", "pay_charge", id="pay_charge"),
    ],
)
def test_an_unknown_id_of_40_digits_is_not_found(business: Business, operation: str) -> None:
    """GET, cancel and pay of a charge by an unknown id of 40 digits return 404."""
    expect(getattr(business, operation)(LONGEST_PLAIN_ID), status(404))


@pytest.mark.usefixtures("existing_charge")
@deferred(AT_THE_END)
@pytest.mark.parametrize("odd_id", ODD_IDS.values(), ids=ODD_IDS)
@pytest.mark.parametrize(
    ("operation", "rules"),
    [
        case(GET_RULES, "get_charge", GET_RULES, id="get_charge"),
        case(CANCEL_RULES, "cancel_charge", CANCEL_RULES, id="cancel_charge"),
        case(PAY_RULES, "pay_charge", PAY_RULES, id="pay_charge"),
    ],
)
def test_an_unknown_id_of_another_form_is_refused(
    business: Business, operation: str, rules: tuple[str, str], odd_id: str
) -> None:
    """GET, cancel and pay of a charge by a long id, or one with unusual characters, return a 4xx, best a 404."""
    answer = getattr(business, operation)(odd_id)
    expect(answer, client_error(), of=rules[0])
    expect(answer, status(404), of=rules[1])


@requirement("BUS-GEN-15", "BUS-GEN-16")
@deferred(AT_THE_END)
def test_control_characters_in_the_id_of_a_charge_do_no_harm(business: Business, plain_charge: Exchange) -> None:
    """GET of charges by unusual ids breaks no later GET, and encoded dots and control characters cause no 5xx."""
    existing = id_of(plain_charge)
    precondition(business.get_charge(existing))
    answers = [business.call("GET", f"{CHARGES}/{one}") for one in CONTROL_IDS.values()]
    business.get_charge(ODD_IDS["200-letters"])
    expect(business.get_charge(existing), success(), of="BUS-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="BUS-GEN-16")


@pytest.mark.generated
@pytest.mark.usefixtures("existing_charge")
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "operation",
    [
        case("BUS-CHG-65", "get_charge", id="get_charge"),
        case("BUS-CAN-08", "cancel_charge", id="cancel_charge"),
        case("BUS-PAY-08", "pay_charge", id="pay_charge"),
    ],
)
def test_a_generated_id_is_not_found(business: Business, operation: str) -> None:
    """A generated request with an id of letters, digits and hyphens that no charge has returns 404."""
    for one in cases(Api.BUSINESS, operation, "positive"):
        expect(sent(business, one), status(404))
