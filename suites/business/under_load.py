"""Simultaneous users of the business charge API. `pix-load` sends the requests.

The tests of the suites that judge a whole run (`whole_run`) judge what the users were answered too.
"""

import dataclasses
from dataclasses import dataclass

import pytest

from fixtures.load import Group, UnderLoad, expect_of_each, groups, is_of_another_amount
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.whole_run
OPERATION = {"payments": "pay_charge", "cancels": "cancel_charge", "queries": "get_charge"}


@requirement("BUS-IDEM-07")
def test_requests_with_one_key_create_one_charge(under_load: UnderLoad, business: Business) -> None:
    """All equal requests of the users with one idempotency key return one id, and a list shows no second charge."""
    sent = under_load.of(Api.BUSINESS, "create_charge")
    equal = groups(sent, lambda exchange: f"{key_of(exchange.request)} {exchange.request.text}")
    listing = business.list_charges()
    expect_of_each(
        (listing, created_one_charge([group[0].request.json_object.get("external_ref", "")], group)) for group in equal
    )


@requirement("BUS-IDEM-04")
def test_a_used_key_with_another_amount_conflicts(under_load: UnderLoad) -> None:
    """A charge of another amount under the key of a charge that a user has created returns 409."""
    sent = groups(
        filter(is_decided, under_load.of(Api.BUSINESS, "create_charge")), lambda exchange: key_of(exchange.request)
    )
    others = (
        exchange for first, *more in sent for exchange in more if is_of_another_amount(exchange, first, "amount_cents")
    )
    expect_of_each((other, status(409)) for other in others)


@dataclass
class Life:
    """The requests of the users about one charge, in their order."""

    payments: Group = dataclasses.field(default_factory=list)
    cancels: Group = dataclasses.field(default_factory=list)
    queries: Group = dataclasses.field(default_factory=list)


@pytest.fixture(scope="module")
def lives(under_load: UnderLoad) -> list[Life]:
    """Return the requests about each charge that the users have created and queried."""
    created = (creation for creation in under_load.of(Api.BUSINESS, "create_charge") if creation.ok)
    by_id = {str(creation.at("id")): Life() for creation in created}
    for name in ("payments", "cancels", "queries"):
        for exchange in under_load.of(Api.BUSINESS, OPERATION[name]):
            for charge in named(exchange) & by_id.keys():
                getattr(by_id[charge], name).append(exchange)
    return [life for life in by_id.values() if life.queries]


@requirement("BUS-STATE-09")
def test_simultaneous_payments_have_one_e2e_id(lives: list[Life]) -> None:
    """The responses to several payments of one charge at the same time, and the query after them, show one e2e_id."""
    repeated = (life for life in lives if len(life.payments) > 1)
    expect_of_each((life.queries[-1], names_one_payment(life.payments)) for life in repeated)


@pytest.fixture(scope="module")
def races(lives: list[Life]) -> list[Life]:
    """Return the requests about each charge that received a payment and a cancel at once, and was decided."""
    both = (life for life in lives if life.payments and life.cancels and life.queries[:-1])
    return [life for life in both if life.queries[-2].at("status") != PENDING]


@requirement("BUS-STATE-07")
def test_a_payment_and_a_simultaneous_cancel_end_in_one_state(races: list[Life]) -> None:
    """A charge that receives a payment and a cancel at once ends as paid or canceled, and stays so."""
    expect_of_each(
        (life.queries[-1], ends_in_one_status(life.payments[0], life.cancels[0], earlier=life.queries[-2]))
        for life in races
    )


@requirement("BUS-STATE-12")
def test_a_cancel_that_was_accepted_is_not_undone_by_a_simultaneous_payment(races: list[Life]) -> None:
    """A charge that receives a payment and a cancel at once is canceled if the cancel returned a 2xx."""
    expect_of_each((life.queries[-1], field("status", "canceled")) for life in races if life.cancels[0].ok)
