"""Events of requests that are sent at the same time, by two accounts: each has its own, at its own address."""

from collections.abc import Iterator

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.concurrent
EVENTS = {
    "create_charge": ("transaction_created", "PAY-EVT-01", "PAY-EVT-48"),
    "pay_charge": ("transaction_paid", "PAY-EVT-02", "PAY-EVT-48"),
    "create_transfer": ("transfer_created", "PAY-EVT-03", "PAY-EVT-68"),
    "complete_transfer": ("transfer_completed", "PAY-EVT-04", "PAY-EVT-68"),
}
"""By operation its event, what states that it is sent, and what states its amount."""


@deferred(0)
@pytest.mark.parametrize("operation", [case(tuple(rules), name, id=name) for name, (_, *rules) in EVENTS.items()])
def test_each_of_simultaneous_changes_sends_its_event_to_the_webhook(
    simultaneous_requests: SimultaneousRequests, operation: str
) -> Iterator[None]:
    """Each charge or transfer created, paid or completed at once has an event with its amount at the webhook."""
    yield
    event, due, of_amount = EVENTS[operation]
    changes = [
        (account.webhook, change)
        for account in simultaneous_requests.accounts
        for change in account.accepted(simultaneous_requests.sent, operation)
        if account.webhook
    ]
    if not changes:
        raise NotApplicable("no account has a webhook, or the requests were refused")
    for webhook, (source, cause) in changes:
        expect(cause, sends(event, to=webhook, about=source), of=due)
    for webhook, (source, cause) in changes:
        delivery = await_event(event, to=webhook, about=source, cause=cause)
        require_field(delivery, f"{source.kind}.amount", "integer")
        expect(delivery, field(f"{source.kind}.amount", source.amount), of=of_amount)


PAID = ("PAY-EVT-13", "PAY-EVT-48", "PAY-EVT-54")
COMPLETED = ("PAY-EVT-15", "PAY-EVT-68", "PAY-EVT-73")
"""What states that the event comes to the postbackUrl, with the amount, with the endToEndId of its own object."""
CHANGES = {"pay_charge": "transaction_paid", "complete_transfer": "transfer_completed"}


@deferred(0)
@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-EVT-46", "pay_charge", id="pay_charge"),
        case("PAY-EVT-66", "complete_transfer", id="complete_transfer"),
    ],
)
def test_an_event_with_the_amount_of_its_postback_url_has_the_id_too(
    simultaneous_requests: SimultaneousRequests, operation: str
) -> Iterator[None]:
    """An event at the postbackUrl of a charge or transfer, with its amount, has its id: amounts are used once."""
    yield
    changes = simultaneous_requests.changed(operation)
    wait_quiet_period(changes[0][0].postback.channel)
    events = [
        (event, source)
        for source, _ in changes
        for event in source.postback.deliveries()
        if event_of(event, Api.PAYMENTS) == CHANGES[operation]
        if at(event.json, f"{source.kind}.amount") == source.amount
        if at(event.json, f"{source.kind}.id") is not MISSING
    ]
    if not events:
        raise NotApplicable("no event came to a postbackUrl")
    for event, source in events:
        expect(event, field(f"{source.kind}.id", source.created.at("data.id")))


@deferred(0)
@requirement("PAY-EVT-18")
@pytest.mark.parametrize("operation", CHANGES)
def test_a_change_that_is_refused_beside_an_equal_one_sends_no_event(
    simultaneous_requests: SimultaneousRequests, operation: str
) -> Iterator[None]:
    """If one of two simultaneous payments, or completions, is refused, the postbackUrl receives one event."""
    yield
    changes, event = simultaneous_requests.changed(operation), CHANGES[operation]
    refusals = simultaneous_requests.refusals(operation)
    if not refusals:
        raise NotApplicable("no request was refused beside an equal one that was accepted")
    for source, cause in changes:
        if source.created.id not in refusals:
            wait_quiet_period(source.postback.channel)
            if not is_met(no_second_event_received(event, events_at_postback(source, event)), cause):
                raise NotApplicable("an event comes again with another id though nothing was repeated")
    for source, _ in changes:
        if source.created.id in refusals:
            expect(refusals[source.created.id], sends_no_second(event, to=source.postback, about=source))


@deferred(0)
@pytest.mark.parametrize(
    ("operation", "event", "rules"),
    [
        case(PAID, "pay_charge", "transaction_paid", PAID, id="pay_charge"),
        case(COMPLETED, "complete_transfer", "transfer_completed", COMPLETED, id="complete_transfer"),
    ],
)
def test_each_of_simultaneous_changes_sends_its_own_event_to_its_postback_url(
    simultaneous_requests: SimultaneousRequests, operation: str, event: str, rules: tuple[str, str, str]
) -> Iterator[None]:
    """Each charge paid, or transfer completed, at once has an event at its postbackUrl, with its amount and its ids."""
    yield
    changes = simultaneous_requests.changed(operation)
    posted, of_amount, of_id = rules
    for source, cause in changes:
        expect(cause, sends(event, to=source.postback, about=source), of=posted)
    for source, cause in changes:
        delivery = await_event(event, to=source.postback, about=source, cause=cause)
        require_field(delivery, f"{source.kind}.id", "string")
        number = cause.at("data.endToEndId")
        expect(delivery, field(f"{source.kind}.amount", source.amount), of=of_amount)
        if isinstance(number, str) and isinstance(at(delivery.json, f"{source.kind}.pix.endToEndId"), str):
            expect(delivery, field(f"{source.kind}.pix.endToEndId", number), of=of_id)


@deferred(0)
@requirement("PAY-EVT-17")
def test_a_postback_url_receives_no_event_of_what_is_changed_at_the_same_time(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """The postbackUrl of each of several charges and transfers receives no event of the others, of any account."""
    sources = [source for account in simultaneous_requests.accounts for source in account.sources]
    if len(sources) < 2:
        raise NotApplicable("no two charges or transfers were created at once")
    for source in sources:
        for other in sources:
            if other is not source:
                expect(other.created, sends_no_event(to=source.postback, about=other))


@deferred(0)
@requirement("PAY-ISO-08")
def test_no_webhook_receives_an_event_of_what_another_account_changes_at_once(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """The webhook of each of two accounts receives no event of what the other one created, paid and completed."""
    pairs = [
        (it.webhook, source)
        for it, other in simultaneous_requests.each_with_other()
        for source in other.sources
        if it.webhook
    ]
    if not pairs:
        raise NotApplicable("no account has a webhook, or the other created nothing at once with it")
    for webhook, source in pairs:
        expect(source.created, sends_no_event(to=webhook, about=source))
