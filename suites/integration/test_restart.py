"""What an integration still knows when it has been stopped and started again."""

import time

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.whole_run
"""It is stopped when all other tests have ended."""


PAYMENTS, BUSINESS = ("PAY-HOOK-34", "PAY-HOOK-03", "PAY-HOOK-35"), ("BUS-HOOK-31", "BUS-HOOK-03", "BUS-HOOK-32")
"""What states that it is credited once, that a later order is credited, and that nothing is lost after the answer."""


@pytest.mark.parametrize(
    ("api", "rules"),
    [
        case(PAYMENTS, Api.PAYMENTS, PAYMENTS, id="payments"),
        case(BUSINESS, Api.BUSINESS, BUSINESS, id="business"),
    ],
)
def test_payments_before_and_after_a_restart_are_credited_once(
    run: Run, integration: Integration, selected_cases: AllCases, api: Api, rules: tuple[str, str, str]
) -> None:
    """An integration that was started again credits a new order, and nothing more for an event that comes again."""
    once, is_credited, is_kept = rules
    require_credits(integration, selected_cases, api, "start")
    order = integration.paid(integration.place(api))
    (event,) = payment_event(order, integration.secret(api))
    delivered = [integration.endpoint.deliver(event)]
    if not integration.credited_soon(order, order.charge.cents):
        raise NotApplicable("the event of a payment credits nothing before it is started again")
    unpaid, last = integration.place(api), integration.paid(integration.place(api))
    last_delivery = deliver_payment(integration, last)
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
    delivery = deliver_payment(integration, integration.paid(unpaid))
    after = integration.credited_soon(unpaid, unpaid.charge.cents)
    words = ["a restart after the order was taken, and the event of its payment"]
    expect(delivery, credited(unpaid.due(after), 0, after, words), of=is_credited)
    if last_delivery.status in SUCCESS:
        after = integration.credited_soon(last, last.charge.cents)
        words = ["the event of its payment, a 2xx, and a restart at once"]
        expect(last_delivery, credited(last.due(after), 0, after, words), of=is_kept)
    delivered.append(integration.endpoint.deliver(signed(api, event.body, integration.secret(api))))
    credit_later_order(integration, api)
    words = ["the event of its payment", "a restart, and the same event again"]
    expect(delivered[-1], credited(before, 0, integration.credited(order), words, events=delivered), of=once)


ATTEMPTS, WATCHED_S = 40, 3.0


@requirement("PAY-CLI-24")
def test_a_transfer_without_any_response_is_sent_again_after_a_restart_with_its_key_and_body(
    integration: Integration,
) -> None:
    """A client that sends a transfer again when it has been started again, as each response was lost, repeats it."""
    integration.commands.require("start", "transfer")
    cents = integration.next_cents()
    integration.gateway.faults.expect("create_transfer", *[Fault.LOST] * ATTEMPTS)
    integration.transfer(cents)
    integration.gateway.let_through()
    before = len(integration.gateway.exchanges)
    integration.restart()
    time.sleep(WATCHED_S)
    sent = integration.asked.by_amount().get(cents)
    if not sent:
        raise NotApplicable(f"the client sent no transfer of the {cents} cents that it was to send")
    first, *repetitions = sent
    if not own_key(first) or not repetitions or repetitions[-1] not in integration.gateway.exchanges[before:]:
        raise NotApplicable("the client sends no transfer again when it is started again")
    expect(repetitions[-1], repeats(first, repetitions[:-1], since="the client was started again"))
