"""What holds for every amount, key, text and sum, asked with generated ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixtures.payments import strategies as values
from fixtures.payments.account import account
from fixtures.payments.bodies import a_charge, fresh_key
from fixtures.payments.charges import as_plain, plain_charge
from fixtures.payments.splits import plain_pair
from pix_conformance.checks.matchers import field, has, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement

FEW = settings(max_examples=max(2, settings().max_examples // 3))
MALFORMED = [
    pytest.param(values.punctuated_cpfs(), marks=requirement("PAY-KEY-06"), id="cpf"),
    pytest.param(values.punctuated_cnpjs(), marks=requirement("PAY-KEY-07"), id="cnpj"),
    pytest.param(values.half_emails(), marks=requirement("PAY-KEY-08"), id="email"),
    pytest.param(values.foreign_phones(), marks=requirement("PAY-KEY-09"), id="phone"),
    pytest.param(values.short_uuids(), marks=requirement("PAY-KEY-10"), id="uuid"),
    pytest.param(values.odd_digits(), marks=requirement("PAY-KEY-11"), id="digits"),
]


@requirement("PAY-TRF-41")
@given(amount=values.small_amounts())
@example(1)
@example(100)
def test_every_amount_of_a_transfer_comes_back(payments: Payments, amount: int) -> None:
    """As the integer that was sent."""
    answer = precondition(account(payments).send(amount=amount), has("data.amount", "integer"))
    expect(answer, field("data.amount", amount))


@requirement("PAY-KEY-05")
@FEW
@given(key=st.uuids(version=4).map(str))
def test_every_random_key_is_accepted(payments: Payments, key: str) -> None:
    """Where keys that were made up are accepted at all."""
    _ = account(payments).plain_transfer
    if why := account(payments).key_lookup_explanation("evp"):
        raise not_applicable(why)
    expect(account(payments).send(pixKey=key), *account(payments).accepted)


@pytest.mark.parametrize("keys", MALFORMED)
def test_every_malformed_key_is_refused(payments: Payments, keys: st.SearchStrategy[str]) -> None:
    """All else about the transfer is right."""

    @FEW
    @given(key=keys)
    def refused(key: str) -> None:
        expect(account(payments).send(pixKey=key), status(400))

    refused()


@requirement("PAY-CHG-10")
@FEW
@given(text=values.texts())
def test_every_description_of_a_charge_is_accepted(payments: Payments, text: str) -> None:
    """In whatever letters; a charge without one is accepted."""
    expect(payments.create_charge(a_charge(description=text)), *as_plain(plain_charge(payments)))


@requirement("PAY-TRF-17")
@FEW
@given(text=values.texts())
def test_every_description_of_a_transfer_is_accepted(payments: Payments, text: str) -> None:
    """In whatever letters."""
    expect(account(payments).send(description=text), *account(payments).accepted)


@requirement("PAY-SPL-12")
@FEW
@given(parts=values.percentages(10_000))
def test_every_sum_of_exactly_100_is_accepted(payments: Payments, parts: tuple[float, ...]) -> None:
    """Of decimals, whatever binary numbers make of them."""
    several = plain_pair(payments)
    expect(payments.create_charge(several(*parts)), *as_plain(plain_charge(payments)))


@requirement("PAY-SPL-13")
@FEW
@given(parts=values.percentages(10_001))
def test_every_sum_just_above_100_is_refused(payments: Payments, parts: tuple[float, ...]) -> None:
    """By one hundredth."""
    several = plain_pair(payments)
    expect(payments.create_charge(several(*parts)), status(400))


@requirement("PAY-IDEM-02")
@FEW
@given(texts=st.lists(values.texts(), min_size=2, max_size=2, unique=True))
def test_every_other_description_conflicts_under_a_used_key(payments: Payments, texts: list[str]) -> None:
    """However little they differ."""
    bodies: list[Any] = [account(payments).body(description=text) for text in texts]
    bodies[1]["pixKey"], key = bodies[0]["pixKey"], fresh_key()
    precondition(payments.create_transfer(bodies[0], key=key))
    expect(payments.create_transfer(bodies[1], key=key), status(409))
