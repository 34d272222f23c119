"""The cents of a run: a request that exceeds them is not sent."""

from __future__ import annotations

import json

import pytest

from pix_conformance.checks.conclusion import Undecided
from pix_conformance.harness.concurrency import repeat_concurrently
from pix_conformance.harness.transport.allowance import Allowance

CHARGE = json.dumps({"amountInCents": 400}).encode()


def sent(allowance: Allowance, operation: str, body: bytes = b"", *, ok: bool = True) -> bool:
    """Send a request, if that is allowed."""
    try:
        allowance.take(operation, body)
    except Undecided:
        return False
    allowance.settle(operation, body, refused=not ok)
    return True


def test_simultaneous_charges_are_counted_before_they_are_sent() -> None:
    allowance = Allowance(cents=2_000)
    assert sum(repeat_concurrently(16, lambda: sent(allowance, "create_charge", CHARGE))) == 5


def test_charges_and_transfers_exceed_no_cents() -> None:
    allowance = Allowance(cents=1_000)
    assert [sent(allowance, "create_charge", CHARGE) for _ in range(3)] == [True, True, False]
    assert sent(allowance, "create_transfer", b'{"amount": 200}')
    assert not sent(allowance, "create_charge", b'{"amount_cents": 1}')
    assert sent(allowance, "get_balance")


def test_cents_of_a_refused_request_are_not_used() -> None:
    allowance = Allowance(cents=1_000)
    assert all(sent(allowance, "create_charge", CHARGE, ok=False) for _ in range(9))


@pytest.mark.parametrize("body", [b'{"amount": "400"}', b'{"amount": 400.0}'])
def test_an_amount_of_another_type_counts_since_a_target_may_read_it(body: bytes) -> None:
    assert not sent(Allowance(cents=399), "create_charge", body)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"amount": null}', b'{"amount": -5}', b'{"amount": "x"}', b"{"])
def test_a_body_without_an_amount_uses_no_cents(body: bytes) -> None:
    allowance = Allowance(cents=400)
    assert sent(allowance, "create_charge", body)
    assert sent(allowance, "create_charge", CHARGE)
