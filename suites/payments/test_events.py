"""Events: what sends which, to whom, and what sends none (payments.md, lines 35, 94, 291, 316-330 and 360)."""

import pytest

from fixtures.payments.account import LAST
from fixtures.payments.event_scenario import QUERY
from fixtures.payments.events import PaymentsEvents
from fixtures.payments.overdraft import TURNED_DOWN, turned_down
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect, not_applicable
from pix_conformance.harness.requirement import case, requirement


@pytest.mark.parametrize(
    "name",
    [
        case("PAY-EVT-01", "transaction_created", id="transaction_created"),
        case("PAY-EVT-02", "transaction_paid", id="transaction_paid"),
        case("PAY-EVT-03", "transfer_created", id="transfer_created"),
        case("PAY-EVT-04", "transfer_completed", id="transfer_completed"),
    ],
)
def test_an_operation_is_announced_to_a_webhook(payments_events: PaymentsEvents, name: str) -> None:
    """One webhook that asks for the event hears of it."""
    expect(*payments_events.expect_webhook_event(name).check)


@pytest.mark.parametrize(
    "name",
    [
        case("PAY-EVT-03", "transfer_created", id="transfer_created"),
        case("PAY-EVT-04", "transfer_completed", id="transfer_completed"),
    ],
)
def test_a_transfer_without_a_postback_address_is_announced(payments_events: PaymentsEvents, name: str) -> None:
    """Webhooks do not depend on that address."""
    expect(*payments_events.expect_event_without_postback(name).check)


@pytest.mark.parametrize(
    "name",
    [
        case("PAY-EVT-01", "transaction_created", id="transaction_created"),
        case("PAY-EVT-02", "transaction_paid", id="transaction_paid"),
    ],
)
def test_a_charge_without_a_postback_address_is_announced(payments_events: PaymentsEvents, name: str) -> None:
    """Webhooks do not depend on that address."""
    expect(*payments_events.expect_event_without_postback(name).check)


@requirement("PAY-EVT-02")
def test_the_payment_of_a_charge_of_every_field_is_announced(payments_events: PaymentsEvents) -> None:
    """With items and splits too."""
    payments = payments_events.subscribers("transaction_paid")
    expect(
        *payments_events.expect_event(
            "transaction_paid", payments_events.full_charge, payments_events.full_charge_payment, *payments
        ).check
    )


@requirement("PAY-EVT-01")
def test_a_charge_of_every_field_is_announced(payments_events: PaymentsEvents) -> None:
    """With items and splits too."""
    charge, name = payments_events.full_charge, "transaction_created"
    expect(*payments_events.expect_event(name, charge, charge.created, *payments_events.subscribers(name)).check)


@requirement("PAY-EVT-13")
def test_the_postback_address_of_a_charge_of_every_field_hears(payments_events: PaymentsEvents) -> None:
    """With items and splits too, and though the payment of another charge was told to that address before."""
    _ = payments_events.payment
    expect(
        *payments_events.expect_payment_postback(payments_events.full_charge, payments_events.full_charge_payment).check
    )


@requirement("PAY-EVT-02")
def test_a_payment_is_announced_to_a_webhook_younger_than_its_charge(payments_events: PaymentsEvents) -> None:
    """It is registered when the charge is paid."""
    expect(*payments_events.event_at_younger_webhook.check)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        pytest.param("transaction_paid", "webhook", marks=requirement("PAY-EVT-02"), id="webhook"),
        pytest.param("transaction_paid", "postback", marks=requirement("PAY-EVT-13"), id="postback-of-charge"),
        pytest.param("transfer_completed", "postback", marks=requirement("PAY-EVT-15"), id="postback-of-transfer"),
    ],
)
def test_an_event_comes_to_the_whole_address(payments_events: PaymentsEvents, name: str, place: str) -> None:
    """The query of an address is a part of it."""
    if place == "webhook":
        there = payments_events.webhook_for_payments
        heard = payments_events.expect_event(name, payments_events.charge, payments_events.payment, there).delivery
    else:
        heard = payments_events.expect_postback(name).delivery
    words = None if heard.path.endswith(QUERY) else f"it came to {heard.path}, without {QUERY}"
    expect(heard, computed("the event comes to the whole address", words))


