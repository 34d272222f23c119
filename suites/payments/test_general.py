"""What holds for all routes: amounts, media types, repeated names, unknown paths, rate limits, unusual ids.

Unusual ids are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

import json
import re
from collections.abc import Callable
from functools import cache

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

NUMBER_OF_AMOUNT = re.compile(r'"(?:amount|netAmount|fees)"\s*:\s*(-?[0-9][0-9.eE+-]*)')


def _create_charge(payments: Payments, text: str, content_type: str = "application/json") -> Exchange:
    """POST a charge whose body is this text, under this content type; an empty one is not sent."""
    headers = {"content-type": content_type}
    return payments.call("POST", CHARGES, operation="create_charge", content=text.encode(), headers=headers)


@requirement("PAY-GEN-02")
def test_the_written_form_of_amounts_is_noted(
    pending_charge: Exchange, plain_transfer: Transfer, observe: Observer
) -> None:
    """A whole amount in a response may be written with or without a decimal point."""
    answers = [pending_charge, plain_transfer.created]
    numbers = [
        number for answer in answers for number in NUMBER_OF_AMOUNT.findall(answer.body.decode("utf-8", "replace"))
    ]
    forms = sorted({"without a fraction" if number.isdecimal() else "with a fraction" for number in numbers})
    observe("PAY-GEN-02", f"amounts are written {' and '.join(forms)}", forms, *answers)


@requirement("PAY-GEN-03")
def test_the_answer_to_a_whole_amount_with_a_decimal_point_is_noted(payments: Payments, observe: Observer) -> None:
    """JSON Schema takes 1050.0 for an integer; a service may refuse it as amountInCents."""
    text = json.dumps(a_charge(amountInCents=1050)).replace("1050", "1050.0")
    note_answers(observe, "PAY-GEN-03", {"1050.0": _create_charge(payments, text)})


@requirement("PAY-GEN-04")
def test_the_answers_to_other_media_types_are_noted(payments: Payments, observe: Observer) -> None:
    """POST of a valid JSON charge under other content types, and under none, may be accepted or refused."""
    kinds = ("", "application/x-www-form-urlencoded")
    text = json.dumps(a_charge())
    note_answers(observe, "PAY-GEN-04", {kind or "none": _create_charge(payments, text, kind) for kind in kinds})


@requirement("PAY-GEN-09")
def test_the_answer_to_a_repeated_name_in_a_body_is_noted(payments: Payments, observe: Observer) -> None:
    """POST of a charge that has amountInCents twice, with different values, may be refused."""
    text = json.dumps(a_charge(amountInCents=1050)).replace("{", '{"amountInCents": 2000, ', 1)
    note_answers(observe, "PAY-GEN-09", {"2000, then 1050": _create_charge(payments, text)})


@requirement("PAY-GEN-10")
def test_further_fields_of_responses_are_noted(
    payments: Payments,
    paid_charge: PaidCharge,
    query_of_paid_charge: Exchange,
    plain_transfer: Transfer,
    observe: Observer,
) -> None:
    """A response may have more fields than the document names; the report lists them by operation."""
    answers = [paid_charge.created, query_of_paid_charge, paid_charge.payment]
    answers += [payments.authenticate(), payments.get_balance(), plain_transfer.created]
    fields = {name: answer.evidence for answer in answers for name in undocumented_fields(answer)}
    seen = undocumented_fields_observed("PAY-GEN-10", fields)
    observe(seen.requirement, seen.words, seen.data, *answers)


@requirement("PAY-GEN-11")
def test_the_answers_to_unknown_paths_and_methods_are_noted(payments: Payments, observe: Observer) -> None:
    """An unknown path, and a known path with a method that it does not have, may be answered 404, 405 or otherwise."""
    requests = [("GET", "/api/v1/pix-conformance"), ("GET", CHARGES)]
    answers = {f"{method} {path}": payments.call(method, path) for method, path in requests}
    note_answers(observe, "PAY-GEN-11", answers)


@requirement("PAY-GEN-08")
def test_the_answers_to_null_in_optional_fields_of_a_charge_are_noted(payments: Payments, observe: Observer) -> None:
    """POST of a charge with null as the value of its optional fields may be accepted or refused; if so, each alone."""
    fields = ("description", "postbackUrl", "items", "splits")
    of_customer = ("name", "email", "phone", "billingAddress")
    item = an_item(shippingAddress=None)
    customer = a_customer(**dict.fromkeys(of_customer))
    together = payments.create_charge(a_charge(customer=customer, description=None, postbackUrl=None, items=[item]))
    alone = {
        **{f"{name} is null": a_charge(**{name: None}) for name in fields},
        **{f"customer.{name} is null": a_charge(customer=a_customer(**{name: None})) for name in of_customer},
        "items.0.shippingAddress is null": a_charge(items=[item]),
    }
    bodies = {} if together.ok else alone
    answers = {what: payments.create_charge(body) for what, body in bodies.items()}
    note_answers(observe, "PAY-GEN-08", {"every optional field is null": together, **answers})


@requirement("PAY-RATE-02", "PAY-RATE-03")
@deferred(AT_THE_END)
def test_429_responses_and_rate_limit_headers_are_noted(payments: Payments, observe: Observer) -> None:
    """The report says how often 429 was met, when requests were accepted again, and which headers tell the limit."""
    last = precondition(read_account(payments), has("data", "object"))
    headers = stored_headers(payments, ".*rate-?limit.*|retry-after")
    waits = until_accepted_again(payments)
    met = f"429 was met {len(waits)} times" if waits else "no 429 was met"
    observe("PAY-RATE-02", f"{met}; headers: {headers or 'none'}", headers, last)
    observe("PAY-RATE-03", f"{met}; accepted again: {waits}" if waits else met, waits, last)


SOME_ODD_IDS, MORE_ODD_IDS = ("200-letters", "another-script"), ("200-letters", "slash", "quote", "another-script")
SendOddId = Callable[[str, str], Exchange]


@pytest.fixture(scope="session")
def by_odd_id(payments: Payments, routes: Routes) -> SendOddId:
    """Send an operation with an id of an odd form, once a run, where it works with the id of an existing object."""

    @cache
    def send(operation: str, form: str) -> Exchange:
        precondition(routes.called(operation))
        answer: Exchange = getattr(payments, operation)(ODD_IDS[form])
        return answer

    return send


ODD_ID_CASES = [
    case(ids, row.name, form, ids, id=f"{row.name}-{form}")
    for row in operations.of(Api.PAYMENTS, Effect.SHOWS, Effect.CHANGES)
    if (ids := requirements_for(row, Question.ODD_ID) + requirements_for(row, Question.ODD_ID_NOT_FOUND))
    for form in (MORE_ODD_IDS if row.reads else SOME_ODD_IDS)
]
"""Each operation with odd ids: a query with several of them, what may change an object with two."""


@deferred(AT_THE_END)
@pytest.mark.parametrize(("operation", "form", "rules"), ODD_ID_CASES)
def test_an_unknown_id_of_another_form_is_refused(
    by_odd_id: SendOddId, operation: str, form: str, rules: tuple[str, str]
) -> None:
    """An unknown id that is long, or has a slash, quotes or Cyrillic letters, returns a 4xx, best 404."""
    answer = by_odd_id(operation, form)
    expect(answer, client_error(), of=rules[0])
    expect(answer, status(404), of=rules[1])


@deferred(AT_THE_END)
@pytest.mark.parametrize("operation", asked(operations.of(Api.PAYMENTS), Question.UNKNOWN_ID))
def test_an_unknown_id_of_40_digits_is_not_found(payments: Payments, routes: Routes, operation: str) -> None:
    """GET, payment, completion or DELETE by an unknown id of 40 digits returns 404."""
    precondition(routes.called(operation))
    expect(getattr(payments, operation)(LONGEST_PLAIN_ID), status(404))


@requirement("PAY-GEN-15", "PAY-GEN-16")
@deferred(AT_THE_END)
def test_unusual_ids_of_charges_do_no_harm(payments: Payments, pending_charge: Exchange, by_odd_id: SendOddId) -> None:
    """GET of charges by encoded dots or control characters returns no 5xx, and no odd id breaks a later GET."""
    for form in MORE_ODD_IDS:
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
    for form in MORE_ODD_IDS:
        by_odd_id("get_transfer", form)
    answers = [payments.call("GET", f"{TRANSFERS}/{id_}") for id_ in CONTROL_IDS.values()]
    expect(payments.get_transfer(plain_transfer.id), status(200), of="PAY-GEN-17")
    for answer in answers:
        expect(answer, is_no_server_error(), of="PAY-GEN-18")


@requirement("PAY-VER-01")
@pytest.mark.parametrize("route", ROUTES)
def test_a_route_of_version_1_exists(routes: Routes, route: str) -> None:
    """A valid request to a route under /api/v1 is not answered as one to an unknown path."""
    expect(routes.called(route), accepts_a_valid_request())


@requirement("PAY-VER-01")
def test_the_route_of_transfers_exists(payments: Payments) -> None:
    """An empty POST /api/v1/pix/out/pixkey is not answered 404, 405 or 501; a valid one may lack funds or a key."""
    expect(payments.create_transfer({}, key=fresh_key()), is_not_an_unknown_path())


@deferred(0)
@requirement("PAY-VER-03")
def test_headers_that_announce_a_version_or_its_end_are_noted(
    payments: Payments, routes: Routes, observe: Observer
) -> None:
    """The report lists the Deprecation, Sunset, Warning and version headers of all responses of the run."""
    last = precondition(routes.called(routes.reading), has("data", "object"))
    headers = stored_headers(payments, "deprecation|sunset|api-version|x-api-version|warning")
    observe("PAY-VER-03", f"headers seen: {headers}" if headers else "no header announces changes", headers, last)
