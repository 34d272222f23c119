"""The responses to all requests about a charge or transfer, as a history that some order of the requests explains."""

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
    exchanges = payments.run.recorder.exchanges
    expect_every(judged_histories(exchanges, Api.PAYMENTS, kind, has_one_order_of_current_states_with))
