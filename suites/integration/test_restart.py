"""What an integration still knows when it has been stopped and started again."""

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.whole_run
"""It is stopped when all other tests have ended."""


@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-34", Api.PAYMENTS, id="payments"), case("BUS-HOOK-31", Api.BUSINESS, id="business")]
)
def test_a_payment_is_credited_once_after_a_restart(
    integration: Integration, selected_cases: AllCases, api: Api
) -> None:
    """The event of a payment that is delivered again when the integration was started again credits nothing more."""
    require_credits(integration, selected_cases, api, "start")
    order = integration.paid(integration.place(api))
    (event,) = payment_event(order, integration.secret(api))
    delivered = [integration.deliver(event)]
    integration.credited_soon(order, order.charge.cents)
    integration.restart()
    try:
        before = integration.credited(order)
    except Inconclusive:
        before = 0
    if before != order.due(before):
        raise NotApplicable("the integration keeps no credit when it is started again")
    delivered.append(integration.deliver(signed(api, event.body, integration.secret(api))))
    credit_later_order(integration, api)
    words = ["the event of its payment", "a restart, and the same event again"]
    expect(delivered[-1], credited(before, 0, integration.credited(order), words, events=delivered))
