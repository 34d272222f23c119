"""What events say of their charge or transfer, against what the API answered."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

Stated = Callable[[ObjectCause], Any]
"""Returns what a request sent or answered, which its event has to repeat."""
TYPES = {str: "string", int: "integer"}


def created_id(cause: ObjectCause) -> str:
    """Return the data.id of the creation."""
    return cause.about.id


def amount(cause: ObjectCause) -> int:
    """Return the amount that the charge or transfer was created with, in cents, without the fees taken off."""
    return cause.about.amount


def end_to_end_id(cause: ObjectCause) -> Any:
    """Return the data.endToEndId that a payment or completion answered."""
    return precondition(cause.exchange, has("data.endToEndId")).at("data.endToEndId")


def expect_stated(event: Delivery, path: str, value: Any) -> None:
    """Expect an event to repeat a value; Inconclusive if it has none of that type, which is another requirement."""
    expect(require_field(event, path, TYPES[type(value)]), field(path, value))


@pytest.mark.parametrize(
    ("by", "path", "stated"),
    [
        case("PAY-EVT-46", lambda e: e.creation, "transaction.id", created_id, id="created-id"),
        case("PAY-EVT-46", lambda e: e.payment, "transaction.id", created_id, id="paid-id"),
        case("PAY-EVT-48", lambda e: e.creation, "transaction.amount", amount, id="created-amount"),
        case("PAY-EVT-48", lambda e: e.payment, "transaction.amount", amount, id="paid-amount", quick=True),
        case("PAY-EVT-48", lambda e: e.full_payment, "transaction.amount", amount, id="paid-amount-with-splits"),
        case("PAY-EVT-50", lambda e: e.payment, "transaction.status", lambda _: "paid", id="paid"),
        case("PAY-EVT-51", lambda e: e.unpaid_creation, "transaction.status", lambda _: "pending", id="pending"),
        case("PAY-EVT-54", lambda e: e.payment, "transaction.pix.endToEndId", end_to_end_id, id="paid-end-to-end-id"),
        case("PAY-EVT-66", lambda e: e.transfers.creation, "transfer.id", created_id, id="created-transfer-id"),
        case("PAY-EVT-66", lambda e: e.transfers.completion, "transfer.id", created_id, id="completed-id"),
        case("PAY-EVT-68", lambda e: e.transfers.creation, "transfer.amount", amount, id="created-transfer-amount"),
        case(
            "PAY-EVT-68", lambda e: e.transfers.completion, "transfer.amount", amount, id="completed-amount", quick=True
        ),
        case(
            "PAY-EVT-73",
            lambda e: e.transfers.completion,
            "transfer.pix.endToEndId",
            end_to_end_id,
            id="completed-end-to-end-id",
        ),
    ],
)
def test_an_event_has_the_values_of_its_charge_or_transfer(
    payments_events: PaymentsEvents, by: CauseIn, path: str, stated: Stated
) -> None:
    """An event has the id, amount, status and endToEndId that its charge or transfer was created and ended with."""
    cause = by(payments_events).value
    value = stated(cause)
    expect_stated(cause.event_at(payments_events.webhooks), path, value)


@pytest.mark.parametrize(
    ("by", "path", "stated"),
    [
        case("PAY-EVT-46", lambda e: e.payment, "transaction.id", created_id, id="paid-id"),
        case("PAY-EVT-48", lambda e: e.payment, "transaction.amount", amount, id="paid-amount"),
        case("PAY-EVT-66", lambda e: e.transfers.completion, "transfer.id", created_id, id="completed-id"),
        case("PAY-EVT-68", lambda e: e.transfers.completion, "transfer.amount", amount, id="completed-amount"),
    ],
)
def test_an_event_at_a_postback_url_has_the_values_of_its_charge_or_transfer(
    payments_events: PaymentsEvents, by: CauseIn, path: str, stated: Stated
) -> None:
    """The event that comes to a postbackUrl has the id and the amount of the charge or transfer."""
    cause = by(payments_events).value
    expect_stated(cause.event_at(cause.about.postback), path, stated(cause))


@requirement("PAY-EVT-97")
def test_transaction_created_does_not_say_that_the_charge_is_paid(payments_events: PaymentsEvents) -> None:
    """The transaction.status of transaction_created is neither paid nor refunded, for a charge that is never paid."""
    event = payments_events.unpaid_creation.value.event_at(payments_events.webhooks)
    event = require_field(event, "transaction.status", "string")
    expect(event, not_field("transaction.status", "paid"), not_field("transaction.status", "refunded"))


@requirement("PAY-EVT-99")
def test_transfer_created_does_not_say_that_the_transfer_is_completed(payments_events: PaymentsEvents) -> None:
    """The transfer.status of transfer_created is not completed, in an event that came before the completion."""
    creation, completion = payments_events.transfers.creation.value, payments_events.transfers.completion.value
    event = require_field(creation.event_at(payments_events.webhooks), "transfer.status", "string")
    statuses = [exchange.at("data.status") for exchange in (creation.exchange, payments_events.transfers.query.value)]
    if event.received >= completion.exchange.started or "completed" in statuses:
        raise NotApplicable("the event came when the transfer could be completed")
    expect(event, not_field("transfer.status", "completed"), not_field("transfer.status", "paid"))


def _kind_of(value: Any) -> str:
    if value is MISSING or value is None:
        return "missing" if value is MISSING else "null"
    return "empty" if value in ("", {}, []) else "filled"


def _values(deliveries: list[Delivery], path: str) -> list[str]:
    values = (at(delivery.json, path) for delivery in deliveries)
    return sorted({str(value) for value in values if value is not MISSING})


@deferred(0)
@pytest.mark.parametrize(
    ("by", "party"),
    [
        case("PAY-EVT-91", lambda e: e.unpaid_creation, "payerInfo", id="transaction"),
        case("PAY-EVT-24", lambda e: e.transfers.creation, "creditorAccount", id="transfer"),
    ],
)
def test_what_pix_has_before_a_payment_or_completion(
    payments_events: PaymentsEvents, rule: str, by: CauseIn, party: str, observe: Observer
) -> None:
    """What transaction_created and transfer_created have in the fields of what has not happened yet is noted."""
    cause = by(payments_events).value
    event = cause.event_at(payments_events.webhooks)
    names = ("endToEndId", f"{party}.name", f"{party}.document")
    kinds = {name: _kind_of(at(event.json, f"{cause.about.kind}.pix.{name}")) for name in names}
    words = ", ".join(f"{name} is {kind}" for name, kind in kinds.items())
    observe(rule, f"{cause.about.kind}.pix at its creation: {words}", kinds, event)


@deferred(0)
@requirement("PAY-EVT-58")
def test_what_the_scope_of_events_is(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Which values the field scope has in the events of the run is noted."""
    scopes = _values(events_of_run(payments_events.channel), "scope")
    observe("PAY-EVT-58", f"scope is {', '.join(scopes)}", scopes)


