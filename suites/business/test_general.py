"""What holds for all routes and what the document leaves open of them, and requests by unusual ids.

Unusual ids are sent at the end of the run, so that a service that breaks down of them spoils no other test.
"""

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

PAYOUTS = "/v1/business/payouts"
IN_WORDS = {"pay_charge": "a payment", "cancel_charge": "a cancel"}


@requirement("BUS-GEN-03")
def test_a_path_that_no_route_has_is_no_server_error(business: Business, valid_requests: dict[str, Exchange]) -> None:
    """GET on a path below a route that has none there is not answered with a 5xx."""
    precondition(valid_requests["list_charges"])
    expect(business.call("GET", "/v1/business/finance/pix-conformance"), is_no_server_error())


@pytest.mark.parametrize(
    ("operation", "rules"),
    [
        case(("BUS-PAY-02", "BUS-PAY-03"), "pay_charge", ("BUS-PAY-02", "BUS-PAY-03"), id="pay"),
        case(("BUS-CAN-02", "BUS-CAN-03"), "cancel_charge", ("BUS-CAN-02", "BUS-CAN-03"), id="cancel"),
    ],
)
def test_a_change_needs_no_body(
    business: Business,
    valid_requests: dict[str, Exchange],
    operation: str,
    rules: tuple[str, str],
    observe: Observer,
) -> None:
    """A payment and a cancel without a body succeed; what is refused with an empty body too is another question."""
    change, answer = getattr(business, operation), valid_requests[operation]
    observe(rules[1], f"{IN_WORDS[operation]} answers {describe_status(answer)}", answer.status, answer)
    if not answer.ok:
        precondition(change(id_of(create_pending_charge(business)), json={}))
    expect(answer, success(), of=rules[0])


@requirement("BUS-GEN-04")
@deferred()
def test_limits_of_rate_are_noted(business: Business, valid_requests: dict[str, Exchange], observe: Observer) -> None:
    """The 429 responses of the run, and headers about a rate limit, show whether the service limits requests."""
    precondition(valid_requests["list_charges"])
    refusals, headers = refusals_for_rate(business), headers_seen(business, "ratelimit", "rate-limit", "retry-after")
    words = f"{refusals} answers were 429; headers about rate: {', '.join(headers) or 'none'}"
    observe("BUS-GEN-04", words, {"refusals": refusals, "headers": headers})


@requirement("BUS-GEN-05")
@pytest.mark.parametrize("operation", ["get_charge", "get_finance"])
def test_further_fields_of_responses_are_noted(
    valid_requests: dict[str, Exchange], operation: str, observe: Observer
) -> None:
    """A charge, and the response of GET /v1/business/finance, may have more fields than the document names."""
    answer = valid_requests[operation]
    extra = sorted(set(precondition(answer).json) - set(documented_fields(operation)))
    observe("BUS-GEN-05", f"{operation} has beyond the table: {', '.join(extra) or 'nothing'}", extra, answer)


@requirement("BUS-GEN-06", "BUS-GEN-03")
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/business/nowhere"), ("DELETE", CHARGES)])
def test_the_answers_to_unknown_paths_and_methods_are_noted(
    business: Business, valid_requests: dict[str, Exchange], method: str, path: str, observe: Observer
) -> None:
    """An unknown path, and one with a method that it does not have, may be answered otherwise than 404, but no 5xx."""
    answer = business.call(method, path)
    observe("BUS-GEN-06", f"{method} {path}: {describe_status(answer)}", answer.status, answer)
    precondition(valid_requests["list_charges"])
    expect(answer, is_no_server_error(), of="BUS-GEN-03")


@requirement("BUS-GEN-07", "BUS-GEN-08")
def test_a_payout_is_not_accepted(business: Business, valid_requests: dict[str, Exchange], observe: Observer) -> None:
    """POST of an amount and a key on /v1/business/payouts does not succeed, with 404, 405, 501 or otherwise."""
    body = {"amount_cents": 1, "pix_key": "player@example.com"}
    payout = business.call("POST", PAYOUTS, json=body, headers={"idempotency-key": fresh_key()})
    observe("BUS-GEN-08", f"POST {PAYOUTS}: {describe_status(payout)}", payout.status, payout)
    precondition(valid_requests["list_charges"])
    expect(payout, does_not_succeed(), of="BUS-GEN-07")


