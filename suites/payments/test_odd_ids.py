"""Ids that nothing has, of forms that services seldom see (payments.md, lines 242, 249, 263, 270 and 371)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from fixtures.ids import STRANGE, UNUSUAL
from fixtures.odd_ids import Queried, no_server_error, queried
from fixtures.payments.account import LAST, account
from fixtures.payments.charges import id_of, plain_charge
from fixtures.payments.webhooks import plain_hook
from pix_conformance.checks.matchers import client_error, status
from pix_conformance.harness.clients.payments import CHARGES, TRANSFERS, Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement

each_unusual = pytest.mark.parametrize("name", UNUSUAL)


@cache
def of_charges(payments: Payments) -> Queried:
    """Query charges by odd ids, once in a run."""
    real = id_of(plain_charge(payments))
    return queried(real, payments.get_charge, lambda one: payments.call("GET", f"{CHARGES}/{one}"))


@cache
def of_transfers(payments: Payments) -> Queried:
    """Query transfers by odd ids, once in a run."""
    real = account(payments).plain_transfer.id
    return queried(real, payments.get_transfer, lambda one: payments.call("GET", f"{TRANSFERS}/{one}"))


RESOURCES = [pytest.param(of_charges, id="charge"), pytest.param(of_transfers, id="transfer")]


@deferred(LAST)
@each_unusual
@requirement("PAY-CHG-74")
def test_the_query_of_a_charge_by_an_unusual_id_finds_nothing(payments: Payments, name: str) -> None:
    """GET of a charge by an id much longer than real ones returns 404."""
    expect(of_charges(payments).unusual[name], status(404))


@deferred(LAST)
@each_unusual
@requirement("PAY-CHG-78")
def test_the_query_of_a_charge_by_an_unusual_id_is_refused(payments: Payments, name: str) -> None:
    """GET of a charge by an id much longer than real ones returns a 4xx."""
    expect(of_charges(payments).unusual[name], client_error())


@deferred(LAST)
@each_unusual
@requirement("PAY-TRF-71")
def test_the_query_of_a_transfer_by_an_unusual_id_finds_nothing(payments: Payments, name: str) -> None:
    """GET of a transfer by an id much longer than real ones returns 404."""
    expect(of_transfers(payments).unusual[name], status(404))


@deferred(LAST)
@each_unusual
@requirement("PAY-TRF-77")
def test_the_query_of_a_transfer_by_an_unusual_id_is_refused(payments: Payments, name: str) -> None:
    """GET of a transfer by an id much longer than real ones returns a 4xx."""
    expect(of_transfers(payments).unusual[name], client_error())


@deferred(LAST)
@each_unusual
@requirement("PAY-PAYS-26")
def test_an_unusual_id_cannot_be_paid(payments: Payments, name: str) -> None:
    """The pay of a charge by an id much longer than real ones returns 404."""
    precondition(account(payments).payment)
    expect(payments.pay_charge(UNUSUAL[name]), status(404))


@deferred(LAST)
@each_unusual
@requirement("PAY-CMP-27")
def test_an_unusual_id_cannot_be_completed(payments: Payments, name: str) -> None:
    """The completion of a transfer by an id much longer than real ones returns 404."""
    precondition(account(payments).completion)
    expect(payments.complete_transfer(UNUSUAL[name]), status(404))


@deferred(LAST)
@requirement("PAY-WH-64")
def test_a_number_beyond_every_webhook_is_not_removed(payments: Payments) -> None:
    """DELETE of a webhook by a number of forty digits returns 404."""
    plain_hook(payments)
    expect(payments.delete_webhook(UNUSUAL["number"]), status(404))


@deferred(LAST)
@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("name", STRANGE)
@requirement("PAY-GEN-16")
def test_a_strange_id_is_no_server_error(
    payments: Payments, resource: Callable[[Payments], Queried], name: str
) -> None:
    """GET by an id with encoded slashes, dots, blanks or control characters is not answered with a 5xx."""
    answer = resource(payments).strange[name]
    expect(answer, no_server_error(answer))


@deferred(LAST)
@pytest.mark.parametrize("resource", RESOURCES)
@requirement("PAY-GEN-15")
def test_odd_ids_do_the_service_no_harm(payments: Payments, resource: Callable[[Payments], Queried]) -> None:
    """After all these queries the GET of a real charge or transfer returns 200 as before."""
    expect(resource(payments).afterwards, status(200))
