"""What events say of their charge or transfer, against what the API answered."""

from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.payments import Cause, EventSource, Webhook, events_of_run, histories_of
from pix_conformance.testing import *

pytestmark = pytest.mark.usefixtures("early_events")


@requirement("PAY-EVT-46")
def test_transaction_created_has_the_id_of_the_charge(
    transaction_created: Delivery, charge_with_postback: EventSource
) -> None:
    """The transaction.id of transaction_created is the data.id that the creation of the charge answered."""
    event = require_field(transaction_created, "transaction.id", "string")
    expect(event, field("transaction.id", charge_with_postback.id))


@requirement("PAY-EVT-46")
def test_transaction_paid_has_the_id_of_the_charge(
    transaction_paid: Delivery, charge_with_postback: EventSource
) -> None:
    """The transaction.id of transaction_paid is the data.id that the creation of the charge answered."""
    event = require_field(transaction_paid, "transaction.id", "string")
    expect(event, field("transaction.id", charge_with_postback.id))


@requirement("PAY-EVT-48")
def test_transaction_created_has_the_amount_of_the_charge(
    transaction_created: Delivery, charge_with_postback: EventSource
) -> None:
    """The transaction.amount of transaction_created is the amountInCents of the charge, without the fees taken off."""
    event = require_field(transaction_created, "transaction.amount", "integer")
    expect(event, field("transaction.amount", charge_with_postback.amount))


@quick
@requirement("PAY-EVT-48")
def test_transaction_paid_has_the_amount_of_the_charge(
    transaction_paid: Delivery, charge_with_postback: EventSource
) -> None:
    """The transaction.amount of transaction_paid is the amountInCents of the charge, without the fees taken off."""
    event = require_field(transaction_paid, "transaction.amount", "integer")
    expect(event, field("transaction.amount", charge_with_postback.amount))


@requirement("PAY-EVT-48")
def test_transaction_paid_has_the_whole_amount_of_a_charge_with_splits(
    transaction_paid_of_full_charge: Delivery, full_charge_with_postback: EventSource
) -> None:
    """The transaction.amount of transaction_paid is the whole amountInCents of a charge with splits."""
    event = require_field(transaction_paid_of_full_charge, "transaction.amount", "integer")
    expect(event, field("transaction.amount", full_charge_with_postback.amount))


@requirement("PAY-EVT-50")
def test_transaction_paid_has_the_status_paid(transaction_paid: Delivery) -> None:
    """The transaction.status of transaction_paid is paid, not the status of the creation."""
    expect(require_field(transaction_paid, "transaction.status", "string"), field("transaction.status", "paid"))


@requirement("PAY-EVT-51")
def test_transaction_created_has_the_status_pending(transaction_created_of_unpaid_charge: Delivery) -> None:
    """The transaction.status of transaction_created is pending, for a charge that is never paid."""
    event = require_field(transaction_created_of_unpaid_charge, "transaction.status", "string")
    expect(event, field("transaction.status", "pending"))


@requirement("PAY-EVT-97")
def test_transaction_created_does_not_say_that_the_charge_is_paid(
    transaction_created_of_unpaid_charge: Delivery,
) -> None:
    """The transaction.status of transaction_created is neither paid nor refunded, for a charge that is never paid."""
    event = require_field(transaction_created_of_unpaid_charge, "transaction.status", "string")
    expect(event, not_field("transaction.status", "paid"), not_field("transaction.status", "refunded"))


@requirement("PAY-EVT-99")
def test_transfer_created_does_not_say_that_the_transfer_is_completed(
    transfer_created: Delivery,
    transfer_with_postback: EventSource,
    query_after_approval: Exchange,
    completion_with_postback: Cause,
) -> None:
    """The transfer.status of transfer_created is not completed, in an event that came before the completion."""
    event = require_field(transfer_created, "transfer.status", "string")
    statuses = [one.at("data.status") for one in (transfer_with_postback.created, query_after_approval)]
    if event.received >= completion_with_postback.request.started or "completed" in statuses:
        raise not_applicable("the event came when the transfer could be completed")
    expect(event, not_field("transfer.status", "completed"), not_field("transfer.status", "paid"))


