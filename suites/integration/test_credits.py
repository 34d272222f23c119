"""What orders are credited with after the events about them, and which events are believed."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

T = TypeVar("T")


def rows(*cases: tuple[str, ...]) -> list[object]:
    """Return the rows of these cases: each tuple is the requirements of some cases, then their names."""
    return [
        case(rule, api, name, id=f"{api}-{name}")
        for requirements, *names in cases
        for name in names
        for rule in requirements.split()
        for api in Api
        if rule.startswith(PROFILES[api].prefix)
    ]


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        ("PAY-HOOK-03 BUS-HOOK-03", "paid"),
        ("PAY-HOOK-03 BUS-HOOK-03", "after-a-bare-event"),
        ("PAY-HOOK-30 BUS-HOOK-28", "forged-first", "forged-ending", "unsigned-other-amount"),
    ),
)
def test_a_reported_payment_credits_its_order(selected_cases: AllCases, api: Api, name: str) -> None:
    """An order whose payment an event has reported is credited, also if a forged or a strange event came before it."""
    expect_credit(selected_cases(api), name)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        ("PAY-HOOK-09 BUS-HOOK-06", "twice"),
        ("PAY-HOOK-10 BUS-HOOK-07", "at-once"),
        ("PAY-HOOK-11 BUS-HOOK-08", "another-id"),
        ("PAY-HOOK-29 BUS-HOOK-27", "again-later"),
        ("PAY-HOOK-12 BUS-HOOK-09", "connection-broken"),
        ("PAY-HOOK-13 BUS-HOOK-10", "before-creation"),
        ("PAY-HOOK-27", "to-postback-too"),
    ),
)
def test_a_payment_credits_once_however_often_it_is_reported(selected_cases: AllCases, api: Api, name: str) -> None:
    """A payment that is reported twice, at the same moment, under another id or in another order credits once."""
    expect_credit(selected_cases(api), name, exact=False)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        ("PAY-HOOK-04 BUS-HOOK-04", "created"),
        ("BUS-HOOK-05", "canceled"),
        ("PAY-HOOK-05", "updated"),
        ("PAY-HOOK-06", "refunded"),
        ("PAY-HOOK-07", "infraction"),
        ("PAY-HOOK-08", "transfer-completed"),
        ("PAY-HOOK-21 BUS-HOOK-21", "unknown", "nearly-paid"),
        ("PAY-HOOK-23 BUS-HOOK-23", "unknown-order"),
    ),
)
def test_no_other_event_credits_an_order(selected_cases: AllCases, api: Api, name: str) -> None:
    """An event other than that of a payment credits nothing, though its signature is right."""
    expect_credit(selected_cases(api), name, exact=False)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        ("PAY-HOOK-14 BUS-HOOK-11", "white-space", "escapes", "unicode", "key-order", "numbers"),
        ("PAY-HOOK-22 BUS-HOOK-22", "more-fields"),
        ("PAY-HOOK-24 BUS-HOOK-24", "lower-case-header"),
        ("BUS-HOOK-19", "recent", "created-a-week-ago"),
    ),
)
def test_an_event_with_a_right_signature_is_accepted(selected_cases: AllCases, api: Api, name: str) -> None:
    """An event credits its order in each notation of body and header, with further fields, and 200 s after t."""
    expect_credit(selected_cases(api), name)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        ("PAY-HOOK-15 BUS-HOOK-12", "body-alone"),
        ("PAY-HOOK-16 BUS-HOOK-13", "other-secret", "no-secret"),
        ("PAY-HOOK-17 BUS-HOOK-14", "changed-body"),
        ("PAY-HOOK-18 BUS-HOOK-15", "unsigned"),
        ("PAY-HOOK-18", "unsigned-postback"),
        ("PAY-HOOK-19 BUS-HOOK-16", "empty-header", "empty-hash", "short-hash", "no-hash"),
    ),
)
def test_a_wrong_signature_changes_nothing(selected_cases: AllCases, api: Api, name: str) -> None:
    """An event with a forged, foreign, cut or absent signature credits nothing."""
    expect_credit(selected_cases(api), name, exact=False)


@pytest.mark.parametrize(("api", "name"), rows(("BUS-HOOK-17", "hour-old"), ("BUS-HOOK-18", "hour-ahead")))
def test_an_event_that_is_too_old_or_too_new_changes_nothing(selected_cases: AllCases, api: Api, name: str) -> None:
    """An event with a right signature, whose t is more than 300 s off, credits nothing."""
    expect_credit(selected_cases(api), name, exact=False)


@requirement("PAY-HOOK-26")
def test_an_old_event_of_the_payments_api(all_cases: AllCases, observe: Observer) -> None:
    """An event of the payments API with t an hour in the past is accepted or not: the document is silent."""
    outcomes = all_cases(Api.PAYMENTS)
    outcome = outcomes["hour-old"]
    if outcome.after is not None:
        require_credit(outcomes["paid"], exact=False)
    last = outcome.deliveries[-1]
    done = "unknown" if outcome.after is None else "credited" if outcome.after else "not credited"
    observe("PAY-HOOK-26", f"the payment was {done}, and the answer {last.status}", {"credit": done}, last)


@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-23", Api.PAYMENTS, id="payments"), case("BUS-HOOK-23", Api.BUSINESS, id="business")]
)
def test_two_orders_of_one_amount_are_each_credited(
    integration: Integration, selected_cases: AllCases, api: Api
) -> None:
    """Of two orders of the same amount each is credited by its own event, the later order first."""
    require_credits(integration, selected_cases, api)
    cents = integration.next_cents()
    first, later = (integration.place(api, cents) for _ in range(2))
    what = f"the event of the payment of the later of two orders of {cents} cents"
    label = later.charge.external_ref
    mistake = f"both charges have the external_ref {label!r}" if label and label == first.charge.external_ref else ""
    delivery = deliver_payment(integration, integration.paid(later))
    expect(delivery, credited(cents, 0, integration.credited_soon(later, cents), [what], mistake=mistake))
    other = [f"{what}, which is not this one"]
    expect(delivery, credited(0, 0, integration.credited(first), other, mistake=mistake))
    delivery = deliver_payment(integration, integration.paid(first))
    both = [what, "that of the first one"]
    expect(delivery, credited(cents, 0, integration.credited_soon(first, cents), both, mistake=mistake))


EACH_API = [case("PAY-HOOK-03", Api.PAYMENTS, id="payments"), case("BUS-HOOK-03", Api.BUSINESS, id="business")]
"""The APIs, each with what states that a payment is credited after its event."""
ORDERS_AT_ONCE, ROUNDS = 4, 12
"""How many payments are reported at the same moment; how often for the wallet, as an overlap is a matter of chance."""
LONGEST_QUERY_S = 5.0


def expect_credit_of(integration: Integration, order: Order, delivered: Sequence[Exchange], what: str) -> None:
    """Expect an order to be credited once after the event of its payment, which was delivered until it was accepted."""
    after = integration.credited_soon(order, order.charge.cents)
    words = [what, *["the same event"] * (len(delivered) - 1)]
    mistake = ""
    if not after:
        find_mistake = secret_in_question if is_refusal(delivered[-1]) else mistake_of_simultaneous_orders
        mistake = find_mistake(integration, order.charge.api)
    expect(delivered[-1], credited(order.due(after), 0, after, words, events=delivered, mistake=mistake))


@contextmanager
def held_response(
    integration: Integration, operation: str, act: Callable[[], T], unheld: BaseException
) -> Iterator[Future[T]]:
    """Have the client act, and hold a response of this operation while the block runs. Raises `unheld` without one."""
    faults = integration.gateway.faults
    faults.hold_response_of(operation)
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act)
        try:
            if not faults.is_held_within(LONGEST_QUERY_S):
                raise unheld
            yield acting
        finally:
            faults.clear()


@pytest.mark.parametrize("api", EACH_API)
def test_payments_that_are_reported_at_once_credit_each_order(
    integration: Integration, selected_cases: AllCases, api: Api
) -> None:
    """Of four orders whose payments are reported at the same moment each is credited; a refused event comes again."""
    require_credits(integration, selected_cases, api)
    orders = [integration.paid(order) for order in integration.place_several(api, ORDERS_AT_ONCE)]
    events = [event for order in orders for event in payment_event(order, integration.secret(api))]
    answers = integration.endpoint.deliver_at_once(events)
    deliveries = [
        [answer] if answer.status in SUCCESS else [answer, *integration.endpoint.deliver_until_accepted(event)]
        for event, answer in zip(events, answers, strict=True)
    ]
    what = f"the event of its payment, at the same moment as those of {ORDERS_AT_ONCE - 1} other orders"
    for order, delivered in zip(orders, deliveries, strict=True):
        expect_credit_of(integration, order, delivered, what)


@requirement("BUS-HOOK-33")
def test_payments_that_are_reported_at_once_all_raise_the_wallet(
    integration: Integration, selected_cases: AllCases
) -> None:
    """Payments of several orders that are reported at the same moment raise the wallet by all of their amounts."""
    require_credits(integration, selected_cases, Api.BUSINESS, "wallet")
    credit_later_order(integration, Api.BUSINESS)  # all earlier events have had their effect
    before, delivered = integration.wallet(), list[Exchange]()
    orders = [integration.paid(order) for order in integration.place_several(Api.BUSINESS, ROUNDS * ORDERS_AT_ONCE)]
    events = [event for order in orders for event in payment_event(order, integration.secret(Api.BUSINESS))]
    for place in range(0, len(events), ORDERS_AT_ONCE):
        at_once = events[place : place + ORDERS_AT_ONCE]
        answers = integration.endpoint.deliver_at_once(at_once)
        delivered += [*answers, *integration.endpoint.deliver_again(at_once, answers)]
    credited_cents = side_by_side(lambda order: integration.credited_soon(order, order.charge.cents), orders)
    if any(cents != order.charge.cents for order, cents in zip(orders, credited_cents, strict=True)):
        raise NotApplicable("not each of the payments is credited in time, and once, so the wallet may rise later")
    cents = sum(credited_cents)
    expect(delivered[-1], raises_wallet(cents, before, integration.wallet(before + cents), delivered))


@pytest.mark.parametrize("api", EACH_API)
def test_a_payment_whose_event_ends_after_a_later_one_credits_its_order(
    integration: Integration, selected_cases: AllCases, api: Api
) -> None:
    """The event of a payment that begins before another one, and whose last byte comes after it, credits its order."""
    require_credits(integration, selected_cases, api)
    orders = [integration.paid(order) for order in integration.place_several(api, 2)]
    events = [event for order in orders for event in payment_event(order, integration.secret(api))]
    answers = integration.endpoint.deliver_within(*events)
    words = ["the event of its payment, whose last byte came after another event", "the event of its payment within it"]
    for order, event, answer, what in zip(orders, events, answers, words, strict=True):
        expect_credit_of(integration, order, [answer, *integration.endpoint.deliver_again([event], [answer])], what)


@pytest.mark.parametrize("api", EACH_API)
def test_a_payment_that_is_reported_while_an_order_is_taken_credits_its_order(
    integration: Integration, selected_cases: AllCases, api: Api
) -> None:
    """An event that arrives while the client waits for the charge of another order credits its own, and keeps both."""
    require_credits(integration, selected_cases, api)
    order = integration.paid(integration.place(api))
    (event,) = payment_event(order, integration.secret(api))
    no_charge = Inconclusive("not tested: the command order asked for no charge")
    with held_response(integration, "create_charge", lambda: integration.place(api), no_charge) as placing:
        delivered = integration.endpoint.deliver_until_accepted(event)
    later = integration.paid(placing.result())
    expect_credit_of(integration, order, delivered, "the event of its payment, while another order was taken")
    what = "the event of its payment, the payment of another order having been reported while it was taken"
    expect_credit_of(integration, later, [deliver_payment(integration, later)], what)


@requirement("BUS-HOOK-03")
def test_a_payment_that_is_reported_while_its_order_is_canceled_credits_it(
    integration: Integration, selected_cases: AllCases
) -> None:
    """The event of a payment that arrives while the client waits for the 409 to a cancel of the charge credits it."""
    require_credits(integration, selected_cases, Api.BUSINESS, "cancel")
    order = integration.paid(integration.place(Api.BUSINESS))
    (event,) = payment_event(order, integration.secret(Api.BUSINESS))
    no_cancel = NotApplicable("the command cancel cancels no charge that is paid")
    with held_response(integration, "cancel_charge", lambda: integration.cancel(order), no_cancel):
        delivered = integration.endpoint.deliver_until_accepted(event)
    expect_credit_of(integration, order, delivered, "the event of its payment, while the client canceled it")


HELD_CASES = [
    case("PAY-HOOK-33", Api.PAYMENTS, "pending", id="payments-pending"),
    case("PAY-HOOK-33", Api.PAYMENTS, "paid", id="payments-paid"),
    case("BUS-HOOK-30", Api.BUSINESS, "pending", id="business-pending"),
    case("BUS-HOOK-30", Api.BUSINESS, "paid", id="business-paid"),
]


@pytest.mark.parametrize(("api", "status"), HELD_CASES)
def test_a_payment_is_credited_once_though_a_query_is_answered_late(
    integration: Integration, selected_cases: AllCases, api: Api, status: str
) -> None:
    """The event of a payment that arrives while the client waits for its query of the charge credits once."""
    require_credits(integration, selected_cases, api, "wait")
    order = integration.place(api)
    if status == "paid":
        order = integration.paid(order)
    no_query = NotApplicable("the command wait sent no query of the charge")
    placed = order
    with held_response(integration, "get_charge", lambda: integration.look_after(placed), no_query):
        if status == "pending":
            order = integration.paid(order)
        (event,) = payment_event(order, integration.secret(api))
        delivered = [integration.endpoint.deliver(event)]
    words = [f"a query whose response ({status}) came late, and meanwhile the event of its payment"]
    before = integration.credited_soon(order, order.charge.cents)
    if delivered[0].status in SUCCESS:
        expect(delivered[0], credited(order.due(before), 0, before, words, events=delivered))
    delivered.append(integration.endpoint.deliver(event))
    credit_later_order(integration, api)
    after = integration.credited_soon(order, order.charge.cents)
    words.append("the event of its payment again")
    expect(delivered[-1], credited(order.due(after), 0, after, words, events=delivered))
