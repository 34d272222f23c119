"""Events that a charge and a transfer send to webhooks and to their postbackUrl."""

from collections.abc import Iterator

import pytest

from fixtures import available
from fixtures.payments import (
    QUERY,
    Approvals,
    Cause,
    EventSource,
    Lookup,
    SubscribedWebhooks,
    Webhook,
    comes_of_an_equal,
    events_of_run,
    histories_of,
    missing_subjects,
    skip_if_events_wait,
)
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.usefixtures("early_events")


@quick
@requirement("PAY-EVT-01")
def test_a_new_charge_sends_transaction_created(
    charge_with_postback: EventSource, webhooks: SubscribedWebhooks
) -> None:
    """The creation of a charge sends transaction_created to a webhook that subscribes to it."""
    charge = charge_with_postback
    expect(charge.created, sends("transaction_created", to=webhooks, about=charge))


@quick
@requirement("PAY-EVT-02")
def test_a_payment_sends_transaction_paid(payment_with_postback: Cause, webhooks: SubscribedWebhooks) -> None:
    """The payment of a charge sends transaction_paid to a webhook that subscribes to it."""
    expect(payment_with_postback.request, sends("transaction_paid", to=webhooks, about=payment_with_postback.about))


@quick
@requirement("PAY-EVT-03")
def test_a_new_transfer_sends_transfer_created(
    transfer_with_postback: EventSource, webhooks: SubscribedWebhooks
) -> None:
    """The creation of a transfer sends transfer_created to a webhook that subscribes to it."""
    transfer = transfer_with_postback
    expect(transfer.created, sends("transfer_created", to=webhooks, about=transfer))


@quick
@requirement("PAY-EVT-04")
def test_a_completion_sends_transfer_completed(completion_with_postback: Cause, webhooks: SubscribedWebhooks) -> None:
    """The completion of a transfer sends transfer_completed to a webhook that subscribes to it."""
    expect(
        completion_with_postback.request, sends("transfer_completed", to=webhooks, about=completion_with_postback.about)
    )


@requirement("PAY-EVT-01")
def test_a_new_charge_without_a_postback_url_sends_transaction_created(
    charge_without_postback: EventSource, webhooks: SubscribedWebhooks
) -> None:
    """The creation of a charge that has no postbackUrl sends transaction_created to a webhook too."""
    charge = charge_without_postback
    expect(charge.created, sends("transaction_created", to=webhooks, about=charge))


@requirement("PAY-EVT-02")
def test_the_payment_of_a_charge_without_a_postback_url_sends_transaction_paid(
    payment_without_postback: Cause, webhooks: SubscribedWebhooks
) -> None:
    """The payment of a charge that has no postbackUrl sends transaction_paid to a webhook too."""
    expect(
        payment_without_postback.request, sends("transaction_paid", to=webhooks, about=payment_without_postback.about)
    )


@requirement("PAY-EVT-03")
def test_a_new_transfer_without_a_postback_url_sends_transfer_created(
    transfer_without_postback: EventSource, webhooks: SubscribedWebhooks
) -> None:
    """The creation of a transfer that has no postbackUrl sends transfer_created to a webhook too."""
    transfer = transfer_without_postback
    expect(transfer.created, sends("transfer_created", to=webhooks, about=transfer))


@requirement("PAY-EVT-04")
def test_the_completion_of_a_transfer_without_a_postback_url_sends_transfer_completed(
    completion_without_postback: Cause, webhooks: SubscribedWebhooks
) -> None:
    """The completion of a transfer that has no postbackUrl sends transfer_completed to a webhook too."""
    expect(
        completion_without_postback.request,
        sends("transfer_completed", to=webhooks, about=completion_without_postback.about),
    )


@requirement("PAY-EVT-01")
def test_a_new_charge_with_every_field_sends_transaction_created(
    full_charge_with_postback: EventSource, webhooks: SubscribedWebhooks
) -> None:
    """The creation of a charge with every optional field, items and splits too, sends transaction_created."""
    charge = full_charge_with_postback
    expect(charge.created, sends("transaction_created", to=webhooks, about=charge))


@requirement("PAY-EVT-02")
def test_the_payment_of_a_charge_with_every_field_sends_transaction_paid(
    payment_of_full_charge: Cause, webhooks: SubscribedWebhooks
) -> None:
    """The payment of a charge with every optional field, items and splits too, sends transaction_paid."""
    expect(payment_of_full_charge.request, sends("transaction_paid", to=webhooks, about=payment_of_full_charge.about))


