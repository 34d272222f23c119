"""Requests by ids that no service gives out: very long ones, and encoded characters (payments.md, 242-270 and 371).

They are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

from __future__ import annotations

import pytest

from fixtures.ids import ENCODED_IDS, LONG_IDS
from fixtures.payments.charges import id_of
from fixtures.payments.completions import Completion
from fixtures.payments.transfers import Transfer
from pix_conformance.checks.matchers import client_error, status
from pix_conformance.checks.relations import is_no_server_error
from pix_conformance.harness.clients.payments import CHARGES, TRANSFERS, Payments
from pix_conformance.harness.deferred import AT_THE_END, deferred
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.generation import cases, sent
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api

each_long_id = pytest.mark.parametrize("long_id", LONG_IDS.values(), ids=LONG_IDS)


@pytest.fixture(scope="session", params=list(LONG_IDS.values()), ids=list(LONG_IDS))
def charge_by_long_id(
    request: pytest.FixtureRequest, payments: Payments, query_of_pending_charge: Exchange
) -> Exchange:
    """Query a charge by a very long id, where an existing one was found."""
    precondition(query_of_pending_charge)
    return payments.get_charge(request.param)


@requirement("PAY-CHG-78")
@deferred(AT_THE_END)
def test_the_query_of_a_charge_by_a_very_long_id_is_refused(charge_by_long_id: Exchange) -> None:
    """GET of a charge by an id of 40 digits or 200 letters returns a 4xx."""
    expect(charge_by_long_id, client_error())


@requirement("PAY-CHG-74")
@deferred(AT_THE_END)
def test_a_charge_with_a_very_long_id_is_not_found(charge_by_long_id: Exchange) -> None:
    """GET of a charge by an id of 40 digits or 200 letters returns 404."""
    expect(charge_by_long_id, status(404))


@pytest.mark.usefixtures("charge_by_long_id")
@requirement("PAY-GEN-15")
@deferred(AT_THE_END)
def test_a_query_by_a_very_long_id_does_not_break_that_of_a_charge(
    payments: Payments, pending_charge: Exchange
) -> None:
    """GET of an existing charge returns 200 after GET by a very long id."""
    expect(payments.get_charge(id_of(pending_charge)), status(200))


@pytest.fixture(scope="session", params=list(LONG_IDS.values()), ids=list(LONG_IDS))
def transfer_by_long_id(request: pytest.FixtureRequest, payments: Payments, queried_transfer: Exchange) -> Exchange:
    """Query a transfer by a very long id, where an existing one was found."""
    precondition(queried_transfer)
    return payments.get_transfer(request.param)


@requirement("PAY-TRF-77")
@deferred(AT_THE_END)
def test_the_query_of_a_transfer_by_a_very_long_id_is_refused(transfer_by_long_id: Exchange) -> None:
    """GET of a transfer by an id of 40 digits or 200 letters returns a 4xx."""
    expect(transfer_by_long_id, client_error())


@requirement("PAY-TRF-71")
@deferred(AT_THE_END)
def test_a_transfer_with_a_very_long_id_is_not_found(transfer_by_long_id: Exchange) -> None:
    """GET of a transfer by an id of 40 digits or 200 letters returns 404."""
    expect(transfer_by_long_id, status(404))


@pytest.mark.usefixtures("transfer_by_long_id")
@requirement("PAY-GEN-15")
@deferred(AT_THE_END)
def test_a_query_by_a_very_long_id_does_not_break_that_of_a_transfer(
    payments: Payments, plain_transfer: Transfer
) -> None:
    """GET of an existing transfer returns 200 after GET by a very long id."""
    expect(payments.get_transfer(plain_transfer.id), status(200))


@pytest.mark.usefixtures("paid_charge")
@requirement("PAY-PAYS-26")
@deferred(AT_THE_END)
@each_long_id
def test_a_charge_with_a_very_long_id_is_not_paid(payments: Payments, long_id: str) -> None:
    """POST /api/v1/pix/in/qrcode/{id}/pay with a very long id returns 404."""
    expect(payments.pay_charge(long_id), status(404))


@requirement("PAY-CMP-27")
@deferred(AT_THE_END)
@each_long_id
def test_a_transfer_with_a_very_long_id_is_not_completed(
    payments: Payments, transfer_completion: Completion, long_id: str
) -> None:
    """Completion of a transfer by a very long id returns 404."""
    precondition(transfer_completion.answer)
    expect(payments.complete_transfer(long_id), status(404))


@pytest.mark.usefixtures("plain_webhook")
@requirement("PAY-WH-64")
@deferred(AT_THE_END)
def test_a_webhook_with_a_number_of_40_digits_is_not_removed(payments: Payments) -> None:
    """DELETE of a webhook by a number of 40 digits returns 404."""
    expect(payments.delete_webhook("9" * 40), status(404))


@requirement("PAY-GEN-15", "PAY-GEN-16")
@deferred(AT_THE_END)
def test_encoded_characters_in_the_id_of_a_charge_do_no_harm(payments: Payments, pending_charge: Exchange) -> None:
    """GET of charges by encoded slashes, dots, blanks or control characters returns no 5xx and breaks no later GET."""
    precondition(payments.get_charge(id_of(pending_charge)))
    answers = [payments.call("GET", f"{CHARGES}/{one}") for one in ENCODED_IDS.values()]
    expect(payments.get_charge(id_of(pending_charge)), status(200), of="PAY-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-16")


@requirement("PAY-GEN-15", "PAY-GEN-16")
@deferred(AT_THE_END)
def test_encoded_characters_in_the_id_of_a_transfer_do_no_harm(payments: Payments, plain_transfer: Transfer) -> None:
    """GET of transfers by encoded slashes, dots or control characters returns no 5xx and breaks no later GET."""
    precondition(payments.get_transfer(plain_transfer.id))
    answers = [payments.call("GET", f"{TRANSFERS}/{one}") for one in ENCODED_IDS.values()]
    expect(payments.get_transfer(plain_transfer.id), status(200), of="PAY-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-16")


@pytest.mark.generated
@deferred(AT_THE_END)
@pytest.mark.usefixtures("query_of_pending_charge")
@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-CHG-74", "get_charge", id="get_charge"),
        case("PAY-PAYS-26", "pay_charge", id="pay_charge"),
        case("PAY-TRF-71", "get_transfer", id="get_transfer"),
        case("PAY-CMP-27", "complete_transfer", id="complete_transfer"),
        case("PAY-WH-64", "delete_webhook", id="delete_webhook"),
    ],
)
def test_a_generated_id_is_not_found(payments: Payments, operation: str) -> None:
    """A generated request with an id that no charge, transfer or webhook has returns 404."""
    for one in cases(Api.PAYMENTS, operation, "positive"):
        expect(sent(payments, one), status(404))
