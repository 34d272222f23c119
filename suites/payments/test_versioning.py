"""The routes of version 1, and what is told of the next (payments.md, lines 212-224 and 394-395)."""

from __future__ import annotations

import pytest

from fixtures.payments.bodies import fresh_key
from fixtures.payments.descriptions import stored_headers
from fixtures.payments.routes import NO_SUCH_ROUTE, ROUTES, absence, plain_answer
from pix_conformance.checks.matchers import computed, has
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, expect, precondition
from pix_conformance.harness.requirement import requirement


@requirement("PAY-VER-01")
@pytest.mark.parametrize("route", ROUTES)
def test_a_route_of_version_1_is_there(payments: Payments, route: str) -> None:
    """A plain, valid request meets it under /api/v1."""
    answer = plain_answer(payments, route)
    expect(answer, computed("the route is there", absence(answer)))


@requirement("PAY-VER-01")
def test_the_route_of_tokens_is_without_a_version(payments: Payments) -> None:
    """It is /api/auth."""
    answer = payments.authenticate()
    expect(answer, computed("the route is there", absence(answer)))


@requirement("PAY-VER-01")
def test_the_route_of_transfers_is_there(payments: Payments) -> None:
    """An empty transfer meets it too, and tells a missing route from a key or a wallet that is refused."""
    answer = payments.create_transfer({}, key=fresh_key())
    missing = f"an empty transfer is answered {answer.status}" if answer.status in NO_SUCH_ROUTE else None
    expect(answer, computed("the route is there", missing))


@deferred(0)
@requirement("PAY-VER-03")
def test_what_announces_changes_is_noted(payments: Payments, observe: Observer) -> None:
    """The headers that today's standards have for it, in any answer of the run."""
    last = precondition(payments.get_balance(), has("data", "object"))
    found = stored_headers(payments, "deprecation|sunset|api-version|x-api-version|warning")
    observe("PAY-VER-03", f"headers seen: {found}" if found else "no header announces changes", found, last)