@requirement("PAY-EVT-54")
def test_transaction_paid_has_the_end_to_end_id_of_the_payment(
    transaction_paid: Delivery, payment_with_postback: Cause
) -> None:
    """The transaction.pix.endToEndId of transaction_paid is the data.endToEndId that the payment answered."""
    payment = precondition(payment_with_postback.request, has("data.endToEndId"))
    event = require_field(transaction_paid, "transaction.pix.endToEndId", "string")
    expect(event, field("transaction.pix.endToEndId", payment.at("data.endToEndId")))


@requirement("PAY-EVT-66")
def test_transfer_created_has_the_id_of_the_transfer(
    transfer_created: Delivery, transfer_with_postback: EventSource
) -> None:
    """The transfer.id of transfer_created is the data.id that the creation of the transfer answered."""
    event = require_field(transfer_created, "transfer.id", "string")
    expect(event, field("transfer.id", transfer_with_postback.id))


@requirement("PAY-EVT-66")
def test_transfer_completed_has_the_id_of_the_transfer(
    transfer_completed: Delivery, transfer_with_postback: EventSource
) -> None:
    """The transfer.id of transfer_completed is the data.id that the creation of the transfer answered."""
    event = require_field(transfer_completed, "transfer.id", "string")
    expect(event, field("transfer.id", transfer_with_postback.id))


@requirement("PAY-EVT-68")
def test_transfer_created_has_the_amount_of_the_transfer(
    transfer_created: Delivery, transfer_with_postback: EventSource
) -> None:
    """The transfer.amount of transfer_created is the amount that the transfer was created with, in cents."""
    event = require_field(transfer_created, "transfer.amount", "integer")
    expect(event, field("transfer.amount", transfer_with_postback.amount))


@quick
@requirement("PAY-EVT-68")
def test_transfer_completed_has_the_amount_of_the_transfer(
    transfer_completed: Delivery, transfer_with_postback: EventSource
) -> None:
    """The transfer.amount of transfer_completed is the amount that the transfer was created with, in cents."""
    event = require_field(transfer_completed, "transfer.amount", "integer")
    expect(event, field("transfer.amount", transfer_with_postback.amount))


@requirement("PAY-EVT-46", "PAY-EVT-48")
def test_transaction_paid_at_a_postback_url_has_the_id_and_the_amount_of_the_charge(
    transaction_paid_at_postback: Delivery, charge_with_postback: EventSource
) -> None:
    """The transaction_paid that comes to a postbackUrl has the id and the amountInCents of the charge."""
    event = require_field(transaction_paid_at_postback, "transaction.amount", "integer")
    event = require_field(event, "transaction.id", "string")
    expect(event, field("transaction.amount", charge_with_postback.amount), of="PAY-EVT-48")
    expect(event, field("transaction.id", charge_with_postback.id), of="PAY-EVT-46")


@requirement("PAY-EVT-66", "PAY-EVT-68")
def test_transfer_completed_at_a_postback_url_has_the_id_and_the_amount_of_the_transfer(
    transfer_completed_at_postback: Delivery, transfer_with_postback: EventSource
) -> None:
    """The transfer_completed that comes to a postbackUrl has the id and the amount of the transfer."""
    event = require_field(transfer_completed_at_postback, "transfer.amount", "integer")
    event = require_field(event, "transfer.id", "string")
    expect(event, field("transfer.amount", transfer_with_postback.amount), of="PAY-EVT-68")
    expect(event, field("transfer.id", transfer_with_postback.id), of="PAY-EVT-66")


@requirement("PAY-EVT-73")
def test_transfer_completed_has_the_end_to_end_id_of_the_completion(
    transfer_completed: Delivery, completion_with_postback: Cause
) -> None:
    """The transfer.pix.endToEndId of transfer_completed is the data.endToEndId that the completion answered."""
    completion = precondition(completion_with_postback.request, has("data.endToEndId"))
    event = require_field(transfer_completed, "transfer.pix.endToEndId", "string")
    expect(event, field("transfer.pix.endToEndId", completion.at("data.endToEndId")))


def _kind_of(value: Any) -> str:
    if value is MISSING or value is None:
        return "missing" if value is MISSING else "null"
    return "empty" if value in ("", {}, []) else "filled"


def _values(deliveries: list[Delivery], path: str) -> list[str]:
    found = (at(one.json, path) for one in deliveries)
    return sorted({str(one) for one in found if one is not MISSING})