@requirement("PAY-EVT-13")
def test_the_payment_of_a_charge_with_every_field_is_sent_to_its_postback_url(payment_of_full_charge: Cause) -> None:
    """The payment of a charge with every field is sent to its postbackUrl, which another charge had before."""
    charge = payment_of_full_charge.about
    expect(payment_of_full_charge.request, sends("transaction_paid", to=charge.postback, about=charge))


@requirement("PAY-EVT-13")
def test_a_payment_is_sent_to_the_postback_url_of_its_charge(payment_with_postback: Cause) -> None:
    """The payment of a charge sends transaction_paid to the postbackUrl that the charge was created with."""
    charge = payment_with_postback.about
    expect(payment_with_postback.request, sends("transaction_paid", to=charge.postback, about=charge))


@requirement("PAY-EVT-13")
def test_a_payment_is_sent_to_the_postback_url_of_an_account_without_a_webhook(payment_without_webhook: Cause) -> None:
    """The payment of a charge sends transaction_paid to its postbackUrl while the account has no webhook."""
    charge = payment_without_webhook.about
    expect(payment_without_webhook.request, sends("transaction_paid", to=charge.postback, about=charge))


@requirement("PAY-EVT-15")
def test_a_completion_is_sent_to_the_postback_url_of_its_transfer(completion_with_postback: Cause) -> None:
    """The completion of a transfer sends transfer_completed to the postbackUrl that the transfer was created with."""
    transfer = completion_with_postback.about
    expect(completion_with_postback.request, sends("transfer_completed", to=transfer.postback, about=transfer))


@requirement("PAY-EVT-16")
def test_a_new_transfer_is_sent_to_its_postback_url(transfer_with_postback: EventSource) -> None:
    """The creation of a transfer sends transfer_created to its postbackUrl."""
    transfer = transfer_with_postback
    expect(transfer.created, sends("transfer_created", to=transfer.postback, about=transfer))


@requirement("PAY-EVT-95")
def test_transaction_paid_comes_to_the_url_of_a_webhook_with_its_query(
    payment_with_postback: Cause, webhook_for_payments: Webhook
) -> None:
    """An event comes to the whole url of its webhook: the query is a part of it."""
    webhook, payment = webhook_for_payments, payment_with_postback
    event = await_event("transaction_paid", to=webhook, about=payment.about, cause=payment.request)
    expect(event, comes_to_address_with(QUERY))


@requirement("PAY-EVT-96")
def test_transaction_paid_comes_to_the_postback_url_with_its_query(transaction_paid_at_postback: Delivery) -> None:
    """An event comes to the whole postbackUrl of its charge: the query is a part of it."""
    expect(transaction_paid_at_postback, comes_to_address_with(QUERY))


@requirement("PAY-EVT-96")
def test_transfer_completed_comes_to_the_postback_url_with_its_query(transfer_completed_at_postback: Delivery) -> None:
    """An event comes to the whole postbackUrl of its transfer: the query is a part of it."""
    expect(transfer_completed_at_postback, comes_to_address_with(QUERY))


@requirement("PAY-EVT-05")
def test_a_change_of_status_sends_transfer_updated(updated_transfer: EventSource, webhooks: SubscribedWebhooks) -> None:
    """A transfer that queries show in two statuses, neither final, sends transfer_updated to a webhook."""
    expect(updated_transfer.created, sends("transfer_updated", to=webhooks, about=updated_transfer))


@requirement("PAY-EVT-92")
def test_a_change_of_status_is_sent_to_the_postback_url_of_its_transfer(updated_transfer: EventSource) -> None:
    """A transfer that queries show in two statuses, neither final, sends transfer_updated to its postbackUrl."""
    transfer = updated_transfer
    expect(transfer.created, sends("transfer_updated", to=transfer.postback, about=transfer))


@deferred(AT_THE_END)
@requirement("PAY-EVT-06")
def test_a_transfer_that_is_canceled_sends_transfer_canceled(
    webhooks: SubscribedWebhooks, canceled_transfer: EventSource
) -> None:
    """A transfer above the balance that becomes canceled or refused sends transfer_canceled to a webhook."""
    transfer = canceled_transfer
    if not await_deliveries("transfer_canceled", to=webhooks, about=transfer, cause=transfer.created):
        skip_if_events_wait(webhooks.channel)
    expect(transfer.created, sends("transfer_canceled", to=webhooks, about=transfer))