@requirement("BUS-GEN-17", "BUS-GEN-08")
def test_payouts_cannot_be_read(business: Business, valid_requests: dict[str, Exchange], observe: Observer) -> None:
    """GET on /v1/business/payouts does not succeed; it may be answered 404, 405, 501 or otherwise."""
    payouts = business.call("GET", PAYOUTS)
    observe("BUS-GEN-08", f"GET {PAYOUTS}: {describe_status(payouts)}", payouts.status, payouts)
    precondition(valid_requests["list_charges"])
    expect(payouts, does_not_succeed(), of="BUS-GEN-17")


ODD_IDS_OF_CHANGES = ("200-letters", "dots", "blank")
"""Those that a payment and a cancel are asked too: what looks a charge up is asked all of them by a query."""
ODD_ID_RULES = [
    case(rules, row.name, rules, ODD_IDS[what], id=f"{row.name}-{what}")
    for row in operations.of(Api.BUSINESS)
    if (rules := requirements_for(row, Question.ODD_ID) + requirements_for(row, Question.ODD_ID_NOT_FOUND))
    for what in (ODD_IDS_OF_CHANGES if row.name in CHANGES else ODD_IDS)
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
@pytest.mark.parametrize(("operation", "rules", "odd_id"), ODD_ID_RULES)
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
def test_control_characters_in_the_id_of_a_charge_do_no_harm(
    business: Business, plain_charge: Exchange, valid_requests: dict[str, Exchange]
) -> None:
    """GET of charges by encoded dots and control characters breaks no later GET, and causes no 5xx."""
    precondition(valid_requests["get_charge"])
    answers = [business.call("GET", f"{CHARGES}/{id_}") for id_ in CONTROL_IDS.values()]
    expect(business.get_charge(id_of(plain_charge)), success(), of="BUS-GEN-15")
    for answer in answers:
        expect(answer, is_no_server_error(), of="BUS-GEN-16")


@pytest.mark.whole_run
@deferred(AT_THE_END)
@requirement("BUS-GEN-18")
def test_every_route_responds(business: Business) -> None:
    """Each route responds to one of its requests at least, if others did within 10 s of three or more of them."""
    expect_every(unanswered_routes(business.sender.whole_run.exchanges, Api.BUSINESS))


@pytest.mark.whole_run
@deferred(AT_THE_END)
@requirement("BUS-GEN-19")
def test_no_route_drops_a_request(business: Business) -> None:
    """No request loses its connection without a response twice in a row, while another responds within 10 s of it."""
    expect_every(dropped_requests(business.sender.whole_run.exchanges, Api.BUSINESS))


@pytest.mark.whole_run
@quick
@deferred(AT_THE_END)
@requirement("BUS-GEN-20")
def test_the_service_still_responds_at_the_end(business: Business) -> None:
    """GET of the list of charges is answered at the end of the run, after all that was sent in it."""
    # A target that has stopped fails here by `session.stopped_target`.
    expect(precondition(business.list_charges()), is_not_the_last_response([]))


@requirement("BUS-VER-01")
def test_the_route_of_creations_exists(business: Business) -> None:
    """A valid creation under /v1/business is not answered 404, 405, 410 or 501."""
    expect(send_valid_request(business, "create_charge", ""), route_exists())


@requirement("BUS-VER-01")
@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name != "create_charge"])
def test_each_route_exists_under_v1_business(valid_requests: dict[str, Exchange], operation: str) -> None:
    """A valid request to a route under /v1/business is not answered 404, 405, 410 or 501."""
    expect(valid_requests[operation], route_exists())


@requirement("BUS-VER-02")
@deferred()
def test_headers_about_the_end_of_the_version_are_noted(
    business: Business, valid_requests: dict[str, Exchange], observe: Observer
) -> None:
    """A Deprecation or Sunset header in any response of the run announces the end of the version."""
    precondition(valid_requests["list_charges"])
    headers = headers_seen(business, "deprecation", "sunset")
    observe("BUS-VER-02", f"headers about the end of the version: {', '.join(headers) or 'none'}", headers)
