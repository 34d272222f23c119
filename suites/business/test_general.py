"""What holds for all routes and what the document leaves open of them (business.md, lines 13, 85-94, 180, 196)."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.business.bodies import fresh_key
from fixtures.business.charges import id_of
from fixtures.business.descriptions import describe_status, headers_seen, refusals_for_rate
from pix_conformance.checks.business.charges import documented_fields
from pix_conformance.checks.relations import does_not_succeed, is_no_server_error
from pix_conformance.harness.clients.business import CHARGES, Business
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange

PAYOUTS = "/v1/business/payouts"


@requirement("BUS-GEN-03")
def test_a_path_that_no_route_has_is_no_server_error(business: Business) -> None:
    """GET on a path beside the routes, and on one below a route, is not answered with a 5xx."""
    precondition(business.list_charges())
    for path in ("/v1/business/pix-conformance", "/v1/business/finance/pix-conformance"):
        expect(business.call("GET", path), is_no_server_error())


@requirement("BUS-GEN-04")
@deferred()
def test_limits_of_rate_are_noted(business: Business, observe: Observer) -> None:
    """The 429 responses of the run, and headers about a rate limit, show whether the service limits requests."""
    business.list_charges()
    refusals, headers = refusals_for_rate(business), headers_seen(business, "ratelimit", "rate-limit", "retry-after")
    words = f"{refusals} answers were 429; headers about rate: {', '.join(headers) or 'none'}"
    observe("BUS-GEN-04", words, {"refusals": refusals, "headers": headers})


@requirement("BUS-GEN-05")
@pytest.mark.parametrize("operation", ["get_charge", "get_finance"])
def test_further_fields_of_responses_are_noted(
    business: Business, plain_charge: Exchange, operation: str, observe: Observer
) -> None:
    """A charge, and the response of GET /v1/business/finance, may have more fields than the document names."""
    answer = business.get_finance() if operation == "get_finance" else business.get_charge(id_of(plain_charge))
    extra = sorted(set(precondition(answer).json) - set(documented_fields(operation)))
    observe("BUS-GEN-05", f"{operation} has beyond the table: {', '.join(extra) or 'nothing'}", extra, answer)


@requirement("BUS-GEN-06")
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/business/nowhere"), ("DELETE", CHARGES)])
def test_the_answers_to_unknown_paths_and_methods_are_noted(
    business: Business, method: str, path: str, observe: Observer
) -> None:
    """An unknown path, and a path with a method that it does not have, may be answered 404, 405 or otherwise."""
    answer = business.call(method, path)
    observe("BUS-GEN-06", f"{method} {path}: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-GEN-07")
@pytest.mark.parametrize(
    "body",
    [{}, {"amount_cents": 1}, {"amount_cents": 1, "pix_key": "player@example.com"}],
    ids=["empty", "amount", "amount-and-key"],
)
def test_a_payout_is_not_accepted(business: Business, body: dict[str, object]) -> None:
    """POST /v1/business/payouts with the sandbox key and an idempotency key does not succeed."""
    precondition(business.list_charges())
    answer = business.call("POST", PAYOUTS, json=body, headers={"idempotency-key": fresh_key()})
    expect(answer, does_not_succeed())


@requirement("BUS-GEN-07")
def test_payouts_cannot_be_read(business: Business) -> None:
    """GET /v1/business/payouts with the sandbox key does not succeed."""
    precondition(business.list_charges())
    expect(business.call("GET", PAYOUTS), does_not_succeed())


@requirement("BUS-GEN-08")
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_answer_to_payouts_is_noted(business: Business, method: str, observe: Observer) -> None:
    """The reserved path /v1/business/payouts may be answered 404, 405, 501 or otherwise."""
    more: dict[str, Any] = {"json": {"amount_cents": 1}} if method == "POST" else {}
    answer = business.call(method, PAYOUTS, headers={"idempotency-key": fresh_key()}, **more)
    observe("BUS-GEN-08", f"{method} {PAYOUTS}: {describe_status(answer)}", answer.status, answer)
