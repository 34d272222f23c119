"""The free balance of the payments API as text in reais (PAY-BAL-07)."""

import json

import pytest

from pix_conformance.checks.payments.balance import free_cents
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role


def a_balance(text: str) -> Exchange:
    body = json.dumps({"data": {"pix": {"balance": text}}}).encode()
    sent, came = Request("GET", "https://t/api/v1/balance", ()), Response(200, (), body, len(body))
    return Exchange(1, Api.PAYMENTS, Role.MERCHANT, "get_balance", None, 0.0, 1.0, sent, came)


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("0.00", 0),
        ("10.50", 1050),
        ("-0.07", -7),
        ("1234567890123.45", 123456789012345),
        ("10.5", 1050),
        ("10,50", 1050),
    ],
)
def test_a_balance_is_read_in_cents_with_a_point_or_a_comma(text: str, cents: int) -> None:
    assert free_cents(a_balance(text)) == cents


@pytest.mark.parametrize("text", ["10", "10.500", ".50", "+1.00", "1.00\n", "R$ 1.00", ""])
def test_other_texts_are_no_balance(text: str) -> None:
    assert free_cents(a_balance(text)) is None
