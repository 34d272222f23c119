"""Sequences of requests about transfers, charges and webhooks follow their tables (payments.md, lines 154-206)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from fixtures.payments.completions import Approvals
from fixtures.payments.transfers import TransferBody
from fixtures.payments.walks import TRANSFER, ChargesWebhooksAndTransfers
from fixtures.payments.webhooks import WebhookBody
from fixtures.state_model import ANOTHER_ACCOUNT, reach_statuses
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run
from pix_conformance.harness.walks import Walks
from pix_conformance.model.vocabulary import Api

NewModel = Callable[..., ChargesWebhooksAndTransfers]


@pytest.fixture
def new_model(
    payments: Payments, webhook_body: WebhookBody, a_transfer: TransferBody, approvals: Approvals
) -> NewModel:
    """Return a function that makes an empty model, for one account or two."""
    return partial(ChargesWebhooksAndTransfers, payments, webhook_body, a_transfer, approvals)


@pytest.mark.generated
@requirement(
    *("PAY-CMP-01", "PAY-CMP-10", "PAY-CMP-11", "PAY-CMP-19", "PAY-TRF-73"),
    *("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04"),
)
def test_any_sequence_with_transfers_follows_the_model(new_model: NewModel, run: Run) -> None:
    """A transfer is completed by a completion only, and its idempotency key sends no other, in any order of moves."""
    reach_statuses(new_model(), TRANSFER)
    Walks(run, Api.PAYMENTS, new_model, count=2).make()


@pytest.mark.generated
@requirement("PAY-ISO-03", "PAY-ISO-04")
def test_any_sequence_of_two_accounts_follows_the_model(
    other_payments: Payments, new_model: NewModel, run: Run
) -> None:
    """A second account finds no transfer and no charge of the first and changes none, in any order of moves."""
    of_two_accounts = partial(new_model, other_payments)
    reach_statuses(of_two_accounts(), TRANSFER, lambda name: name.endswith(ANOTHER_ACCOUNT))
    Walks(run, Api.PAYMENTS, of_two_accounts, count=1).make()
