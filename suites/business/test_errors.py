"""What no route serves (business.md, line 13). The shape of every refusal is judged on all traffic."""

import pytest

from fixtures.business.bodies import fresh_key
from pix_conformance.checks.matchers import computed
from pix_conformance.checks.passive import server_error
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement

PAYOUTS = "/v1/business/payouts"


@requirement("BUS-GEN-07")
@pytest.mark.parametrize(
    "body",
    [{}, {"amount_cents": 1}, {"amount_cents": 1, "pix_key": "player@example.com"}],
    ids=["empty", "amount", "amount-and-key"],
)
def test_payouts_are_not_served(business: Business, body: dict[str, object]) -> None:
    """With the sandbox key, and with the headers that are announced for payouts."""
    precondition(business.list_charges())
    answer = business.call("POST", PAYOUTS, json=body, headers={"idempotency-key": fresh_key()})
    expect(answer, computed("it does not succeed", f"status is {answer.status}" if answer.ok else None))


@requirement("BUS-GEN-07")
def test_there_are_no_payouts_to_read(business: Business) -> None:
    """The reserved path is no route, however it is asked."""
    precondition(business.list_charges())
    answer = business.call("GET", PAYOUTS)
    expect(answer, computed("it does not succeed", f"status is {answer.status}" if answer.ok else None))


@requirement("BUS-GEN-03")
def test_a_path_that_nothing_serves_is_no_server_error(business: Business) -> None:
    """Beside the routes of the table, and below one of them."""
    precondition(business.list_charges())
    for path in ("pix-conformance", "finance/pix-conformance"):
        answer = business.call("GET", f"/v1/business/{path}")
        expect(answer, computed("it is no server error", server_error(answer)))
