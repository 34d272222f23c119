"""The routes of version 1, and announcements of the next."""

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@requirement("PAY-VER-01")
@pytest.mark.parametrize("route", ROUTES)
def test_a_route_of_version_1_exists(routes: Routes, route: str) -> None:
    """A valid request to a route under /api/v1 is not answered as one to an unknown path."""
    expect(routes.accepted(route), accepts_a_valid_request())


@requirement("PAY-VER-01")
def test_the_route_of_tokens_has_no_version(payments: Payments) -> None:
    """A valid POST /api/auth is answered, though its path names no version."""
    expect(payments.authenticate(), accepts_a_valid_request())


@requirement("PAY-VER-01")
def test_the_route_of_transfers_exists(payments: Payments) -> None:
    """An empty POST /api/v1/pix/out/pixkey is not answered 404, 405 or 501; a valid one may lack funds or a key."""
    expect(payments.create_transfer({}, key=fresh_key()), is_not_an_unknown_path())


@deferred(0)
@requirement("PAY-VER-03")
def test_headers_that_announce_a_version_or_its_end_are_noted(payments: Payments, observe: Observer) -> None:
    """The report lists the Deprecation, Sunset, Warning and version headers of all responses of the run."""
    last = precondition(payments.get_balance(), has("data", "object"))
    headers = stored_headers(payments, "deprecation|sunset|api-version|x-api-version|warning")
    observe("PAY-VER-03", f"headers seen: {headers}" if headers else "no header announces changes", headers, last)