@deferred(0)
@requirement("PAY-EVT-59")
def test_what_the_id_of_an_event_identifies(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Whether the field id identifies the event, the delivery or the charge is noted, over the events of one charge."""
    charge = payments_events.payment.value.about
    deliveries = list(filter(charge.may_be_subject_of, payments_events.webhook.value.deliveries()))
    ids = _values(deliveries, "id")
    own = "the id of the charge" if ids == [charge.id] else f"{len(ids)} different ids"
    observe("PAY-EVT-59", f"{len(deliveries)} deliveries about one charge carry {own}", ids, *deliveries)


@deferred(0)
@requirement("PAY-EVT-90")
def test_what_status_an_infraction_has(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Which infraction.status an infraction event has is noted, where one comes or is given with --deliveries."""
    events = events_of_run(payments_events.channel)
    infractions = [event for event in events if event_of(event, Api.PAYMENTS) == "infraction"]
    if not infractions:
        raise NotApplicable("no infraction event was seen, and no route opens one")
    observe("PAY-EVT-90", f"infraction.status is {', '.join(_values(infractions, 'infraction.status'))}")


@deferred(SETTLED_S + 1)
@pytest.mark.parametrize(
    ("by", "query"),
    [
        case("PAY-EVT-97", lambda e: e.payment, Payments.get_charge, id="transaction"),
        case("PAY-EVT-99", lambda e: e.transfers.completion, Payments.get_transfer, id="transfer"),
    ],
)
def test_a_query_long_after_an_event_denies_no_final_status_in_it(
    payments: Payments, payments_events: PaymentsEvents, by: CauseIn, query: Callable[..., Exchange]
) -> Iterator[None]:
    """No event of a paid charge or a completed transfer has a final status that a query 6 s later does not show."""
    about = by(payments_events).value.about
    yield
    precondition(query(payments, about.id), has("data.status", "string"))
    judged = histories_of(payments_events).final_statuses(about.kind)
    expect_every((event, matcher) for event, matcher in judged if about.may_be_subject_of(event))


@pytest.mark.whole_run
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "judge",
    [
        case("PAY-EVT-48", lambda histories: histories.amounts("transaction"), id="transaction-amount"),
        case("PAY-EVT-68", lambda histories: histories.amounts("transfer"), id="transfer-amount"),
        case("PAY-EVT-97", lambda histories: histories.final_statuses("transaction"), id="transaction-status"),
        case("PAY-EVT-99", lambda histories: histories.final_statuses("transfer"), id="transfer-status"),
        case("PAY-EVT-54", lambda histories: histories.end_to_end_ids("transaction_paid"), id="payment"),
        case("PAY-EVT-73", lambda histories: histories.end_to_end_ids("transfer_completed"), id="completion"),
        case("PAY-EVT-34", lambda histories: histories.numbers_of("transaction_paid"), id="one-payment"),
        case("PAY-EVT-34", lambda histories: histories.numbers_of("transfer_completed"), id="one-completion"),
    ],
)
def test_every_event_of_the_run_has_the_values_of_its_charge_or_transfer(
    payments_events: PaymentsEvents, judge: Callable[..., Iterable[tuple[Delivery, Matcher]]]
) -> Iterator[None]:
    """Each event has the amount that was sent, the endToEndId that was answered, and no end that later queries deny.

    Of those that end a charge or transfer there is one, which may be sent again.
    """
    yield
    expect_every(judge(histories_of(payments_events)))
