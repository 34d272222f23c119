"""The sandbox proof: what decides nothing is no result, a refusal is one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pix_conformance.checks.conclusion import Undecided
from pix_conformance.harness.clients.sandbox_proof import SandboxProof
from pix_conformance.harness.concurrency import run_concurrently
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.why import Why
from tests.support.exchanges import exchange

CREATED, PAID = exchange({"data": {"id": "t-1"}}, 201), exchange({"data": {"status": "paid"}})


class Account:
    """A merchant whose creations of charges are answered in this order, or raise; every charge is paid."""

    def __init__(self, *answers: Exchange | Inconclusive) -> None:
        self.left, self.sent = [*answers], 0

    def create_charge(self, body: Any) -> Exchange:
        del body
        self.sent += 1
        if isinstance(first := self.left.pop(0), Inconclusive):
            raise first
        return first

    def pay_charge(self, charge_id: str) -> Exchange:
        assert charge_id == "t-1"
        return PAID


LIMITED = Inconclusive("create_charge was rate-limited", Why.RATE_LIMITED)


@pytest.mark.parametrize(
    ("first", "why"), [(LIMITED, Why.RATE_LIMITED), (exchange(status=0, fault="ReadTimeout"), Why.NO_ANSWER)]
)
def test_what_decides_nothing_is_asked_again_before_the_next_transfer(first: Exchange | Inconclusive, why: Why) -> None:
    account: Any = Account(first, CREATED)
    proof = SandboxProof()
    with pytest.raises(Inconclusive, match="could not prove") as raised:
        proof.demand(account)
    assert raised.value.why is why
    proof.demand(account)
    proof.demand(account)
    assert account.sent == 2


def test_a_refusal_is_kept_for_later_transfers() -> None:
    account: Any = Account(exchange({}, 400), CREATED)
    proof = SandboxProof()
    for _ in range(2):
        with pytest.raises(Inconclusive, match=r"creating a charge returned 400"):
            proof.demand(account)
    assert account.sent == 1


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
    assert sum(run_concurrently(*[lambda: sent(allowance, "create_charge", CHARGE)] * 16)) == 5


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
