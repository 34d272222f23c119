"""Orders that end without a payment, or after it: canceled, expired, refunded."""

import time
from functools import partial

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.usefixtures("let_through")
PAY, BUS = Api.PAYMENTS, Api.BUSINESS
CHARGE_S = 86_401
"""Seconds after which every charge of the business API has expired."""
MOST_ATTEMPTS = 10
"""How often a client may send a cancellation or a query again, at most, for one command."""


@requirement("BUS-CLI-14")
def test_a_409_of_cancel_is_no_cancellation(integration: Integration, selected_cases: AllCases) -> None:
    """An order that was paid before it was canceled is credited by the event of its payment."""
    require_credits(integration, selected_cases, BUS, "cancel")
    order = integration.paid(integration.place(BUS))
    sent = integration.sent_by(lambda: integration.cancel(order))
    if not any(exchange.operation == "cancel_charge" and exchange.status == 409 for exchange in sent):
        raise NotApplicable("the client did not try to cancel a charge that is paid")
    expect_credit_by_event(integration, order, "a cancellation that got 409")


@requirement("BUS-CLI-21")
def test_a_cancellation_names_the_charge_of_its_order(integration: Integration) -> None:
    """Of orders that are taken at the same moment, each cancellation names the charge of the order."""
    integration.commands.require("order", "cancel")
    orders = integration.place_several(BUS, SIDE_BY_SIDE)
    ids = [order.charge.id for order in orders]
    sent = [
        (order, exchange) for order in orders for exchange in integration.sent_by(partial(integration.cancel, order))
    ]
    cancellations = [(order, exchange) for order, exchange in sent if exchange.operation == "cancel_charge"]
    if not cancellations:
        raise NotApplicable("the client sent no cancellation")
    for order, exchange in cancellations:
        expect(exchange, names_charge(order.charge.id, others=ids))
    for order in orders:
        if order.creation and all(order is not canceled for canceled, _ in cancellations):
            expect(order.creation, is_canceled_too(cancellations[0][1]))


@requirement("BUS-CLI-19")
def test_a_502_of_cancel_is_no_cancellation(integration: Integration, selected_cases: AllCases) -> None:
    """An order whose cancellation got 502, and that was paid after that, is credited by the event of its payment."""
    require_credits(integration, selected_cases, BUS, "cancel")
    order = integration.place(BUS)
    integration.gateway.faults.expect("cancel_charge", *[Fault.BAD_GATEWAY] * MOST_ATTEMPTS)
    sent = integration.sent_by(lambda: integration.cancel(order))
    statuses = [exchange.status for exchange in sent if exchange.operation == "cancel_charge"]
    if not statuses or statuses[-1] != 502:
        raise NotApplicable(f"the client's cancellations were answered {statuses}, not 502")
    expect_credit_by_event(integration, integration.paid(order), "a cancellation that got 502, and its payment")


@pytest.mark.parametrize("api", [case("PAY-CLI-35", PAY, id="payments"), case("BUS-CLI-20", BUS, id="business")])
def test_a_502_of_a_query_ends_no_order(integration: Integration, selected_cases: AllCases, api: Api) -> None:
    """An order whose query got 502, and that was paid after that, is credited by the event of its payment."""
    require_credits(integration, selected_cases, api, "wait")
    order = integration.place(api)
    integration.gateway.faults.expect("get_charge", *[Fault.BAD_GATEWAY] * MOST_ATTEMPTS)
    sent = integration.sent_by(lambda: integration.look_after(order))
    charge_queries(sent)
    integration.gateway.faults.clear()
    expect_credit_by_event(integration, integration.paid(order), "a query that got 502, and its payment")


def expect_credit_by_event(integration: Integration, order: Order, earlier: str) -> None:
    """Deliver the event of the payment of an order, which then has to be credited."""
    before = integration.credited(order)
    delivery = deliver_payment(integration, order)
    after = integration.credited_soon(order, order.charge.cents)
    words = [earlier, "the event of its payment"]
    expect(delivery, credited(order.due(after), before, after, words, within_s=integration.description.within))


