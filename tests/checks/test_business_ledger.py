"""Postings of one payment beside those of another, the control (BUS-FIN)."""

from __future__ import annotations

import json

import pytest

from pix_conformance.checks.business.ledger import captured_once
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

PAID, CONTROL = 700, 900
CAPTURED, SETTLED = "payment.captured", "settlement"


def a_ledger(*postings: tuple[str, int]) -> Exchange:
    """A ledger with postings of these kinds and amounts, cents."""
    rows = [{"event_type": kind, "entries": [{"amount_cents": cents}]} for kind, cents in postings]
    body = json.dumps({"transactions": rows}).encode()
    sent, came = Request("GET", "https://t/v1/business/finance", ()), Response(200, (), body, len(body))
    return Exchange(1, Api.BUSINESS, Role.MERCHANT, "get_finance", None, 0.0, 1.0, sent, came)


@pytest.mark.parametrize(
    ("later", "wrong"),
    [
        ([(CAPTURED, PAID), (CAPTURED, CONTROL)], None),
        ([(CAPTURED, PAID), (CAPTURED, PAID), (CAPTURED, CONTROL)], "the ledger has 1 x payment.captured more"),
        ([(CAPTURED, PAID), (SETTLED, PAID), (CAPTURED, CONTROL)], None),
        ([*[(CAPTURED, PAID)] * 2, *[(CAPTURED, CONTROL)] * 2], None),
    ],
    ids=["once", "twice", "the control is not settled yet", "the control is posted again later"],
)
def test_a_payment_leaves_no_more_postings_than_the_control(later: list[tuple[str, int]], wrong: str | None) -> None:
    found = captured_once(PAID, (a_ledger((CAPTURED, CONTROL)), CONTROL)).mismatch(a_ledger(*later))
    assert (found or "").startswith(wrong or "")
    assert bool(found) == bool(wrong)
