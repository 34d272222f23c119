"""Events that a charge and a transfer send to webhooks and to their postbackUrl."""

from collections.abc import Iterator

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@pytest.mark.parametrize(
    ("event", "by"),
    [
        case("PAY-EVT-01", "transaction_created", lambda e: e.creation, id="charge", quick=True),
        case("PAY-EVT-02", "transaction_paid", lambda e: e.payment, id="payment", quick=True),
        case("PAY-EVT-03", "transfer_created", lambda e: e.transfers.creation, id="transfer", quick=True),
        case("PAY-EVT-04", "transfer_completed", lambda e: e.transfers.completion, id="completion", quick=True),
        case("PAY-EVT-01", "transaction_created", lambda e: e.unpaid_creation, id="bare-charge"),
        case("PAY-EVT-02", "transaction_paid", lambda e: e.bare_payment, id="bare-payment"),
        case("PAY-EVT-03", "transfer_created", lambda e: e.transfers.bare_creation, id="bare-transfer"),
        case("PAY-EVT-04", "transfer_completed", lambda e: e.transfers.bare_completion, id="bare-completion"),
        case("PAY-EVT-01", "transaction_created", lambda e: e.full_creation, id="full-charge"),
        case("PAY-EVT-02", "transaction_paid", lambda e: e.full_payment, id="full-payment"),
        *(case(row.announced, row.event, of_unrequested(row), id=row.event, after=AT_THE_END) for row in OF_NO_REQUEST),
    ],
)
def test_a_change_sends_its_event_to_webhooks(payments_events: PaymentsEvents, event: str, by: CauseIn) -> None:
    """What creates or changes a charge or a transfer sends its event to a webhook that subscribes to it."""
    cause = by(payments_events).value
    expect(cause.exchange, sends(event, to=payments_events.webhooks, about=cause.about, shown_by=cause.shown_by))


@pytest.mark.parametrize(
    ("event", "by"),
    [
        case("PAY-EVT-13", "transaction_paid", lambda e: e.payment, id="payment"),
        case("PAY-EVT-13", "transaction_paid", lambda e: e.full_payment, id="full-payment"),
        case("PAY-EVT-15", "transfer_completed", lambda e: e.transfers.completion, id="completion"),
        case("PAY-EVT-16", "transfer_created", lambda e: e.transfers.creation, id="transfer"),
        *(
            case(row.postback, row.event, of_unrequested(row), id=row.event, after=AT_THE_END)
            for row in OF_NO_REQUEST
            if row.postback
        ),
    ],
)
def test_a_change_sends_its_event_to_the_postback_url(payments_events: PaymentsEvents, event: str, by: CauseIn) -> None:
    """What changes a charge or a transfer sends its event to the postbackUrl that this was created with."""
    cause = by(payments_events).value
    expect(cause.exchange, sends(event, to=cause.about.postback, about=cause.about, shown_by=cause.shown_by))


@requirement("PAY-EVT-13")
@pytest.mark.usefixtures("other_payments")
def test_a_payment_is_sent_to_the_postback_url_of_an_account_without_a_webhook(payments_events: PaymentsEvents) -> None:
    """The payment of a charge sends transaction_paid to its postbackUrl while the account has no webhook."""
    payment = payments_events.payment_without_webhook.value
    expect(payment.exchange, sends("transaction_paid", to=payment.about.postback, about=payment.about))


@requirement("PAY-EVT-95")
def test_transaction_paid_comes_to_the_url_of_a_webhook_with_its_query(payments_events: PaymentsEvents) -> None:
    """An event comes to the whole url of its webhook: the query is a part of it."""
    event = payments_events.payment.value.event_at(payments_events.webhook_for_payments.value)
    expect(event, comes_to_address_with(QUERY))