@deferred(0)
@requirement("PAY-EVT-91")
def test_what_transaction_pix_has_before_a_payment(
    transaction_created_of_unpaid_charge: Delivery, observe: Observer
) -> None:
    """What transaction_created has in the fields of a payment that has not happened is noted."""
    event, names = transaction_created_of_unpaid_charge, ("endToEndId", "payerInfo.name", "payerInfo.document")
    found = {name: _kind_of(at(event.json, f"transaction.pix.{name}")) for name in names}
    words = ", ".join(f"{name} is {kind}" for name, kind in found.items())
    observe("PAY-EVT-91", f"transaction.pix before the payment: {words}", found, event)


@deferred(0)
@requirement("PAY-EVT-24")
def test_what_transfer_pix_has_before_a_completion(transfer_created: Delivery, observe: Observer) -> None:
    """What transfer_created has in the fields of a completion that has not happened is noted."""
    names = ("endToEndId", "creditorAccount.name", "creditorAccount.document")
    found = {name: _kind_of(at(transfer_created.json, f"transfer.pix.{name}")) for name in names}
    words = ", ".join(f"{name} is {kind}" for name, kind in found.items())
    observe("PAY-EVT-24", f"transfer.pix before the completion: {words}", found, transfer_created)


@deferred(0)
@requirement("PAY-EVT-58")
def test_what_the_scope_of_events_is(run: Run, observe: Observer) -> None:
    """Which values the field scope has in the events of the run is noted."""
    found = _values(events_of_run(run), "scope")
    observe("PAY-EVT-58", f"scope is {', '.join(found)}", found)


@deferred(0)
@requirement("PAY-EVT-59")
def test_what_the_id_of_an_event_identifies(
    payment_with_postback: Cause, webhook_all_events: Webhook, observe: Observer
) -> None:
    """Whether the field id identifies the event, the delivery or the charge is noted, over the events of one charge."""
    charge = payment_with_postback.about
    found = list(filter(charge.may_be_subject_of, webhook_all_events.deliveries()))
    ids = _values(found, "id")
    own = "the id of the charge" if ids == [charge.id] else f"{len(ids)} different ids"
    observe("PAY-EVT-59", f"{len(found)} deliveries about one charge carry {own}", ids, *found)


@deferred(0)
@requirement("PAY-EVT-90")
def test_what_status_an_infraction_has(run: Run, observe: Observer) -> None:
    """Which infraction.status an infraction event has is noted, where one comes or is given with --deliveries."""
    found = [one for one in events_of_run(run) if event_of(one, Api.PAYMENTS) == "infraction"]
    if not found:
        raise not_applicable("no infraction event was seen, and no route opens one")
    observe("PAY-EVT-90", f"infraction.status is {', '.join(_values(found, 'infraction.status'))}")


@pytest.mark.whole_run
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "kind", [case("PAY-EVT-48", "transaction", id="transaction"), case("PAY-EVT-68", "transfer", id="transfer")]
)
def test_every_event_has_the_amount_of_the_request(run: Run, webhook_all_events: Webhook, kind: str) -> Iterator[None]:
    """Each event of the run has the amount that its charge or transfer was created with, small or large."""
    yield
    found = histories_of(run).misstated(kind)
    expect_none("its amount is that of the request", found, webhook_all_events.created)


@pytest.mark.whole_run
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "kind", [case("PAY-EVT-97", "transaction", id="transaction"), case("PAY-EVT-99", "transfer", id="transfer")]
)
def test_no_event_has_a_final_status_that_later_queries_deny(
    run: Run, webhook_all_events: Webhook, kind: str
) -> Iterator[None]:
    """No event has the status canceled or refunded where queries long afterwards show another status."""
    yield
    found = histories_of(run).undone(kind)
    expect_none("its status is one that it has had", found, webhook_all_events.created)


@pytest.mark.whole_run
@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "event",
    [
        case("PAY-EVT-54", "transaction_paid", id="transaction_paid"),
        case("PAY-EVT-73", "transfer_completed", id="transfer_completed"),
    ],
)
def test_every_event_of_a_payment_or_completion_has_its_end_to_end_id(
    run: Run, webhook_all_events: Webhook, event: str
) -> Iterator[None]:
    """Each transaction_paid and transfer_completed has the endToEndId that the payment or completion answered."""
    yield
    found = histories_of(run).misnamed(event)
    expect_none("its endToEndId is that of the response", found, webhook_all_events.created)
