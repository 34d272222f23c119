"""Sequences of requests about transfers, charges and webhooks follow their models (payments.md, lines 154-206)."""

from __future__ import annotations

import pytest

from fixtures.payments.completions import Approvals
from fixtures.payments.state_machine import (
    Charges,
    ChargesWebhooksAndTransfers,
    Transfers,
    Webhooks,
    run_random_sequences,
)
from fixtures.payments.transfers import TransferBody
from fixtures.payments.webhooks import WebhookBody
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.target import Target


@pytest.mark.generated
@requirement(
    *("PAY-CMP-01", "PAY-CMP-10", "PAY-CMP-11", "PAY-CMP-19", "PAY-TRF-73"),
    *("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04"),
)
def test_any_sequence_with_transfers_follows_the_model(
    payments: Payments, a_transfer: TransferBody, approvals: Approvals, webhook_body: WebhookBody, target: Target
) -> None:
    """A transfer is completed by a completion only, and its idempotency key sends no other, in any order of moves."""
    transfers = Transfers(payments, a_transfer, approvals)
    transfer = transfers.send()
    transfers.query(transfer)
    transfers.repeat(transfer)
    transfers.reuse_key_with_other_body(transfer)
    transfers.complete_approved(transfer)
    transfers.repeat(transfer)
    transfers.reuse_key_with_other_body(transfer)
    transfers.complete(transfer)

    run_random_sequences(
        lambda: ChargesWebhooksAndTransfers(
            Charges(payments), Webhooks(payments, webhook_body), Transfers(payments, a_transfer, approvals)
        ),
        target,
    )
