"""What orders are credited with after the events about them, and which events are believed."""

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *


def rows(**names: tuple[int, int]) -> list[object]:
    """Return rows of a case and its requirements: their numbers in payments and in business, 0 for none."""
    return [
        case(
            f"{PROFILES[api].prefix}-HOOK-{number:02}",
            api,
            name.replace("_", "-"),
            id=f"{api}-{name.replace('_', '-')}",
        )
        for name, numbers in names.items()
        for api, number in zip((Api.PAYMENTS, Api.BUSINESS), numbers, strict=True)
        if number
    ]


@pytest.mark.parametrize(("api", "name"), rows(paid=(3, 3), forged_first=(30, 28), forged_ending=(30, 28)))
def test_a_reported_payment_credits_its_order(all_cases: AllCases, api: Api, name: str) -> None:
    """An order whose payment an event has reported is credited, also if a forged event came before it."""
    expect_credit(all_cases(api), name)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        twice=(9, 6), at_once=(10, 7), another_id=(11, 8), again_later=(29, 27), connection_broken=(12, 9),
        before_creation=(13, 10), to_postback_too=(27, 0),
    ),
)  # fmt: skip
def test_a_payment_credits_once_however_often_it_is_reported(all_cases: AllCases, api: Api, name: str) -> None:
    """A payment that is reported twice, at the same moment, under another id or in another order credits once."""
    expect_credit(all_cases(api), name, exact=False)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        created=(4, 4), canceled=(0, 5), updated=(5, 0), refunded=(6, 0), infraction=(7, 0), transfer_completed=(8, 0),
        unknown=(21, 21),
    ),
)  # fmt: skip
def test_no_other_event_credits_an_order(all_cases: AllCases, api: Api, name: str) -> None:
    """An event other than that of a payment credits nothing, though its signature is right."""
    expect_credit(all_cases(api), name, exact=False)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        white_space=(14, 11), escapes=(14, 11), unicode=(14, 11), key_order=(14, 11), numbers=(14, 11),
        more_fields=(22, 22), lower_case_header=(24, 24), recent=(0, 19),
    ),
)  # fmt: skip
def test_an_event_with_a_right_signature_is_accepted(all_cases: AllCases, api: Api, name: str) -> None:
    """An event credits its order in each notation of body and header, with further fields, and 200 s after t."""
    expect_credit(all_cases(api), name)


@pytest.mark.parametrize(
    ("api", "name"),
    rows(
        body_alone=(15, 12), other_secret=(16, 13), changed_body=(17, 14), unsigned=(18, 15), empty_hash=(19, 16),
        short_hash=(19, 16), no_hash=(19, 16), hour_old=(0, 17), hour_ahead=(0, 18),
    )
    + rows(no_secret=(16, 13)),
)  # fmt: skip
def test_a_wrong_signature_changes_nothing(all_cases: AllCases, api: Api, name: str) -> None:
    """An event with a forged, foreign, cut, absent or old signature credits nothing."""
    expect_credit(all_cases(api), name, exact=False)


@requirement("PAY-HOOK-26")
def test_an_old_event_of_the_payments_api(every_case: AllCases, observe: Observer) -> None:
    """An event of the payments API with t an hour in the past is accepted or not: the document is silent."""
    outcomes = every_case(Api.PAYMENTS)
    outcome = outcomes["hour-old"]
    if outcome.after is not None:
        require_credit(outcomes["paid"], exact=False)
    last = outcome.deliveries[-1]
    done = "unknown" if outcome.after is None else "credited" if outcome.after else "not credited"
    observe("PAY-HOOK-26", f"the payment was {done}, and the answer {last.status}", {"credit": done}, last)


@pytest.mark.parametrize(
    "api", [case("PAY-HOOK-23", Api.PAYMENTS, id="payments"), case("BUS-HOOK-23", Api.BUSINESS, id="business")]
)
def test_two_orders_of_one_amount_are_each_credited(integration: Integration, all_cases: AllCases, api: Api) -> None:
    """Of two orders of the same amount each is credited by its own event, the later order first."""
    integration.require_hook(api)
    integration.commands.require("order", "credited")
    require_credit(all_cases(api)["paid"])
    cents = integration.next_cents()
    first, later = (integration.place(api, cents) for _ in range(2))
    what = f"the event of the payment of the later of two orders of {cents} cents"
    delivery = deliver_payment(integration, integration.paid(later))
    expect(delivery, credited(cents, 0, integration.credited_soon(later, cents), [what]))
    expect(delivery, credited(0, 0, integration.credited(first), [f"{what}, which is not this one"]))
    delivery = deliver_payment(integration, integration.paid(first))
    expect(delivery, credited(cents, 0, integration.credited_soon(first, cents), [what, "that of the first one"]))


def deliver_payment(integration: Integration, order: Order) -> Exchange:
    """Deliver the event of the payment of an order."""
    (event,) = genuine(order, integration.secret(order.charge.api))
    return integration.deliver(event)
