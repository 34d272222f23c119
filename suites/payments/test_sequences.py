"""Sequences of requests about charges, webhooks and transfers follow their tables of states."""

from collections.abc import Callable
from functools import partial

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@requirement("PAY-WH-52", "PAY-WH-60", "PAY-WH-62", "PAY-WH-66")
def test_webhooks_follow_their_table_of_states(payments: Payments, webhook_body: WebhookBody) -> None:
    """Each of two webhooks is listed until its own DELETE, and not after it."""
    model = ChargesAndWebhooks(payments, webhook_body)
    try:
        model.create(WEBHOOK)
        reach_statuses(model, WEBHOOK)
    finally:
        model.remove()


NewModel = Callable[..., ChargesWebhooksAndTransfers]


@pytest.fixture
def new_model(
    payments: Payments, webhook_body: WebhookBody, a_transfer: TransferBody, approvals: Approvals
) -> NewModel:
    """Return a function that makes an empty model."""
    return partial(ChargesWebhooksAndTransfers, payments, webhook_body, TransferFixtures(a_transfer, approvals))


@pytest.mark.generated
@requirement(
    *("PAY-CMP-01", "PAY-CMP-10", "PAY-CMP-11", "PAY-CMP-19", "PAY-TRF-73"),
    *("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04"),
    "PAY-PAYS-19",
)
def test_any_sequence_with_transfers_follows_the_model(new_model: NewModel, run: Run) -> None:
    """Transfers, charges and webhooks follow their tables, and a used idempotency key sends nothing, in any order."""
    model = new_model()
    reach_statuses(model, TRANSFER)
    model.query(model.create(CHARGE))
    Walks(run, Api.PAYMENTS, new_model, count=1).make()


@requirement("PAY-EVT-01", "PAY-EVT-02", "PAY-EVT-03", "PAY-EVT-04")
def test_a_charge_and_a_transfer_send_the_events_of_their_tables(
    new_model: NewModel, optional_receiver: PaymentsReceiver, payments_events: PaymentsEvents, run: Run
) -> None:
    """A charge and a transfer send the events of their creation, of the payment and of the completion."""
    optional_receiver.require_events()
    events = EventsOfWalks(payments_events.webhooks, is_fast=is_fast(run, Api.PAYMENTS))
    model = new_model(events=events)
    model.bring_to(model.create(CHARGE), "paid")
    model.bring_to(model.create(TRANSFER), "completed")
    model.finish()
    events.judge()
