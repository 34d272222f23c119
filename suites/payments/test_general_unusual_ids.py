"""Requests by ids that no service gives out: long ones, other characters, encoded ones.

They are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

import pytest

from fixtures import CONTROL_IDS, LONGEST_PLAIN_ID, ODD_IDS
from fixtures.payments import Completion, Transfer, id_of
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

of_each_odd_id = pytest.mark.parametrize("form", ODD_IDS)
of_some_odd_ids = pytest.mark.parametrize("form", ["200-letters", "slash", "another-script"])


@pytest.fixture(scope="session")
def charges_by_odd_id(payments: Payments, query_of_pending_charge: Exchange) -> dict[str, Exchange]:
    """Query a charge by an id of each odd form, where an existing one was found."""
    precondition(query_of_pending_charge)
    return {form: payments.get_charge(odd) for form, odd in ODD_IDS.items()}


@requirement("PAY-CHG-78")
@deferred(AT_THE_END)
@of_each_odd_id
def test_the_query_of_a_charge_by_an_odd_id_is_refused(charges_by_odd_id: dict[str, Exchange], form: str) -> None:
    """GET of a charge by a long id, or one with a slash, dots, blanks, a quote or Cyrillic letters, returns a 4xx."""
    expect(charges_by_odd_id[form], client_error())


@requirement("PAY-CHG-83")
@deferred(AT_THE_END)
@of_each_odd_id
def test_a_charge_with_an_odd_id_is_not_found(charges_by_odd_id: dict[str, Exchange], form: str) -> None:
    """GET of a charge by a long id, or one with a slash, dots, blanks, a quote or Cyrillic letters, returns 404."""
    expect(charges_by_odd_id[form], status(404))


@requirement("PAY-CHG-74")
@deferred(AT_THE_END)
def test_a_charge_with_an_id_of_40_digits_is_not_found(payments: Payments, query_of_pending_charge: Exchange) -> None:
    """GET of a charge by an id of 40 digits returns 404."""
    precondition(query_of_pending_charge)
    expect(payments.get_charge(LONGEST_PLAIN_ID), status(404))


@pytest.fixture(scope="session")
def transfers_by_odd_id(payments: Payments, queried_transfer: Exchange) -> dict[str, Exchange]:
    """Query a transfer by an id of each odd form, where an existing one was found."""
    precondition(queried_transfer)
    return {form: payments.get_transfer(odd) for form, odd in ODD_IDS.items()}


@requirement("PAY-TRF-77")
@deferred(AT_THE_END)
@of_each_odd_id
def test_the_query_of_a_transfer_by_an_odd_id_is_refused(transfers_by_odd_id: dict[str, Exchange], form: str) -> None:
    """GET of a transfer by a long id, or one with a slash, dots, blanks, a quote or Cyrillic letters, returns a 4xx."""
    expect(transfers_by_odd_id[form], client_error())


@requirement("PAY-TRF-88")
@deferred(AT_THE_END)
@of_each_odd_id
def test_a_transfer_with_an_odd_id_is_not_found(transfers_by_odd_id: dict[str, Exchange], form: str) -> None:
    """GET of a transfer by a long id, or one with a slash, dots, blanks, a quote or Cyrillic letters, returns 404."""
    expect(transfers_by_odd_id[form], status(404))


@requirement("PAY-TRF-71")
@deferred(AT_THE_END)
def test_a_transfer_with_an_id_of_40_digits_is_not_found(payments: Payments, queried_transfer: Exchange) -> None:
    """GET of a transfer by an id of 40 digits returns 404."""
    precondition(queried_transfer)
    expect(payments.get_transfer(LONGEST_PLAIN_ID), status(404))


@pytest.mark.usefixtures("paid_charge")
@requirement("PAY-PAYS-26")
@deferred(AT_THE_END)
def test_a_charge_with_an_id_of_40_digits_is_not_paid(payments: Payments) -> None:
    """POST /api/v1/pix/in/qrcode/{id}/pay with an id of 40 digits returns 404."""
    expect(payments.pay_charge(LONGEST_PLAIN_ID), status(404))


@pytest.mark.usefixtures("paid_charge")
@requirement("PAY-PAYS-27", "PAY-PAYS-28")
@deferred(AT_THE_END)
@of_some_odd_ids
def test_a_charge_with_an_odd_id_is_not_paid(payments: Payments, form: str) -> None:
    """POST /api/v1/pix/in/qrcode/{id}/pay with a long id, or one with a slash or Cyrillic letters, returns a 4xx."""
    answer = payments.pay_charge(ODD_IDS[form])
    expect(answer, client_error(), of="PAY-PAYS-27")
    expect(answer, status(404), of="PAY-PAYS-28")


@requirement("PAY-CMP-27")
@deferred(AT_THE_END)
def test_a_transfer_with_an_id_of_40_digits_is_not_completed(
    payments: Payments, transfer_completion: Completion
) -> None:
    """Completion of a transfer by an id of 40 digits returns 404."""
    precondition(transfer_completion.answer)
    expect(payments.complete_transfer(LONGEST_PLAIN_ID), status(404))


@requirement("PAY-CMP-28", "PAY-CMP-29")
@deferred(AT_THE_END)
@of_some_odd_ids
def test_a_transfer_with_an_odd_id_is_not_completed(
    payments: Payments, transfer_completion: Completion, form: str
) -> None:
    """Completion of a transfer by a long id, or one with a slash or Cyrillic letters, returns a 4xx."""
    precondition(transfer_completion.answer)
    answer = payments.complete_transfer(ODD_IDS[form])
    expect(answer, client_error(), of="PAY-CMP-28")
    expect(answer, status(404), of="PAY-CMP-29")


@pytest.mark.usefixtures("plain_webhook")
@requirement("PAY-WH-64")
@deferred(AT_THE_END)
def test_a_webhook_with_a_number_of_40_digits_is_not_removed(payments: Payments) -> None:
    """DELETE of a webhook by a number of 40 digits returns 404."""
    expect(payments.delete_webhook(LONGEST_PLAIN_ID), status(404))


@pytest.mark.usefixtures("charges_by_odd_id")
@requirement("PAY-GEN-15", "PAY-GEN-16")
@deferred(AT_THE_END)
def test_unusual_ids_of_charges_do_no_harm(payments: Payments, pending_charge: Exchange) -> None:
    """GET of charges by encoded dots or control characters returns no 5xx, and no odd id breaks a later GET."""
    answers = [payments.call("GET", f"{CHARGES}/{one}") for one in CONTROL_IDS.values()]
    expect(payments.get_charge(id_of(pending_charge)), status(200), of="PAY-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-16")


@pytest.mark.usefixtures("transfers_by_odd_id")
@requirement("PAY-GEN-17", "PAY-GEN-18")
@deferred(AT_THE_END)
def test_unusual_ids_of_transfers_do_no_harm(payments: Payments, plain_transfer: Transfer) -> None:
    """GET of transfers by encoded dots or control characters returns no 5xx, and no odd id breaks a later GET."""
    answers = [payments.call("GET", f"{TRANSFERS}/{one}") for one in CONTROL_IDS.values()]
    expect(payments.get_transfer(plain_transfer.id), status(200), of="PAY-GEN-17")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-18")


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
    """A generated request with an unknown id of plain characters returns 404."""
    for one in cases(Api.PAYMENTS, operation, "positive"):
        expect(sent(payments, one), status(404))
