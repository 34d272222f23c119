"""Sequences of requests about charges, webhooks and transfers follow their tables of states."""

from collections.abc import Callable
from functools import partial

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@pytest.mark.generated
@requirement(
    *("PAY-CHG-40", "PAY-PAYS-01", "PAY-PAYS-11", "PAY-PAYS-12", "PAY-PAYS-19"),
    *("PAY-WH-52", "PAY-WH-60", "PAY-WH-62", "PAY-WH-66"),
)
def test_any_sequence_of_charges_and_webhooks_follows_the_model(
    payments: Payments, webhook_body: WebhookBody, run: Run
) -> None:
    """Charges become paid by a payment only, and webhooks are listed until their DELETE, in any order of requests."""
    model = ChargesAndWebhooks(payments, webhook_body)
    try:
        reach_statuses(model, CHARGE)
        model.create(WEBHOOK)
        model.list_webhooks()
        reach_statuses(model, WEBHOOK)
    finally:
        model.remove()
    Walks(run, Api.PAYMENTS, lambda: ChargesAndWebhooks(payments, webhook_body), count=1).make()


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
)
def test_any_sequence_with_transfers_follows_the_model(new_model: NewModel, run: Run) -> None:
    """A transfer is completed by a completion only, and its idempotency key sends no other, in any order of moves."""
    reach_statuses(new_model(), TRANSFER)
    Walks(run, Api.PAYMENTS, new_model, count=1).make()


@pytest.mark.generated
@requirement("PAY-EVT-01", "PAY-EVT-02", "PAY-EVT-03", "PAY-EVT-04")
def test_any_sequence_sends_the_events_of_its_charges_and_transfers(
    new_model: NewModel, optional_receiver: PaymentsReceiver, payments_events: PaymentsEvents, run: Run
) -> None:
    """Charges and transfers send the events of what happened to them, and none for a request that was refused."""
    optional_receiver.require_events()
    events = EventsOfWalks(payments_events.webhooks, is_fast=is_fast(run, Api.PAYMENTS))
    Walks(run, Api.PAYMENTS, partial(new_model, events=events), count=1).make()
    model = new_model(events=events)
    model.bring_to(model.create(CHARGE), "paid")
    model.bring_to(model.create(TRANSFER), "completed")
    model.finish()
    events.judge()