@deferred(AT_THE_END)
@requirement("PAY-EVT-93")
def test_a_transfer_that_is_canceled_is_sent_to_its_postback_url(canceled_transfer: EventSource) -> None:
    """A transfer above the balance that becomes canceled or refused sends transfer_canceled to its postbackUrl."""
    transfer = canceled_transfer
    if not await_deliveries("transfer_canceled", to=transfer.postback, about=transfer, cause=transfer.created):
        skip_if_events_wait(transfer.postback.channel)
    expect(transfer.created, sends("transfer_canceled", to=transfer.postback, about=transfer))


def _observe_events_of(source: EventSource, run: Run, observe: Observer) -> None:
    run.webhook_channel[Api.PAYMENTS].wait_quiet_period()
    names = sorted({str(event_of(one, Api.PAYMENTS)) for one in events_of_run(run) if source.may_be_subject_of(one)})
    observe("PAY-EVT-10", f"of one {source.kind}: {', '.join(names) or 'nothing'}", names)


@deferred(0)
@requirement("PAY-EVT-10")
def test_which_events_a_payment_sends(payment_with_postback: Cause, run: Run, observe: Observer) -> None:
    """Which events a charge has sent once it is paid is noted: a payment changes a status, as an update does."""
    _observe_events_of(payment_with_postback.about, run, observe)


@deferred(0)
@requirement("PAY-EVT-10")
def test_which_events_a_completion_sends(request: pytest.FixtureRequest, run: Run, observe: Observer) -> None:
    """Which events a transfer has sent once it is completed is noted: a completion changes a status too."""
    completed = available(request, "completion_with_postback")
    if not completed:
        raise not_applicable("no transfer was completed")
    _observe_events_of(completed[0].about, run, observe)


@deferred(0)
@requirement("PAY-EVT-14")
def test_whether_a_new_charge_is_sent_to_its_postback_url(charge_with_postback: EventSource, observe: Observer) -> None:
    """Whether the creation of a charge sends transaction_created to its postbackUrl is noted: two sentences differ."""
    charge = charge_with_postback
    charge.postback.channel.wait_quiet_period()
    came = filter(charge.may_be_subject_of, charge.postback.deliveries())
    found = [one for one in came if event_of(one, Api.PAYMENTS) == "transaction_created"]
    words = f"transaction_created {'came' if found else 'did not come'} to the postbackUrl"
    observe("PAY-EVT-14", words, bool(found), *found[:1])


@pytest.mark.whole_run
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "event",
    [
        case("PAY-EVT-01", "transaction_created", id="transaction_created"),
        case("PAY-EVT-02", "transaction_paid", id="transaction_paid"),
        case("PAY-EVT-03", "transfer_created", id="transfer_created"),
        case("PAY-EVT-04", "transfer_completed", id="transfer_completed"),
        case("PAY-EVT-05", "transfer_updated", id="transfer_updated"),
    ],
)
def test_every_change_has_its_event(
    run: Run, payments: Payments, webhook_all_events: Webhook, approvals: Approvals, event: str
) -> Iterator[None]:
    """Each charge and transfer of the run sent its events to a webhook; where one is missing, an equal one sends it."""
    yield
    there = webhook_all_events
    lost = histories_of(run).change_without_event(event, there.deliveries(), there.created.ended)
    lasting = lost if lost and not comes_of_an_equal(event, lost, payments, there, approvals) else None
    expect(lasting.cause if lasting else there.created, computed("each change is sent", lasting and lasting.problem))


@pytest.mark.whole_run
@deferred(AT_THE_END)
@requirement("PAY-EVT-94")
def test_every_event_is_about_something_that_exists(run: Run, lookup: Lookup) -> Iterator[None]:
    """The charge or transfer of an event is found by a query; twenty that this run did not create are looked up."""
    yield
    run.webhook_channel[Api.PAYMENTS].wait_quiet_period()
    found = missing_subjects(events_of_run(run), lookup)
    example = next(found)
    subject, problem = next(found, example)
    expect(subject, computed("the charge or transfer of the event is found", problem))
