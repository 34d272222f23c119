"""The responses to all requests about a charge, or with one key, as a history that some order of them explains."""

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
    expect_every(judged_histories(business.sender.whole_run.exchanges, Api.BUSINESS, "charge", order))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "repetition",
    [
        case("BUS-IDEM-07", Repetition.SAME_AT_ONCE, id="same-at-once"),
        case("BUS-IDEM-17", Repetition.OTHER_AT_ONCE, id="other-at-once"),
        case("BUS-IDEM-01", Repetition.SAME_LATER, id="same-later"),
        case("BUS-IDEM-04", Repetition.OTHER_LATER, id="other-later"),
    ],
)
def test_some_order_of_the_creations_with_a_key_explains_the_responses(
    business: Business, clock: Clock, repetition: Repetition
) -> None:
    """Some order of the creations with each idempotency key explains what they returned: one charge, of one body."""
    expect_every(judged_keys(business.sender.whole_run.exchanges, Api.BUSINESS, clock.at, repetition))
