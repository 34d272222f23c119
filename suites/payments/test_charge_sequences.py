"""Sequences of requests about charges and webhooks follow their models (payments.md, lines 154-172)."""

from __future__ import annotations

import pytest

from fixtures.payments.state_machine import Charges, ChargesAndWebhooks, Webhooks, run_random_sequences
from fixtures.payments.webhooks import WebhookBody
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.target import Target


@pytest.mark.generated
@requirement(
    *("PAY-CHG-40", "PAY-PAYS-01", "PAY-PAYS-11", "PAY-PAYS-12", "PAY-PAYS-13", "PAY-PAYS-19"),
    *("PAY-WH-52", "PAY-WH-60", "PAY-WH-62", "PAY-WH-66"),
)
def test_any_sequence_of_charges_and_webhooks_follows_the_model(
    payments: Payments, webhook_body: WebhookBody, target: Target
) -> None:
    """Charges become paid by a payment only, and webhooks are listed until their DELETE, in any order of requests."""
    charges, webhooks = Charges(payments), Webhooks(payments, webhook_body)
    charge = charges.create()
    charges.query(charge)
    charges.pay(charge)
    charges.pay(charge)
    try:
        webhooks.register()
        webhooks.register()
        webhooks.list()
        webhooks.remove()
        webhooks.remove()
    finally:
        webhooks.remove_all()

    run_random_sequences(lambda: ChargesAndWebhooks(Charges(payments), Webhooks(payments, webhook_body)), target)
