"""The responses to all requests about each charge of the run, as a history that some order of the requests explains."""

from collections.abc import Callable

import pytest

from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.whole_run


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "order",
    [
        case("BUS-STATE-18", has_one_order_with, id="simultaneous-requests"),
        case("BUS-STATE-19", has_one_order_of_current_states_with, id="current-states"),
    ],
)
def test_some_order_of_the_requests_about_a_charge_explains_the_responses(
    business: Business, order: Callable[..., Matcher]
) -> None:
    """Some order of the payments, cancels and queries of each charge explains what all of them returned."""
    expect_every(judged_histories(business.run.recorder.exchanges, Api.BUSINESS, "charge", order))