@requirement("PAY-EVT-05")
def test_a_change_of_status_is_announced(payments_events: PaymentsEvents) -> None:
    """A transfer that two queries saw in two statuses, neither of them final, sends transfer_updated."""
    _ = payments_events.update
    expect(*payments_events.expect_webhook_event("transfer_updated").check)


@requirement("PAY-EVT-92")
def test_a_postback_address_hears_of_a_change_of_status(payments_events: PaymentsEvents) -> None:
    """The postbackUrl of a transfer that two queries saw in two statuses receives transfer_updated."""
    _ = payments_events.update
    expect(*payments_events.expect_postback("transfer_updated").check)


@requirement("PAY-EVT-16")
def test_a_postback_address_hears_of_a_new_transfer(payments_events: PaymentsEvents) -> None:
    """The postbackUrl of a transfer receives transfer_created."""
    expect(*payments_events.expect_postback("transfer_created").check)


@deferred(LAST)
@requirement("PAY-EVT-06")
def test_a_transfer_that_is_turned_down_is_announced(payments_events: PaymentsEvents, payments: Payments) -> None:
    """A transfer beyond the balance that was accepted, and then canceled or refused, sends transfer_canceled."""
    thing = turned_down(payments, *TURNED_DOWN)
    there = payments_events.subscribers("transfer_canceled")
    expect(*payments_events.expect_event("transfer_canceled", thing, thing.created, *there).check)


@deferred(LAST)
@requirement("PAY-EVT-93")
def test_a_postback_address_hears_of_a_transfer_that_is_turned_down(
    payments_events: PaymentsEvents, payments: Payments
) -> None:
    """The postbackUrl of a transfer that is canceled or refused receives transfer_canceled."""
    expect(*payments_events.expect_cancel_postback(turned_down(payments, *TURNED_DOWN)).check)


@requirement("PAY-EVT-12")
@pytest.mark.parametrize("name", ["transaction_created", "transaction_paid", "transfer_completed"])
def test_every_webhook_that_asks_hears(payments_events: PaymentsEvents, name: str) -> None:
    """Two webhooks ask for each of these events."""
    heard = payments_events.expect_webhook_event(name).delivery
    for missing in payments_events.webhooks_without_delivery(name):
        expect(heard, computed("each webhook hears", f"the webhook at {missing.path.path} did not hear of it"))
    expect(heard, computed("each webhook hears", None))


@requirement("PAY-EVT-01")
def test_each_of_many_webhooks_hears(payments_events: PaymentsEvents) -> None:
    """More than twenty ask for one event, or as many as a quota leaves."""
    cause, words = payments_events.many_webhooks
    expect(cause, computed("each webhook hears", words))


@pytest.mark.parametrize(
    "name",
    [
        case("PAY-EVT-01", "transaction_created", id="transaction_created"),
        case("PAY-EVT-02", "transaction_paid", id="transaction_paid"),
    ],
)
def test_each_of_two_webhooks_of_one_address_hears(payments_events: PaymentsEvents, name: str) -> None:
    """Each asks for an event of its own, so both events come to that address."""
    cause, words = payments_events.two_webhooks_of_one_url[name]
    expect(cause, computed("each webhook hears", words))


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        pytest.param("transaction_created", ["PAY-EVT-01"], marks=requirement("PAY-EVT-01"), id="created"),
        pytest.param(
            "transaction_paid", ["PAY-EVT-02", "PAY-EVT-13"], marks=requirement("PAY-EVT-02", "PAY-EVT-13"), id="paid"
        ),
    ],
)
def test_a_webhook_that_answers_500_keeps_no_event_from_others(
    payments_events: PaymentsEvents, name: str, rules: list[str]
) -> None:
    """It was registered between two others; after a payment there is the postbackUrl too."""
    if name not in payments_events.webhooks_beside_failing_one:
        raise not_applicable("the creation did not come to each webhook, so the payment is not asked about")
    cause, words = payments_events.webhooks_beside_failing_one[name]
    of = [one for one in rules if words is None or ("postbackUrl" if one == "PAY-EVT-13" else "webhook") in words]
    expect(cause, computed("the event comes to the others", words), of=of)


