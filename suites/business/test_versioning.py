"""The version stands in the path (business.md, lines 3, 89-94, 200)."""

import pytest

from fixtures.business.charges import ROUTES, a_pending, id_of
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement

OF_ONE_CHARGE = {"get_charge", "cancel_charge", "pay_charge"}
NO_SUCH_ROUTE = {404, 405, 410, 501}


@requirement("BUS-VER-01")
@pytest.mark.parametrize("operation", ROUTES)
def test_the_route_is_served_under_its_version(business: Business, operation: str) -> None:
    """A valid request to it is not answered as if there were no such route."""
    charge_id = id_of(a_pending(business)) if operation in OF_ONE_CHARGE else ""
    answer = ROUTES[operation](business, charge_id)
    absent = f"status is {answer.status}" if answer.status in NO_SUCH_ROUTE else None
    expect(answer, computed("there is such a route", absent))