@requirement("PAY-EVT-96")
@pytest.mark.parametrize(
    "by", [lambda e: e.payment, lambda e: e.transfers.completion], ids=["transaction_paid", "transfer_completed"]
)
def test_an_event_comes_to_the_postback_url_with_its_query(payments_events: PaymentsEvents, by: CauseIn) -> None:
    """An event comes to the whole postbackUrl of its charge or transfer: the query is a part of it."""
    cause = by(payments_events).value
    expect(cause.event_at(cause.about.postback), comes_to_address_with(QUERY))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "place", [case("PAY-EVT-06", "webhooks", id="webhook"), case("PAY-EVT-93", "postbackUrl", id="postbackUrl")]
)
def test_a_transfer_that_is_canceled_sends_transfer_canceled(
    payments_events: PaymentsEvents, canceled_transfer: EventSource, place: str
) -> None:
    """A transfer above the balance that is canceled or refused sends the event to webhooks and its postbackUrl."""
    transfer = canceled_transfer
    address = payments_events.webhooks if place == "webhooks" else transfer.postback
    if not await_deliveries("transfer_canceled", to=address, about=transfer, cause=transfer.created):
        skip_if_events_wait(address.channel)
    expect(transfer.created, sends("transfer_canceled", to=address, about=transfer))


@deferred(0)
@requirement("PAY-EVT-10")
@pytest.mark.parametrize("by", [lambda e: e.payment, lambda e: e.transfers.completion], ids=["payment", "completion"])
def test_which_events_a_payment_or_completion_sends(
    payments_events: PaymentsEvents, by: CauseIn, observe: Observer
) -> None:
    """Which events a charge has sent once it is paid, or a transfer once it is completed, is noted."""
    for change in values(by(payments_events)):
        wait_quiet_period(payments_events.channel)
        deliveries = filter(change.about.may_be_subject_of, events_of_run(payments_events.channel))
        names = sorted({str(event_of(delivery, Api.PAYMENTS)) for delivery in deliveries})
        observe("PAY-EVT-10", f"of one {change.about.kind}: {', '.join(names) or 'nothing'}", names)
        return
    raise NotApplicable("nothing was paid or completed")


@deferred(0)
@requirement("PAY-EVT-14")
def test_whether_a_new_charge_is_sent_to_its_postback_url(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Whether the creation of a charge sends transaction_created to its postbackUrl is noted: two sentences differ."""
    charge = payments_events.creation.value.about
    wait_quiet_period(charge.postback.channel)
    came = filter(charge.may_be_subject_of, charge.postback.deliveries())
    deliveries = [delivery for delivery in came if event_of(delivery, Api.PAYMENTS) == "transaction_created"]
    words = f"transaction_created {'came' if deliveries else 'did not come'} to the postbackUrl"
    observe("PAY-EVT-14", words, bool(deliveries), *deliveries[:1])


@pytest.mark.whole_run
@deferred(AT_THE_END)
@pytest.mark.parametrize("event", [case(rule, event, id=event) for event, rule in ANNOUNCED.items()])
def test_every_change_has_its_event(
    payments: Payments, payments_events: PaymentsEvents, approvals: Approvals, event: str
) -> Iterator[None]:
    """Each charge and transfer of the run sent its events to a webhook; where one is missing, an equal one sends it."""
    yield
    webhook, histories = payments_events.webhook.value, histories_of(payments_events)
    arrived = event, webhook.deliveries(), webhook.created.ended
    if not (changes := histories.changes_with_event(*arrived)):
        raise NotApplicable(f"too few {event} were due and came to tell whether one is missing")
    change = histories.change_without_event(*arrived)
    lasting = change if change and not comes_of_an_equal(event, change, payments, webhook, approvals) else None
    cause, missing = (lasting.cause, [lasting.cause]) if lasting else (changes[-1], [])
    expect(cause, lacks_no_event(event, missing))


@pytest.mark.whole_run
@deferred(AT_THE_END)
@requirement("PAY-EVT-94")
def test_every_event_is_about_something_that_exists(payments_events: PaymentsEvents, lookup: Lookup) -> Iterator[None]:
    """The charge or transfer of an event is found by a query; twenty that this run did not create are looked up."""
    yield
    wait_quiet_period(payments_events.channel)
    expect_every(subjects_of_events(events_of_run(payments_events.channel), lookup))
