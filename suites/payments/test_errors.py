"""A 400 names the field (payments.md, line 369). For charges each refusal of their tables asks it too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.bodies import with_field
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import plain_charge
from fixtures.payments.refusals import LACKS, bad_transfer, bad_webhook
from fixtures.payments.routes import a_new_webhook, plain_transfer
from pix_conformance.checks.events import require_refusal
from pix_conformance.checks.matchers import error, message_names, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import case, requirement

TRANSFERS = [
    case("PAY-TRF-02", "pixKey", LACKS, id="pixKey-missing"),
    case("PAY-TRF-03", "pixKey", 7, id="pixKey-number"),
    case("PAY-TRF-04", "pixKey", "not a key", id="pixKey-words"),
    case("PAY-TRF-05", "amount", LACKS, id="amount-missing"),
    case("PAY-TRF-06", "amount", "1", id="amount-string"),
    case("PAY-TRF-07", "amount", 1.5, id="amount-decimal"),
    case("PAY-TRF-14", "currency", 7, id="currency-number"),
    case("PAY-TRF-18", "description", 7, id="description-number"),
    case("PAY-TRF-20", "description", "x" * 141, id="description-too-long"),
    case("PAY-TRF-22", "postbackUrl", 7, id="postbackUrl-number"),
]
WEBHOOKS = [
    case("PAY-WH-02", "url", LACKS, id="url-missing"),
    case("PAY-WH-03", "url", 7, id="url-number"),
    case("PAY-WH-04", "url", "no uri at all", id="url-words"),
    case("PAY-WH-05", "url", "http://example.com/pix-conformance", id="url-plain-http"),
    case("PAY-WH-06", "events", LACKS, id="events-missing"),
    case("PAY-WH-07", "events", "transaction_paid", id="events-string"),
    case("PAY-WH-09", "events", [], id="events-empty"),
    case("PAY-WH-11", "events", ["transaction_lost"], id="events-unknown"),
]


@requirement("PAY-ERR-09")
@pytest.mark.parametrize(("field", "bad"), TRANSFERS)
def test_the_refusal_of_a_transfer_names_the_field(payments: Payments, rule: str, field: str, bad: Any) -> None:
    """Path style, language and case are free."""
    plain_transfer(payments)
    answer = bad_transfer(payments, field, bad)
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(field), of="PAY-ERR-09")


@requirement("PAY-ERR-04")
def test_the_code_of_a_bad_address_is_that_of_a_bad_body(payments: Payments) -> None:
    """The text of a customer's e-mail is a rule of the body, though its type is right."""
    plain_charge(payments)
    answer = payments.create_charge(with_field(a_charge(), "customer.email", "maria.example.com"))
    expect(require_refusal(answer, 400), error("INVALID_REQUEST"))


@requirement("PAY-ERR-04")
@pytest.mark.parametrize("key", ["not a key", "529.982.247-25", "12345"], ids=["words", "punctuated", "digits"])
def test_the_code_of_a_malformed_key_is_that_of_a_bad_body(payments: Payments, key: str) -> None:
    """It is of no accepted type: nobody needs to look it up."""
    plain_transfer(payments)
    expect(require_refusal(bad_transfer(payments, "pixKey", key), 400), error("INVALID_REQUEST"))


@pytest.fixture(scope="module", name="webhook")
def a_webhook_that_is_removed_again(payments: Payments) -> Iterator[str]:
    """The control of refusals: a plain webhook, alive while this module is asked."""
    made = a_new_webhook(payments)
    yield made
    payments.delete_webhook(made)


@pytest.mark.usefixtures("webhook")
@requirement("PAY-ERR-10")
@pytest.mark.parametrize(("field", "bad"), WEBHOOKS)
def test_the_refusal_of_a_webhook_names_the_field(payments: Payments, rule: str, field: str, bad: Any) -> None:
    """Path style, language and case are free."""
    answer = bad_webhook(payments, field, bad)
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(field), of="PAY-ERR-10")
