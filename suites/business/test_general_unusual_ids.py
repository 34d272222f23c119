"""Requests by ids that no service gives out: very long ones, and encoded characters (business.md, 104 and 180).

They are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

from __future__ import annotations

import pytest

from fixtures.business.charges import create_canceled_charge, create_paid_charge, id_of
from fixtures.ids import ENCODED_IDS, LONG_IDS
from pix_conformance.checks.matchers import client_error, status, success
from pix_conformance.checks.relations import is_no_server_error
from pix_conformance.harness.clients.business import CHARGES, Business
from pix_conformance.harness.deferred import AT_THE_END, deferred
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.generation import cases, sent
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api

each_long_id = pytest.mark.parametrize("long_id", LONG_IDS.values(), ids=LONG_IDS)


@pytest.fixture(scope="session")
def canceled_charge(business: Business) -> Exchange:
    """The query of a charge that was canceled."""
    return create_canceled_charge(business)


@pytest.fixture(scope="session")
def paid_charge(business: Business) -> Exchange:
    """The query of a charge that was paid."""
    return create_paid_charge(business)


@requirement("BUS-CHG-70", "BUS-GEN-15")
@deferred(AT_THE_END)
@each_long_id
def test_the_query_by_a_very_long_id_is_refused(business: Business, plain_charge: Exchange, long_id: str) -> None:
    """GET of a charge by a very long id returns a 4xx, and GET of an existing charge succeeds afterwards."""
    existing = id_of(plain_charge)
    precondition(business.get_charge(existing))
    answer = business.get_charge(long_id)
    expect(business.get_charge(existing), success(), of="BUS-GEN-15")
    expect(answer, client_error(), of="BUS-CHG-70")


@requirement("BUS-CHG-85")
@deferred(AT_THE_END)
@each_long_id
def test_a_charge_with_a_very_long_id_is_not_found(business: Business, plain_charge: Exchange, long_id: str) -> None:
    """GET of a charge by a very long id returns 404."""
    precondition(plain_charge)
    expect(business.get_charge(long_id), status(404))


@requirement("BUS-CAN-15")
@deferred(AT_THE_END)
@each_long_id
def test_a_charge_with_a_very_long_id_is_not_canceled(
    business: Business, canceled_charge: Exchange, long_id: str
) -> None:
    """Cancel of a charge by a very long id returns a 4xx."""
    precondition(canceled_charge)
    expect(business.cancel_charge(long_id), client_error())


@requirement("BUS-PAY-25")
@deferred(AT_THE_END)
@each_long_id
def test_a_charge_with_a_very_long_id_is_not_paid(business: Business, paid_charge: Exchange, long_id: str) -> None:
    """The simulated payment of a charge by a very long id returns a 4xx."""
    precondition(paid_charge)
    expect(business.pay_charge(long_id), client_error())


@requirement("BUS-GEN-15", "BUS-GEN-16")
@deferred(AT_THE_END)
def test_encoded_characters_in_the_id_of_a_charge_do_no_harm(business: Business, plain_charge: Exchange) -> None:
    """GET of charges by encoded slashes, dots, blanks or control characters returns no 5xx and breaks no later GET."""
    existing = id_of(plain_charge)
    precondition(business.get_charge(existing))
    answers = [business.call("GET", f"{CHARGES}/{one}") for one in ENCODED_IDS.values()]
    expect(business.get_charge(existing), success(), of="BUS-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="BUS-GEN-16")


@pytest.mark.generated
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "operation",
    [
        case("BUS-CHG-85", "get_charge", id="get_charge"),
        case("BUS-CAN-08", "cancel_charge", id="cancel_charge"),
        case("BUS-PAY-08", "pay_charge", id="pay_charge"),
    ],
)
def test_a_generated_id_is_not_found(business: Business, plain_charge: Exchange, operation: str) -> None:
    """A generated request with an id that no charge has returns 404."""
    precondition(plain_charge)
    for one in cases(Api.BUSINESS, operation, "positive"):
        expect(sent(business, one), status(404))
