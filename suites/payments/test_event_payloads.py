"""Payloads of events: their agreement with what the API answered (payments.md, lines 206 and 351-355)."""

import pytest

from fixtures.payments.events import PaymentsEvents
from pix_conformance.checks.events import require_field
from pix_conformance.checks.matchers import computed, field, has
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement


@requirement("PAY-EVT-46")
@pytest.mark.parametrize("name", ["transaction_created", "transaction_paid"])
def test_the_id_is_that_of_the_charge(payments_events: PaymentsEvents, name: str) -> None:
    """The receiver tells charges apart by it."""
    heard = payments_events.expect_webhook_event(name).delivery
    expect(require_field(heard, "transaction.id", "string"), field("transaction.id", payments_events.charge.id))


@requirement("PAY-EVT-48")
@pytest.mark.parametrize("name", ["transaction_created", "transaction_paid"])
def test_the_amount_is_that_of_the_charge(payments_events: PaymentsEvents, name: str) -> None:
    """In cents, without the fees taken off."""
    heard = payments_events.expect_webhook_event(name).delivery
    expect(
        require_field(heard, "transaction.amount", "integer"),
        field("transaction.amount", payments_events.charge.amount),
    )


@requirement("PAY-EVT-48")
def test_the_amount_is_that_of_the_charge_where_it_is_split(payments_events: PaymentsEvents) -> None:
    """What others get of it is not taken off."""
    rich, at = payments_events.full_charge, payments_events.subscribers("transaction_paid")
    heard = payments_events.expect_event("transaction_paid", rich, payments_events.full_charge_payment, *at).delivery
    expect(require_field(heard, "transaction.amount", "integer"), field("transaction.amount", rich.amount))


@requirement("PAY-EVT-50")
def test_a_paid_charge_is_said_to_be_paid(payments_events: PaymentsEvents) -> None:
    """The status of the charge, not of its creation."""
    heard = payments_events.expect_webhook_event("transaction_paid").delivery
    expect(require_field(heard, "transaction.status", "string"), field("transaction.status", "paid"))


@requirement("PAY-EVT-51")
def test_a_created_charge_is_said_to_be_pending(payments_events: PaymentsEvents) -> None:
    """Asked of a charge that nobody paid, whose body could not be made too late."""
    quiet = payments_events.charge_without_postback
    heard = payments_events.expect_event(
        "transaction_created", quiet, quiet.created, *payments_events.webhooks_for_creations
    )
    expect(require_field(heard.delivery, "transaction.status", "string"), field("transaction.status", "pending"))


@requirement("PAY-EVT-49")
def test_a_charge_that_nobody_paid_is_not_said_to_be_paid(payments_events: PaymentsEvents) -> None:
    """Nor to be refunded, as it has been neither."""
    quiet = payments_events.charge_without_postback
    heard = payments_events.expect_event(
        "transaction_created", quiet, quiet.created, *payments_events.webhooks_for_creations
    )
    event = require_field(heard.delivery, "transaction.status", "string")
    found = event.json["transaction"]["status"]
    words = f"nobody paid it, and it is {found}" if found in {"paid", "refunded"} else None
    expect(event, computed("the status is one that the charge has had", words))


@requirement("PAY-EVT-69")
def test_a_transfer_that_nobody_completed_is_not_said_to_be_completed(payments_events: PaymentsEvents) -> None:
    """By an event that came before its completion was asked for."""
    statuses, completion = payments_events.statuses, payments_events.completion
    event = require_field(
        payments_events.expect_webhook_event("transfer_created").delivery, "transfer.status", "string"
    )
    if event.received >= completion.started or "completed" in statuses:
        raise not_applicable("the event came when the transfer could be completed")
    found = event.json["transfer"]["status"]
    words = f"it is {found} before its completion" if found in {"completed", "paid"} else None
    expect(event, computed("the status is one that the transfer has had", words))


@requirement("PAY-EVT-54")
def test_the_end_to_end_id_is_that_of_the_payment(payments_events: PaymentsEvents) -> None:
    """The simulation answered it."""
    answered = precondition(payments_events.payment, has("data.endToEndId")).at("data.endToEndId")
    heard = payments_events.expect_webhook_event("transaction_paid").delivery
    expect(require_field(heard, "transaction.pix.endToEndId", "string"), field("transaction.pix.endToEndId", answered))


@requirement("PAY-EVT-66")
@pytest.mark.parametrize("name", ["transfer_created", "transfer_completed"])
def test_the_id_is_that_of_the_transfer(payments_events: PaymentsEvents, name: str) -> None:
    """The receiver tells transfers apart by it."""
    heard = payments_events.expect_webhook_event(name).delivery
    expect(require_field(heard, "transfer.id", "string"), field("transfer.id", payments_events.transfer.id))


@requirement("PAY-EVT-68")
@pytest.mark.parametrize("name", ["transfer_created", "transfer_completed"])
def test_the_amount_is_that_of_the_transfer(payments_events: PaymentsEvents, name: str) -> None:
    """In cents, gross."""
    heard = payments_events.expect_webhook_event(name).delivery
    expect(
        require_field(heard, "transfer.amount", "integer"), field("transfer.amount", payments_events.transfer.amount)
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=requirement(*rules), id=name)
        for name, kind, rules in (
            ("transaction_paid", "transaction", ("PAY-EVT-46", "PAY-EVT-48")),
            ("transfer_completed", "transfer", ("PAY-EVT-66", "PAY-EVT-68")),
        )
    ],
)
def test_a_postback_address_is_told_the_same(payments_events: PaymentsEvents, name: str, kind: str) -> None:
    """Its id and its amount, as to a webhook."""
    thing = payments_events.charge if kind == "transaction" else payments_events.transfer
    heard = require_field(payments_events.expect_postback(name).delivery, f"{kind}.amount", "integer")
    expect(
        require_field(heard, f"{kind}.id", "string"),
        field(f"{kind}.id", thing.id),
        field(f"{kind}.amount", thing.amount),
    )


@requirement("PAY-EVT-73")
def test_the_end_to_end_id_is_that_of_the_completion(payments_events: PaymentsEvents) -> None:
    """The simulation answered it."""
    answered = precondition(payments_events.completion, has("data.endToEndId")).at("data.endToEndId")
    heard = payments_events.expect_webhook_event("transfer_completed").delivery
    expect(require_field(heard, "transfer.pix.endToEndId", "string"), field("transfer.pix.endToEndId", answered))
