"""The responses to all requests about one object, or with one key, as a history that some order of them explains."""

import pytest

from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.whole_run


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "kind", [case("PAY-PAYS-29", "charge", id="charge"), case("PAY-CMP-30", "transfer", id="transfer")]
)
def test_some_order_of_the_requests_about_an_object_explains_the_responses(payments: Payments, kind: str) -> None:
    """Some order of the payments, completions and queries of a charge or transfer explains what all returned."""
    exchanges = payments.sender.whole_run.exchanges
    expect_every(judged_histories(exchanges, Api.PAYMENTS, kind, has_one_order_of_current_states_with))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "repetition",
    [
        case("PAY-IDEM-10", Repetition.SAME_AT_ONCE, id="same-at-once"),
        case("PAY-IDEM-20", Repetition.OTHER_AT_ONCE, id="other-at-once"),
        case("PAY-IDEM-01", Repetition.SAME_LATER, id="same-later"),
        case("PAY-IDEM-02", Repetition.OTHER_LATER, id="other-later"),
    ],
)
def test_some_order_of_the_creations_with_a_key_explains_the_responses(
    payments: Payments, clock: Clock, repetition: Repetition
) -> None:
    """Some order of the creations with each idempotency key explains what they returned: one transfer, of one body."""
    expect_every(judged_keys(payments.sender.whole_run.exchanges, Api.PAYMENTS, clock.at, repetition))
