"""The sandbox proof: what decides nothing is no result, a refusal is one."""

from __future__ import annotations

from typing import Any

import pytest

from pix_conformance.harness.clients.sandbox_proof import SandboxProof
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why


def answer(status: int | None, body: bytes = b"{}") -> Exchange:
    request = Request("POST", "http://service.test/", ())
    response = Response(status, (), body, len(body)) if status else None
    fault = None if response else "ReadTimeout"
    return Exchange(1, Api.PAYMENTS, Role.MERCHANT, "create_charge", "t", 0.0, 1.0, request, response, fault)


CREATED, PAID = answer(201, b'{"data": {"id": "t-1"}}'), answer(200, b'{"data": {"status": "paid"}}')


class Account:
    """A merchant whose creations of charges are answered in this order, or raise; every charge is paid."""

    def __init__(self, *answers: Exchange | Inconclusive) -> None:
        self.left, self.sent = [*answers], 0

    def create_charge(self, body: Any) -> Exchange:
        del body
        self.sent += 1
        first = self.left.pop(0)
        if isinstance(first, Inconclusive):
            raise first
        return first

    def pay_charge(self, charge_id: str) -> Exchange:
        assert charge_id == "t-1"
        return PAID


LIMITED = Inconclusive("create_charge was rate-limited", Why.RATE_LIMITED)


@pytest.mark.parametrize(("first", "why"), [(LIMITED, Why.RATE_LIMITED), (answer(None), Why.NO_ANSWER)])
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
    account: Any = Account(answer(400), CREATED)
    proof = SandboxProof()
    for _ in range(2):
        with pytest.raises(Inconclusive, match=r"creating a charge returned 400"):
            proof.demand(account)
    assert account.sent == 1