@requirement("BUS-CLI-18")
def test_a_409_of_cancel_is_no_payment(integration: Integration) -> None:
    """An order whose charge has expired, so that its cancellation gets 409, is not credited."""
    integration.commands.require("order", "credited", "cancel")
    order = integration.place(BUS)
    integration.sandbox.advance(CHARGE_S)
    integration.sandbox.charge(BUS, order.charge.id)  # the first query makes it expired
    sent = integration.sent_by(lambda: integration.cancel(order))
    conflicts = [exchange for exchange in sent if exchange.operation == "cancel_charge" and exchange.status == 409]
    if not conflicts:
        raise NotApplicable("the client did not try to cancel a charge that has expired")
    words = "its charge has expired, so that the cancellation got 409"
    expect(conflicts[-1], credits_nothing(integration.credited(order), words))


@pytest.mark.parametrize("status", [case("PAY-CLI-34", status, id=status) for status in ("canceled", "refunded")])
def test_a_charge_that_has_ended_credits_nothing(integration: Integration, status: str) -> None:
    """An order whose charge a query shows as canceled or refunded is not credited."""
    integration.commands.require("order", "credited", "wait")
    order = integration.place(PAY)
    integration.gateway.statuses[order.charge.id] = status
    sent = integration.sent_by(lambda: integration.look_after(order))
    expect(
        charge_queries(sent)[-1], credits_nothing(integration.credited(order), f"the query shows its charge {status}")
    )


@requirement("PAY-HOOK-32")
def test_a_refunded_payment_is_not_credited_again(integration: Integration, selected_cases: AllCases) -> None:
    """The event of a payment that is delivered again after that of its refund credits nothing more."""
    require_credits(integration, selected_cases, PAY)
    order = integration.paid(integration.place(PAY))
    (event,) = payment_event(order, integration.secret(PAY))
    delivered = [integration.endpoint.deliver(event)]
    integration.credited_soon(order, order.charge.cents)
    integration.gateway.statuses[order.charge.id] = "refunded"
    refund = fields_of(order.charge, "transaction_refunded", status="refunded")
    delivered.append(integration.endpoint.deliver(signed(PAY, written(refund), integration.secret(PAY))))
    before = integration.credited(order)
    delivered.append(integration.endpoint.deliver(event))
    credit_later_order(integration, PAY)
    after = integration.credited(order)
    words = ["the event of its payment", "transaction_refunded", "the event of its payment again"]
    expect(delivered[-1], credited(min(before, after), before, after, words, events=delivered))


@requirement("BUS-CLI-15")
def test_a_client_asks_before_it_takes_an_order_for_expired(integration: Integration) -> None:
    """A client that takes an order for expired has queried the charge after expires_at."""
    integration.commands.require("order", "wait")
    order, states = integration.place(BUS), list[str]()

    def expire_and_look() -> None:
        integration.sandbox.advance(CHARGE_S)
        states.append(integration.look_after(order))

    sent = integration.sent_by(expire_and_look)
    if "expired" not in "".join(states).lower():
        asked = f"{len(sent)} requests" if sent else "no request"
        raise NotApplicable(f"the client does not take the order for expired: it sent {asked}, and printed {states}")
    queries = [exchange for exchange in sent if exchange.operation in {"get_charge", "list_charges"}]
    expect(queries[-1] if queries else order.creation or sent[-1], was_queried(queries))


WATCHED_S = 2.0


@requirement("PAY-HOOK-36")
def test_a_canceled_transfer_is_sent_once_more_at_most(integration: Integration) -> None:
    """After transfer_canceled has come twice, and under another id, the client has sent one more transfer at most."""
    integration.endpoint.require(PAY)
    integration.commands.require("transfer")
    cents = integration.next_cents()
    sent = integration.sent_by(lambda: integration.transfer(cents))
    created = [exchange for exchange in sent if exchange.operation == "create_transfer" and exchange.ok]
    if not created:
        raise Inconclusive("not tested: the client created no transfer")
    transfer = OrderCharge(PAY, str(created[-1].at("data.id")), cents, "")
    events = [
        signed(PAY, written(fields_of(transfer, "transfer_canceled", status="canceled")), integration.secret(PAY))
        for _ in range(2)
    ]
    with integration.client_requests(cents) as later:
        deliveries = [integration.endpoint.deliver(event) for event in (events[0], *events)]
        time.sleep(WATCHED_S)
    expect(deliveries[-1], leads_to_one_transfer([row for row in later if row.operation == "create_transfer"]))
