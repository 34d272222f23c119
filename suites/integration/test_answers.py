"""How the webhook endpoint answers events."""

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

SIGNED_CASES = ("paid", "twice", "another-id", "created", "white-space", "key-order", "canceled", "refunded")
"""Cases whose events are signed, of types that the documents have."""


def of_each_api(payments: str, business: str) -> list[object]:
    """Return a row for each API, with its requirement."""
    return [case(rule, api, id=api) for api, rule in ((Api.PAYMENTS, payments), (Api.BUSINESS, business))]


@pytest.mark.parametrize("api", of_each_api("PAY-HOOK-02", "BUS-HOOK-02"))
def test_the_first_event_is_answered_in_time(
    integration: Integration, first_deliveries: dict[Api, Exchange], api: Api
) -> None:
    """The first event is answered before the service gives up, after 10 seconds."""
    integration.endpoint.require(api)
    expect(first_deliveries[api], answered_within(ANSWER_S))


@pytest.mark.parametrize("api", of_each_api("PAY-HOOK-01", "BUS-HOOK-01"))
def test_each_signed_event_is_answered_with_a_2xx(
    all_cases: AllCases, first_deliveries: dict[Api, Exchange], api: Api
) -> None:
    """An event of each type, with a right signature, is answered with a 2xx."""
    outcomes = all_cases(api)
    asked = [outcomes[name] for name in SIGNED_CASES if name in outcomes]
    if all(answer.response is None for outcome in asked for answer in outcome.deliveries):
        expect(first_deliveries[api], accepted(["the first event"]))
    if outcomes["paid"].after is None and all(is_refusal(answer) for outcome in asked for answer in outcome.deliveries):
        words = "not tested: the endpoint refuses events of orders that it does not know"
        raise Inconclusive(f"{words} ({outcomes['paid'].deliveries[-1].status}): {SET_MORE}")
    expect_every(
        (delivery, accepted(outcome.words[: place + 1], outcome.mistake, earlier=outcome.deliveries[:place]))
        for outcome in asked
        for place, delivery in enumerate(outcome.deliveries)
    )


@pytest.mark.parametrize("api", of_each_api("PAY-HOOK-02", "BUS-HOOK-02"))
def test_each_event_is_answered_in_time(all_cases: AllCases, api: Api) -> None:
    """An event is answered before the service gives up, after 10 seconds."""
    outcomes = all_cases(api)
    in_turn = [outcome for outcome in outcomes.values() if not outcome.case.at_once]
    delivered = [delivery for outcome in in_turn for delivery in outcome.deliveries]
    answered = [delivery for delivery in delivered if delivery.fault != CLOSED_BEFORE_ANSWER]
    expect_every((delivery, answered_within(ANSWER_S)) for delivery in answered)


@pytest.mark.parametrize("api", of_each_api("PAY-HOOK-20", "BUS-HOOK-20"))
def test_an_event_of_an_unknown_type_is_answered_with_a_2xx(all_cases: AllCases, api: Api) -> None:
    """A signed event of a type that the document does not have is answered with a 2xx, as a known one is."""
    outcomes = all_cases(api)
    plain = outcomes["paid"].deliveries[-1]
    if plain.status not in SUCCESS:
        raise Inconclusive(f"not tested: a known event is answered {plain.status or 'nothing'} ({plain.evidence})")
    expect(outcomes["unknown"].deliveries[-1], accepted(outcomes["unknown"].words))


@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-31", Api.PAYMENTS, id="payments"), case("BUS-HOOK-29", Api.BUSINESS, id="business")]
)
def test_an_event_about_an_unknown_order_is_answered_with_a_2xx(integration: Integration, api: Api) -> None:
    """A signed event about the payment of an order that the integration has not taken is answered with a 2xx."""
    integration.endpoint.require(api)
    delivery = deliver_payment(integration, unknown_order(api, integration.next_cents()))
    expect(delivery, accepted(["the event of the payment of an order that it has not taken"]))


FAILURES = 4
"""Queries that fail: more than a client sends for one event."""


@pytest.mark.usefixtures("let_through")
@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-28", Api.PAYMENTS, id="payments"), case("BUS-HOOK-26", Api.BUSINESS, id="business")]
)
def test_a_payment_is_not_lost_if_the_service_fails_meanwhile(
    integration: Integration, selected_cases: AllCases, api: Api
) -> None:
    """A payment is credited though the queries that its event makes the endpoint send are answered 502."""
    require_credits(integration, selected_cases, api)
    order = integration.paid(integration.place(api))
    integration.gateway.faults.expect("get_charge", *[Fault.BAD_GATEWAY] * FAILURES)
    (event,) = payment_event(order, integration.secret(api))
    asked_before = len(integration.gateway.exchanges)
    delivered = [integration.endpoint.deliver(event)]
    if delivered[0].status in SUCCESS:  # an endpoint that asks after its answer fails once more
        integration.gateway.faults.expect("get_charge", Fault.BAD_GATEWAY)
    else:
        integration.gateway.faults.clear()
        delivered += integration.endpoint.deliver_until_accepted(event)
    after = integration.credited_soon(order, order.charge.cents)
    asked = integration.gateway.exchanges[asked_before:]
    failed = sum(exchange.operation == "get_charge" and not exchange.ok for exchange in asked)
    words = [
        f"the event of its payment, while {failed} {'query' if failed == 1 else 'queries'} of its charge got 502",
        *["the same event"] * (len(delivered) - 1),
    ]
    is_lost = not after and delivered[-1].status in SUCCESS
    mistake = "the endpoint answers a 2xx, so the event does not come again" if is_lost else ""
    expect(delivered[-1], credited(order.due(after), 0, after, words, events=delivered, mistake=mistake))
