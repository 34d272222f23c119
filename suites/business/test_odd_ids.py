"""Ids that no charge has, of forms that services seldom see (business.md, lines 104 and 180)."""

from __future__ import annotations

from functools import cache

import pytest

from fixtures.business.charges import a_canceled, a_paid, id_of, plain_charge
from fixtures.ids import STRANGE, UNUSUAL
from fixtures.odd_ids import Queried, no_server_error, queried
from pix_conformance.checks.matchers import client_error, status, success
from pix_conformance.harness.clients.business import CHARGES, Business
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement

LAST = 10_000.0
"""As the age of a harvest: asked after everything else, lest a service that breaks down spoil it."""
each_unusual = pytest.mark.parametrize("name", UNUSUAL)


@cache
def of_charges(business: Business) -> Queried:
    """Query charges by odd ids, once in a run."""
    real = id_of(plain_charge(business))
    return queried(real, business.get_charge, lambda one: business.call("GET", f"{CHARGES}/{one}"))


@deferred(LAST)
@each_unusual
@requirement("BUS-CHG-85")
def test_the_query_by_an_unusual_id_finds_nothing(business: Business, name: str) -> None:
    """GET of a charge by an id much longer than real ones returns 404."""
    expect(of_charges(business).unusual[name], status(404))


@deferred(LAST)
@each_unusual
@requirement("BUS-CHG-70")
def test_the_query_by_an_unusual_id_is_refused(business: Business, name: str) -> None:
    """GET of a charge by an id much longer than real ones returns a 4xx."""
    expect(of_charges(business).unusual[name], client_error())


@deferred(LAST)
@each_unusual
@requirement("BUS-CAN-15")
def test_an_unusual_id_cannot_be_canceled(business: Business, name: str) -> None:
    """The cancel of a charge by an id much longer than real ones returns a 4xx."""
    a_canceled(business)
    expect(business.cancel_charge(UNUSUAL[name]), client_error())


@deferred(LAST)
@each_unusual
@requirement("BUS-PAY-25")
def test_an_unusual_id_cannot_be_paid(business: Business, name: str) -> None:
    """The simulated payment of a charge by an id much longer than real ones returns a 4xx."""
    a_paid(business)
    expect(business.pay_charge(UNUSUAL[name]), client_error())


@deferred(LAST)
@pytest.mark.parametrize("name", STRANGE)
@requirement("BUS-GEN-16")
def test_a_strange_id_is_no_server_error(business: Business, name: str) -> None:
    """GET by an id with encoded slashes, dots, blanks or control characters is not answered with a 5xx."""
    answer = of_charges(business).strange[name]
    expect(answer, no_server_error(answer))


@deferred(LAST)
@requirement("BUS-GEN-15")
def test_odd_ids_do_the_service_no_harm(business: Business) -> None:
    """After all these queries the GET of a real charge succeeds as before."""
    expect(of_charges(business).afterwards, success())
