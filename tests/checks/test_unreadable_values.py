"""What cannot be read decides nothing: a rule that needs it neither passes nor fails, and says why it is unreadable."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

from pix_conformance.checks.payments import balance
from pix_conformance.checks.relation import Relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from tests.support.conclusions import unknown
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
