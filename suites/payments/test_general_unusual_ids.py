"""Requests by ids that no service gives out: long ones, other characters, encoded ones.

They are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

from collections.abc import Callable
from functools import cache

import pytest
from _pytest.mark.structures import ParameterSet

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

SOME_ODD_IDS = ("200-letters", "slash", "another-script")
SendOddId = Callable[[str, str], Exchange]


@pytest.fixture(scope="session")
def by_odd_id(payments: Payments, routes: Routes) -> SendOddId:
    """Send an operation with an id of an odd form, once a run, where it works with the id of an existing object."""

    @cache
    def send(operation: str, form: str) -> Exchange:
        precondition(routes.accepted(operation))
        answer: Exchange = getattr(payments, operation)(ODD_IDS[form])
        return answer

    return send


def odd_ids(question: Question) -> list[ParameterSet]:
    """Return each operation with odd ids: a query with all of them, what may change an object with some."""
    return [
        case(requirements_of(row, question), row.name, form, id=f"{row.name}-{form}")
        for row in operations.of(Api.PAYMENTS, Effect.SHOWS, Effect.CHANGES)
        if row.id_parameter
        for form in (ODD_IDS if row.reads else SOME_ODD_IDS)
    ]


@deferred(AT_THE_END)
@pytest.mark.parametrize(("operation", "form"), odd_ids(Question.ODD_ID))
def test_an_odd_id_is_refused(by_odd_id: SendOddId, operation: str, form: str) -> None:
    """An unknown id that is long, or has a slash, dots, blanks, a quote or Cyrillic letters, returns a 4xx."""
    expect(by_odd_id(operation, form), client_error())


@deferred(AT_THE_END)
@pytest.mark.parametrize(("operation", "form"), odd_ids(Question.ODD_ID_NOT_FOUND))
def test_an_odd_id_is_not_found(by_odd_id: SendOddId, operation: str, form: str) -> None:
    """An unknown id that is long, or has a slash, dots, blanks, a quote or Cyrillic letters, returns 404."""
    expect(by_odd_id(operation, form), status(404))


@deferred(AT_THE_END)
@pytest.mark.parametrize("operation", asked(operations.of(Api.PAYMENTS), Question.UNKNOWN_ID))
def test_an_unknown_id_of_40_digits_is_not_found(payments: Payments, routes: Routes, operation: str) -> None:
    """GET, payment, completion or DELETE by an unknown id of 40 digits returns 404."""
    precondition(routes.accepted(operation))
    expect(getattr(payments, operation)(LONGEST_PLAIN_ID), status(404))


@requirement("PAY-GEN-15", "PAY-GEN-16")
@deferred(AT_THE_END)
def test_unusual_ids_of_charges_do_no_harm(payments: Payments, pending_charge: Exchange, by_odd_id: SendOddId) -> None:
    """GET of charges by encoded dots or control characters returns no 5xx, and no odd id breaks a later GET."""
    for form in ODD_IDS:
        by_odd_id("get_charge", form)
    answers = [payments.call("GET", f"{CHARGES}/{id_}") for id_ in CONTROL_IDS.values()]
    expect(payments.get_charge(id_of(pending_charge)), status(200), of="PAY-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-16")


@requirement("PAY-GEN-17", "PAY-GEN-18")
@deferred(AT_THE_END)
def test_unusual_ids_of_transfers_do_no_harm(
    payments: Payments, plain_transfer: Transfer, by_odd_id: SendOddId
) -> None:
    """GET of transfers by encoded dots or control characters returns no 5xx, and no odd id breaks a later GET."""
    for form in ODD_IDS:
        by_odd_id("get_transfer", form)
    answers = [payments.call("GET", f"{TRANSFERS}/{id_}") for id_ in CONTROL_IDS.values()]
    expect(payments.get_transfer(plain_transfer.id), status(200), of="PAY-GEN-17")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-18")


@pytest.mark.generated
@deferred(AT_THE_END)
@pytest.mark.parametrize("operation", asked(operations.of(Api.PAYMENTS), Question.UNKNOWN_ID))
def test_a_generated_id_is_not_found(payments: Payments, query_of_pending_charge: Exchange, operation: str) -> None:
    """A generated request with an unknown id of plain characters returns 404."""
    precondition(query_of_pending_charge)
    for request in cases(Api.PAYMENTS, operation, "positive"):
        expect(sent(payments, request), status(404))
