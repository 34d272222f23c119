"""What an integration still knows when it has been stopped and started again."""

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.whole_run
"""It is stopped when all other tests have ended."""


@pytest.mark.parametrize(
    ("api", "rules"),
    [
        case(("PAY-HOOK-34", "PAY-HOOK-03"), Api.PAYMENTS, ("PAY-HOOK-34", "PAY-HOOK-03"), id="payments"),
        case(("BUS-HOOK-31", "BUS-HOOK-03"), Api.BUSINESS, ("BUS-HOOK-31", "BUS-HOOK-03"), id="business"),
    ],
)
def test_payments_before_and_after_a_restart_are_credited_once(
    run: Run, integration: Integration, selected_cases: AllCases, api: Api, rules: tuple[str, str]
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
    delivery = deliver_payment(integration, later)
    after = integration.credited_soon(later, later.charge.cents)
    expect(
        delivery,
        credited(
            later.due(after),
            0,
            after,
            ["a restart, an order, and the event of its payment"],
            mistake=secret_in_question(integration, api) if is_refusal(delivery) else "",
        ),
        of=is_credited,
    )
    try:
        before = integration.credited(order)
    except Inconclusive:
        before = 0
    if before != order.due(before):
        credit = f"{before} of the {order.charge.cents} cents that an order of the {api} API was credited with"
        run.sender.facts.note(f"after a restart the integration has {credit}: each restart loses what was paid")
        raise NotApplicable("the integration keeps no credit when it is started again")
    delivered.append(integration.deliver(signed(api, event.body, integration.secret(api))))
    credit_later_order(integration, api)
    words = ["the event of its payment", "a restart, and the same event again"]
    expect(delivered[-1], credited(before, 0, integration.credited(order), words, events=delivered), of=once)
