"""Sequences of requests about charges and webhooks follow their tables of states."""

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


@pytest.mark.generated
@requirement("PAY-ISO-01", "PAY-ISO-02")
def test_another_account_neither_finds_nor_pays_a_charge_in_any_status(
    other_payments: Payments, payments: Payments, webhook_body: WebhookBody
) -> None:
    """A second account neither finds nor pays a charge of the first, in each status that a charge can reach."""
    model = ChargesAndWebhooks(payments, webhook_body, other_payments)
    reach_statuses(model, CHARGE, lambda name: name.endswith(ANOTHER_ACCOUNT))
