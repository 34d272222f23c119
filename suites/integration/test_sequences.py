"""Generated events: bodies in many notations, and sequences of deliveries against a model of the credits."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fixtures.integration import *
from fixtures.integration.layouts import Layout
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

REPORTS = {"its payment", "its payment under another event id", "its payment twice at the same moment"}
DELIVERIES = (
    "its payment", "its creation", "its payment under another event id", "its payment twice at the same moment",
    "its payment signed with another secret", "its payment unsigned", "an unknown event about it",
    "a forged event about it with a broken connection",
)  # fmt: skip
"""What a step of a sequence delivers about one of two orders."""
UNKNOWN, CREATION = "an unknown event about it", "its creation"
"""Where it is no must that an unknown event credits nothing (HOOK-21), sequences have the other one instead."""
FEWEST, LONGEST = 1, 10


@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-14", Api.PAYMENTS, id="payments"), case("BUS-HOOK-11", Api.BUSINESS, id="business")]
)
@given(layout=layouts())
def test_a_signed_body_credits_in_every_notation(
    integration: Integration,
    selected_cases: AllCases,
    generated_inputs: GeneratedInputs,
    api: Api,
    layout: Layout,
) -> None:
    """A signed event credits its order, in each of the generated notations of its body."""
    require_credits(integration, selected_cases, api)
    if not generated_inputs.is_due(f"notations of {api}", layout):
        return
    if not accepts_more_fields(selected_cases(api)):
        layout = layout.of_known_fields()
    order = integration.paid(integration.place(api))
    event = signed(api, laid_out(paid(order.charge), layout), integration.secret(api))
    delivery = integration.endpoint.deliver_until_accepted(event)[-1]
    is_refused = is_refusal(delivery)
    after = integration.credited(order) if is_refused else integration.credited_soon(order, order.charge.cents)
    words, creations = ["the event of its payment, in another notation"], [order.creation] if order.creation else []
    expect(delivery, credited(order.due(after), 0, after, words, events=[delivery], orders=creations, paid=[True]))


@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-25", Api.PAYMENTS, id="payments"), case("BUS-HOOK-25", Api.BUSINESS, id="business")]
)
@example(steps=[(0, "its payment"), (0, "its payment")])
@example(steps=[(0, "its payment"), (0, "its payment under another event id")])
@example(steps=[(0, "its payment"), (0, "its creation"), (0, "its payment under another event id")])
@given(steps=st.lists(st.tuples(st.integers(0, 1), st.sampled_from(DELIVERIES)), min_size=FEWEST, max_size=LONGEST))
def test_each_order_is_credited_once_after_every_sequence(
    integration: Integration,
    selected_cases: AllCases,
    generated_inputs: GeneratedInputs,
    api: Api,
    steps: list[tuple[int, str]],
) -> None:
    """After a generated sequence of deliveries about two orders each is credited once if its payment was reported."""
    require_credits(integration, selected_cases, api, exact=False)
    if not must_ignore_unknown_events(api):
        steps = [(order, CREATION if step == UNKNOWN else step) for order, step in steps]
    if not generated_inputs.is_due(f"sequences of {api}", steps):
        return
    is_paid = {number: any(step in REPORTS for order, step in steps if order == number) for number, _ in steps}
    placed = zip(sorted(is_paid), integration.place_several(api, len(is_paid)), strict=True)
    orders = {number: integration.paid(order) if is_paid[number] else order for number, order in placed}
    ids: dict[int, list[SignedEvent]] = {}
    delivered = [
        (number, deliver(integration, orders[number], step, ids.setdefault(number, []))) for number, step in steps
    ]
    expected_of = {number: order.charge.cents if is_paid[number] else 0 for number, order in orders.items()}
    cents = side_by_side(lambda number: integration.credited_soon(orders[number], expected_of[number]), orders)
    for number, after in zip(orders, cents, strict=True):
        last = next(events[-1] for other, events in reversed(delivered) if other == number)
        named = {other: f"{'this' if other == number else 'the other'} order: " for other in orders}
        words = [f"{named[other]}{step}" if len(orders) > 1 else step for other, step in steps]
        numbers = [number, *(orders.keys() - {number})]
        creations = [creation for place in numbers if (creation := orders[place].creation)]
        events = [event for _, several in delivered for event in several]
        were_paid = [is_paid[place] for place in numbers]
        expected = orders[number].due(after) if is_paid[number] else 0
        if after != expected:
            generated_inputs.allow_smaller(f"sequences of {api}")
        waited = integration.description.within
        expect(
            last,
            credited(expected, 0, after, words, events=events, orders=creations, paid=were_paid, within_s=waited),
        )


def deliver(integration: Integration, order: Order, step: str, earlier: list[SignedEvent]) -> list[Exchange]:
    """Deliver what a step says about an order; `earlier` has the event of its payment once one was made."""
    secret = integration.secret(order.charge.api)
    (event,) = earlier or payment_event(order, secret)
    unknown = FORMS[event.api].unknown
    others = {
        "its creation": lambda: signed(event.api, written(created(order.charge)), secret),
        "its payment signed with another secret": lambda: signed_with_another_secret(event),
        "its payment unsigned": lambda: unsigned(event),
        UNKNOWN: lambda: signed(event.api, written(fields_of(order.charge, unknown)), secret),
        "a forged event about it with a broken connection": lambda: replace(
            signed_with_another_secret(event), is_cut=True
        ),
    }
    earlier[:] = [event]  # a forged one has the id of the right one that may follow
    if step in others:
        return [integration.endpoint.deliver(others[step]())]
    if step == "its payment under another event id":
        earlier[:] = (event,) = payment_event(order, secret)
    events = [event, event] if step == "its payment twice at the same moment" else [event]
    answers = integration.endpoint.deliver_at_once(events)
    return [*answers, *integration.endpoint.deliver_again(events, answers)]
