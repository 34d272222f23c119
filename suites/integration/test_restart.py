"""What an integration still knows when it has been stopped and started again."""

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.whole_run
"""It is stopped when all other tests have ended."""


PAYMENTS, BUSINESS = ("PAY-HOOK-34", "PAY-HOOK-03"), ("BUS-HOOK-31", "BUS-HOOK-03")
"""What states that a payment is credited once, and what that it is credited."""


@pytest.mark.parametrize(
    ("api", "rules"),
    [
        case(PAYMENTS, Api.PAYMENTS, PAYMENTS, id="payments"),
        case(BUSINESS, Api.BUSINESS, BUSINESS, id="business"),
    ],
)
def test_payments_before_and_after_a_restart_are_credited_once(
    integration: Integration, selected_cases: AllCases, api: Api, rules: tuple[str, str]
) -> None:
    """An integration that was started again credits a new order, and nothing more for an event that comes again."""
    once, is_credited = rules
    require_credits(integration, selected_cases, api, "start")
    order = integration.paid(integration.place(api))
    (event,) = payment_event(order, integration.secret(api))
    delivered = [integration.deliver(event)]
    integration.credited_soon(order, order.charge.cents)
    integration.restart()
    later = integration.paid(integration.place(api))
    event_of_later = deliver_payment(integration, later)
    after = integration.credited_soon(later, later.charge.cents)
    expect(
        event_of_later,
        credited(later.due(after), 0, after, ["a restart, an order, and the event of its payment"]),
        of=is_credited,
    )
    try:
        before = integration.credited(order)
    except Inconclusive:
        before = 0
    if before != order.due(before):
        raise NotApplicable("the integration keeps no credit when it is started again")
    delivered.append(integration.deliver(signed(api, event.body, integration.secret(api))))
    credit_later_order(integration, api)
    words = ["the event of its payment", "a restart, and the same event again"]
    expect(delivered[-1], credited(before, 0, integration.credited(order), words, events=delivered), of=once)
