"""Sending transfers (payments.md, lines 252-257)."""

from __future__ import annotations

import json

import pytest

from fixtures.payments.account import account
from fixtures.payments.charges import CREATED, id_of
from pix_conformance.checks.matchers import computed, field, has, not_field
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, inconclusive, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles import pix_key
from pix_conformance.oracles.money import is_cents


@requirement("PAY-TRF-01")
def test_a_transfer_of_key_and_amount_is_created(payments: Payments) -> None:
    """Both are all that a transfer needs; a refusal that funds or an unknown key may explain decides nothing."""
    answer = account(payments).minimal_transfer
    if why := account(payments).refusal_explanation:
        raise inconclusive(f"a plain transfer was answered {answer.status} ({answer.evidence}): {why}")
    expect(answer, *CREATED)


@requirement("PAY-TRF-41")
def test_the_amount_is_the_one_that_was_sent(payments: Payments) -> None:
    """Gross, in cents, whatever the fees are."""
    sent = account(payments).sent(amount=123)
    expect(precondition(sent.created, has("data.amount", "integer")), field("data.amount", 123))


@requirement("PAY-TRF-42")
def test_the_key_is_the_one_that_was_sent(payments: Payments) -> None:
    """It is in its plain form already."""
    sent = account(payments).plain_transfer
    expect(precondition(sent.created, has("data.pixKey", "string")), field("data.pixKey", sent.body["pixKey"]))


@requirement("PAY-TRF-78")
@pytest.mark.parametrize("kind", ["cpf", "cnpj", "email", "phone", "evp", "cpf-from-0", "cnpj-from-0"])
def test_the_key_is_no_other_than_the_one_that_was_sent(payments: Payments, kind: str) -> None:
    """Neither in the creation nor in the query, when transfers to other keys are newer."""
    name, _, rare = kind.partition("-")
    made = account(payments).send(pixKey=pix_key.from_0(name)) if rare else account(payments).to_each_kind[kind]
    if not made.ok:
        raise not_applicable(f"no transfer to a key of the type {kind} was accepted")
    sent = str(json.loads(made.request.body)["pixKey"])
    for answer in (made, payments.get_transfer(id_of(made))):
        shown = precondition(answer, has("data.pixKey", "string")).at("data.pixKey")
        wrong = f"{sent} is {shown}" if pix_key.another(shown, sent) else None
        expect(answer, computed("data.pixKey is no other key", wrong))


def reckoned(payments: Payments) -> tuple[Exchange, int, int, int]:
    """Return the answer to a transfer with its amount, netAmount and fees in cents; Inconclusive if one is none."""
    answer = account(payments).sent(amount=456).created
    amount, net, fees = (answer.at(f"data.{name}") for name in ("amount", "netAmount", "fees"))
    if not all(map(is_cents, (amount, net, fees))):
        raise inconclusive(f"amount, netAmount and fees are not all numbers ({answer.evidence})")
    return answer, amount, net, fees


@requirement("PAY-TRF-43")
def test_the_net_amount_is_the_amount_less_the_fees(payments: Payments) -> None:
    """All three are answered."""
    answer, amount, net, fees = reckoned(payments)
    problem = f"{amount} less {fees} is not {net}" if amount - fees != net else None
    expect(answer, computed("netAmount is amount less fees", problem))


@requirement("PAY-TRF-76")
def test_the_net_amount_is_explained_by_the_fees(payments: Payments) -> None:
    """They are taken from the amount, or beside it."""
    answer, amount, net, fees = reckoned(payments)
    problem = f"{net} is neither {amount} nor {amount} less {fees}" if net not in (amount, amount - fees) else None
    expect(answer, computed("netAmount is amount, or amount less fees", problem))


@requirement("PAY-TRF-45")
def test_two_transfers_have_different_ids(payments: Payments) -> None:
    """Equal bodies with keys of their own make two transfers."""
    body = account(payments).body()
    first = precondition(account(payments).send(**body), has("data.id"))
    second = precondition(account(payments).send(**body), has("data.id"))
    expect(second, not_field("data.id", first.at("data.id")))
