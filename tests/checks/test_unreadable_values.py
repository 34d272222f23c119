"""What cannot be read decides nothing: a rule that needs it neither passes nor fails, and says why it is unreadable."""

import json
from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

from pix_conformance.checks.business.event_history import CREATED, Histories
from pix_conformance.checks.payments import balance
from pix_conformance.checks.relation import Relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from tests.support.conclusions import mismatch, unknown
from tests.support.exchanges import exchange


def a_balance(text: object) -> Exchange:
    """Return a query of the balance with this text in each wallet."""
    wallets = {name: {"balance": text} for name in ("pix", "pixBlocked", "reserve")}
    return exchange({"data": wallets}, api=Api.PAYMENTS, operation="get_balance")


def a_creation(fees: object) -> Exchange:
    """Return the creation of a charge of 1,237 cents with such fees."""
    return exchange({"data": {"id": "1", "fees": fees}}, 200, {"amountInCents": 1_237}, api=Api.PAYMENTS)


ABOUT_MONEY: dict[str, Callable[..., Relation]] = {
    name: function
    for name, function in vars(balance).items()
    if hasattr(function, "__wrapped__") and function.__module__ == balance.__name__
}


def in_place(parameter: str, money: Exchange, creation: Exchange) -> Any:
    """Return a value for a parameter of a relation over balances, by its name."""
    values = {"cents": 1_237, "requests": 2, "moves": [1_200, 1_200], "most": 0.9, "later": []}
    if parameter in {"charges", "transfers", "repeats"}:
        return [creation]
    if parameter in {"befores", "afters"}:
        return [money]
    return creation if parameter in {"created", "charge"} else values.get(parameter, money)


def judged(relation: Callable[..., Relation], money: Exchange, creation: Exchange) -> str:
    """Return why a relation cannot conclude of balances and creations."""
    _, *parameters = signature(relation).parameters
    return unknown(relation(*(in_place(name, money, creation) for name in parameters)), money).sentence


WITH_FEES = [name for name, check in ABOUT_MONEY.items() if {"created", "charges"} & {*signature(check).parameters}]


@pytest.mark.parametrize("text", ["1.234,56", "R$ 12.34", "12", "", None, 12.5])
@pytest.mark.parametrize("name", ABOUT_MONEY)
def test_a_balance_that_cannot_be_read_decides_nothing(name: str, text: object) -> None:
    assert judged(ABOUT_MONEY[name], a_balance(text), a_creation(37)).startswith("data.pix")


@pytest.mark.parametrize("fees", ["37", None, 0.5, [], True])
@pytest.mark.parametrize("name", WITH_FEES)
def test_fees_that_cannot_be_read_decide_nothing(name: str, fees: object) -> None:
    assert judged(ABOUT_MONEY[name], a_balance("12.34"), a_creation(fees)).startswith("data.fees is")


def a_business_event(number: int, charge: dict[str, Any]) -> Delivery:
    """Return the created event of a charge, soon after its creation."""
    body = {"id": f"evt-{number}", "type": "business.pix.created", "data": charge}
    return Delivery(number, "/business", "POST", number + 0.1, (), json.dumps(body).encode(), 200, api="business")


def a_charge_of(number: int, sent: bytes | dict[str, Any], shown: dict[str, Any]) -> Exchange:
    """Return the creation of a charge that was accepted, with what the response shows of it."""
    fields: dict[str, Any] = {"id": number, "api": Api.BUSINESS, "started": float(number)}
    return exchange({"id": f"c-{number}", "status": "pending", **shown}, 201, sent, **fields)


TWICE = b'{"amount_cents": 1051, "amount_cents": 1052}'
UNREADABLE_REQUESTS = {
    "a name twice": TWICE,
    "a byte order mark": b'\xef\xbb\xbf{"amount_cents": 1051}',
    "UTF-16": '{"amount_cents": 1051}'.encode("utf-16"),
    "nothing": b"",
    "no object": b"[1051]",
    "an amount with a fraction": b'{"amount_cents": 1051.5}',
    "an amount as text": b'{"amount_cents": "1051"}',
    "a huge amount": b'{"amount_cents": 1' + b"0" * 30 + b"}",
    "null": b'{"amount_cents": null}',
    "no amount": b'{"external_ref": null}',
}


def problems_of(history: Histories) -> list[str | None]:
    """Return what is wrong with the created events of a run."""
    checks = [*history.changes(CREATED), *history.causes(), *history.numbers_of_events(), *history.amounts()]
    return [problem for subject, check in checks if (problem := mismatch(check, subject))]


@pytest.mark.parametrize("shown", [{"amount_cents": 1_052}, {"amount_cents": 1_051, "external_ref": None}, {}])
@pytest.mark.parametrize("sent", UNREADABLE_REQUESTS.values(), ids=UNREADABLE_REQUESTS)
def test_a_creation_that_cannot_be_read_makes_no_event_due(sent: bytes, shown: dict[str, Any]) -> None:
    """A right server may accept it, and send an event about what it took it for. Other charges are judged as ever."""
    amounts = {number: {"amount_cents": 2_000 + number} for number in range(1, 20)}
    charges = [a_charge_of(number, amount, amount) for number, amount in amounts.items()]
    events = [a_business_event(number, amount) for number, amount in amounts.items()]
    accepted, its_event = a_charge_of(0, sent, shown), a_business_event(0, {"amount_cents": 1_052, **shown})
    assert problems_of(Histories([accepted, *charges], [its_event, *events])) == []
    missed = problems_of(Histories([accepted, *charges], [its_event, *events[:4], *events[5:]]))
    assert missed == ["0 business.pix.created arrived for the charge of 2005 cents, 1 are due"]
