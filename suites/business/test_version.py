"""The version stands in the path of every route."""

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@requirement("BUS-VER-01")
@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name not in OF_ONE_CHARGE])
def test_each_route_exists_under_v1_business(business: Business, operation: str) -> None:
    """A valid request to a route under /v1/business is not answered 404, 405, 410 or 501."""
    expect(send_valid_request(business, operation, ""), route_exists())


@requirement("BUS-VER-01")
@pytest.mark.parametrize("operation", OF_ONE_CHARGE)
def test_each_route_of_a_charge_exists(valid_requests: dict[str, Exchange], operation: str) -> None:
    """A valid request about a charge under /v1/business is not answered 404, 405, 410 or 501."""
    expect(valid_requests[operation], route_exists())


@requirement("BUS-VER-02")
@deferred()
def test_headers_about_the_end_of_the_version_are_noted(business: Business, observe: Observer) -> None:
    """A Deprecation or Sunset header in any response of the run announces the end of the version."""
    business.list_charges()
    headers = headers_seen(business, "deprecation", "sunset")
    observe("BUS-VER-02", f"headers about the end of the version: {', '.join(headers) or 'none'}", headers)