@pytest.mark.parametrize(
    "name",
    [
        case("PAY-EVT-13", "transaction_paid", id="transaction_paid"),
        case("PAY-EVT-15", "transfer_completed", id="transfer_completed"),
    ],
)
def test_a_postback_address_hears(payments_events: PaymentsEvents, name: str) -> None:
    """The address that a charge or transfer was created with hears of its end."""
    expect(*payments_events.expect_postback(name).check)


@requirement("PAY-EVT-13")
def test_a_postback_address_hears_without_a_webhook(payments_events: PaymentsEvents) -> None:
    """The other account had none of this run when its charge was paid."""
    expect(
        *payments_events.expect_payment_postback(
            payments_events.charge_without_webhook, payments_events.payment_without_webhook
        ).check
    )


@deferred(0)
@requirement("PAY-EVT-11")
def test_a_webhook_hears_nothing_that_it_did_not_ask_for(payments_events: PaymentsEvents) -> None:
    """The webhook for what ends hears of no creation and of no change between, and the other one of no end."""
    expect(*payments_events.after_quiet_period("unsubscribed_event").check)


@deferred(0)
@requirement("PAY-EVT-17")
def test_a_postback_address_hears_of_its_own_object_only(payments_events: PaymentsEvents) -> None:
    """Nothing about other charges and transfers of this run comes to it."""
    expect(*payments_events.after_quiet_period("event_at_wrong_postback").check)


@deferred(0)
@requirement("PAY-EVT-18")
@pytest.mark.parametrize(
    "part",
    [
        *("refused_charge", "refused_splits", "refused_description", "refused_transfer"),
        *("conflicting_transfer", "second_pay", "second_completion"),
    ],
)
def test_a_refused_request_sends_no_event(payments_events: PaymentsEvents, part: str) -> None:
    """Neither a new object is announced nor a second end of an old one."""
    expect(*payments_events.after_quiet_period(part).check)


@deferred(0)
@requirement("PAY-IDEM-04")
def test_a_refused_transfer_under_a_used_key_is_not_announced(payments_event_scenario: PaymentsEvents) -> None:
    """Where events can be seen, they show that a conflict has no effect behind it."""
    if (why := payments_event_scenario.channel.unavailable_reason()) is not None:
        raise not_applicable(f"the effect by events: {why}")
    expect(*payments_event_scenario.completed_scenario.after_quiet_period("conflicting_transfer").check)


@deferred(0)
@requirement("PAY-WH-63")
def test_a_removed_webhook_hears_nothing_of_what_follows(payments_events: PaymentsEvents) -> None:
    """It heard of a charge before it was removed, and hears of none made after."""
    expect(*payments_events.after_quiet_period("after_removal").check)


@deferred(0)
@requirement("PAY-ISO-08")
def test_a_webhook_of_another_account_hears_nothing(payments_events: PaymentsEvents) -> None:
    """It hears of a charge of its own account, and of none of the merchant's."""
    expect(*payments_events.after_quiet_period("foreign_delivery").check)


@deferred(0)
@requirement("PAY-EVT-19")
def test_an_accepted_event_is_not_sent_again(payments_events: PaymentsEvents) -> None:
    """One copy at each webhook."""
    first = payments_events.expect_webhook_event("transaction_paid").delivery
    payments_events.channel.wait_quiet_period()
    expect(
        first,
        computed(
            "an event answered 200 is not sent again", payments_events.repeated_delivery_problem("transaction_paid")
        ),
    )


@deferred(0)
@requirement("PAY-EVT-21")
def test_an_event_that_is_sent_again_has_the_same_body(payments_events: PaymentsEvents) -> None:
    """Byte for byte where it was answered 500."""
    attempts = payments_events.attempts
    if len(attempts) == 1:
        raise not_applicable("the event that was answered 500 was not sent again while the run lasted")
    other = next((one for one in attempts if one.json != attempts[0].json), None)
    expect(
        other or attempts[0],
        computed("every attempt has the same body", "an attempt has another body" if other else None),
    )
