"""Requests that schemathesis makes of the OpenAPI description: boundaries first, then random ones."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.payments.charges import CREATED, as_plain
from fixtures.payments.generated import asked, breaking, composed, number_of_events, requests
from fixtures.payments.webhooks import plain_hook
from pix_conformance.checks.matchers import status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import requirement

COVERED = {
    "create_charge": (
        *("PAY-CHG-02", "PAY-CHG-03", "PAY-CHG-04", "PAY-CHG-06", "PAY-CHG-08", "PAY-CHG-09", "PAY-CHG-11"),
        *("PAY-CHG-13", "PAY-CUS-01", "PAY-CUS-02", "PAY-CUS-05", "PAY-CUS-07", "PAY-CUS-08", "PAY-CUS-16"),
        *("PAY-CUS-19", "PAY-CUS-22"),
    ),
    "create_transfer": (
        *("PAY-TRF-02", "PAY-TRF-03", "PAY-TRF-05", "PAY-TRF-06", "PAY-TRF-07", "PAY-TRF-09", "PAY-TRF-13"),
        *("PAY-TRF-14", "PAY-TRF-18", "PAY-TRF-20"),
    ),
    "create_webhook": (*("PAY-WH-02", "PAY-WH-03", "PAY-WH-06", "PAY-WH-07", "PAY-WH-08", "PAY-WH-09", "PAY-WH-11"),),
}
"""Requirements on invalid bodies of which the coverage of the schema has an example."""
RULES: list[Any] = [
    pytest.param(operation, rule, marks=requirement(rule), id=rule)
    for operation, rules in COVERED.items()
    for rule in rules
]


@requirement("PAY-CHG-01")
def test_every_valid_charge_is_created(payments: Payments) -> None:
    """Any combination of fields within their limits, each of which is accepted by itself."""
    for one in requests(payments, "create_charge", valid=True):
        expect(composed(payments, one), *CREATED)


@requirement("PAY-TRF-01")
def test_every_valid_transfer_is_created(payments: Payments) -> None:
    """Any combination of fields within their limits, each of which is accepted by itself."""
    for one in requests(payments, "create_transfer", valid=True):
        expect(composed(payments, one), *CREATED)


@requirement("PAY-WH-10", "PAY-WH-12")
def test_every_valid_webhook_is_created(payments: Payments) -> None:
    """With a single event, and with several."""
    for one in requests(payments, "create_webhook", valid=True)[:6]:
        rule = "PAY-WH-10" if number_of_events(one) == 1 else "PAY-WH-12"
        expect(asked(payments, one), *as_plain(plain_hook(payments)), of=rule)


@pytest.mark.parametrize(("operation", "rule"), RULES)
def test_every_body_that_breaks_one_rule_is_refused(payments: Payments, operation: str, rule: str) -> None:
    """Every kind of violation that the coverage of the schema has for the rule, then random ones."""
    for one in breaking(payments, operation, rule):
        expect(asked(payments, one), status(400))
