"""Requests by ids that no charge has: plain ones, and odd ones that a service may refuse as malformed.

They are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

ODD_ID_RULES = [
    case(rules, row.name, rules, id=row.name)
    for row in operations.of(Api.BUSINESS)
    if (rules := requirements_of(row, Question.ODD_ID) + requirements_of(row, Question.ODD_ID_NOT_FOUND))
]
"""What states that an unknown id of an odd form is refused with a 4xx, and with 404."""


@deferred(AT_THE_END)
@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS), Question.UNKNOWN_ID))
def test_an_unknown_id_of_40_digits_is_not_found(
    business: Business, valid_requests: dict[str, Exchange], operation: str
) -> None:
    """GET, cancel and pay of a charge by an unknown id of 40 digits return 404."""
    precondition(valid_requests[operation])
    expect(getattr(business, operation)(LONGEST_PLAIN_ID), status(404))


@deferred(AT_THE_END)
@pytest.mark.parametrize("odd_id", ODD_IDS.values(), ids=ODD_IDS)
@pytest.mark.parametrize(("operation", "rules"), ODD_ID_RULES)
def test_an_unknown_id_of_another_form_is_refused(
    business: Business, valid_requests: dict[str, Exchange], operation: str, rules: tuple[str, str], odd_id: str
) -> None:
    """GET, cancel and pay of a charge by a long id, or one with unusual characters, return a 4xx, best a 404."""
    precondition(valid_requests[operation])
    answer = getattr(business, operation)(odd_id)
    expect(answer, client_error(), of=rules[0])
    expect(answer, status(404), of=rules[1])


@requirement("BUS-GEN-15", "BUS-GEN-16")
@deferred(AT_THE_END)
def test_control_characters_in_the_id_of_a_charge_do_no_harm(business: Business, plain_charge: Exchange) -> None:
    """GET of charges by unusual ids breaks no later GET, and encoded dots and control characters cause no 5xx."""
    existing = id_of(plain_charge)
    precondition(business.get_charge(existing))
    answers = [business.call("GET", f"{CHARGES}/{id_}") for id_ in CONTROL_IDS.values()]
    business.get_charge(ODD_IDS["200-letters"])
    expect(business.get_charge(existing), success(), of="BUS-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="BUS-GEN-16")


@pytest.mark.generated
@deferred(AT_THE_END)
@pytest.mark.parametrize("operation", asked(operations.of(Api.BUSINESS), Question.UNKNOWN_ID))
def test_a_generated_id_is_not_found(business: Business, valid_requests: dict[str, Exchange], operation: str) -> None:
    """A generated request with an id of letters, digits and hyphens that no charge has returns 404."""
    precondition(valid_requests[operation])
    for request in cases(Api.BUSINESS, operation, "positive"):
        expect(sent(business, request), status(404))
