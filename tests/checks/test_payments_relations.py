"""Relations over transfers and balances of the payments API: what each of them accepts and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pix_conformance.checks.matchers import Matcher
from pix_conformance.checks.payments import balance, transfers
from pix_conformance.checks.relations import (
    answers_as_replay,
    has_an_id_of_its_own,
    has_no_timestamp,
    is_dated,
    is_dated_after,
    shows_one_end_to_end_id,
    shows_one_was_accepted,
    status_is_kept,
    unchanged_since,
)
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why
from tests.support.conclusions import mismatch, unknown

NOON = 1_767_268_800.0
"""2026-01-01T12:00:00Z."""


def an_answer(code: int = 200, /, *, began: float = 0.0, **data: Any) -> Exchange:
    """Return an exchange with these fields as data."""
    body = json.dumps({"data": data}).encode()
    sent = Request("POST", "https://t/api", ())
    came = Response(code, (), body, len(body))
    return Exchange(1, Api.PAYMENTS, Role.MERCHANT, "create_transfer", None, began, 1.0, sent, came)


def a_creation(fees: int, **body: int) -> Exchange:
    """Return the creation of a charge or transfer with these fields."""
    exchange = an_answer(fees=fees)
    return replace(exchange, request=replace(exchange.request, body=json.dumps(body).encode()))


def a_balance(cents: int, *, reserve: int = 0, blocked: int = 0) -> Exchange:
    """Return an answer with these cents in the three wallets."""
    wallets = {"pix": cents, "reserve": reserve, "pixBlocked": blocked}
    shown: dict[str, Any] = {name: {"balance": f"{cents / 100:.2f}"} for name, cents in wallets.items()}
    return an_answer(200, began=0.0, **shown)


BEFORE, CREATED = a_balance(10_000), an_answer(fees=37)


@pytest.mark.parametrize(
    ("relation", "right", "wrong"),
    [
        (balance.is_counted_in_units, (1_237, 1_200, 0), (123_700, 120_000)),
        (balance.is_credited_once, (1_237, 1_200, 1_274, 0, 500), (2_474, 2_400, 2_437)),
        (balance.is_debited_once, (-1_237, -1_200, 0), (-2_474, -2_400, -2_437)),
        (balance.is_not_debited, (0, 1_237, -500), (-1_237, -1_200, -1_274)),
    ],
)
def test_a_balance_is_moved_as_it_should_be(
    relation: Callable[[Exchange, Exchange, int], Matcher], right: tuple[int, ...], wrong: tuple[int, ...]
) -> None:
    matcher = relation(BEFORE, CREATED, 1_237)
    assert [cents for cents in right if mismatch(matcher, a_balance(10_000 + cents))] == []
    assert [cents for cents in wrong if not mismatch(matcher, a_balance(10_000 + cents))] == []


def test_a_balance_is_not_moved_by_a_repeated_transfer() -> None:
    charge, transfer, again = a_creation(0, amountInCents=1_050), a_creation(2, amount=217), a_creation(2, amount=211)
    matcher = balance.is_moved_once_by_each(BEFORE, [charge], [transfer], [again, again])
    right = (-217, -215, -219, 1_050 - 217, 1_050 - 219, 0, 77)
    wrong = (-217 - 211, -217 - 422, 1_050 - 217 - 211, -215 - 209, 1_050 - 219 - 426)
    assert [cents for cents in right if mismatch(matcher, a_balance(10_000 + cents))] == []
    assert [cents for cents in wrong if not mismatch(matcher, a_balance(10_000 + cents))] == []


def test_several_requests_credit_once() -> None:
    matcher = balance.is_credited_once(BEFORE, an_answer(), 100, requests=5)
    wrong = [cents for cents in range(0, 700, 50) if mismatch(matcher, a_balance(10_000 + cents))]
    assert wrong == [200, 300, 400, 500]


def paid(*cents: int) -> list[Exchange]:
    return [a_creation(37, amountInCents=amount) for amount in cents]


def test_payments_do_not_block_money() -> None:
    before, charges = [BEFORE] * 3, paid(1_237, 1_283, 2_473)

    def problem(*blocked: int) -> str | None:
        afters = [a_balance(10_000, blocked=amount) for amount in blocked]
        return mismatch(balance.blocks_nothing(before, afters, charges), afters[-1])

    assert [problem(0, 0, 0), problem(618, 641, 0), problem(500, 77, 3_000), problem(-5, -5, -5)] == [None] * 4
    assert all([problem(618, 641, 1_236), problem(5, 5, 5), problem(1_237, 1_283, 2_473)])


def test_payments_add_no_more_than_their_amounts() -> None:
    before, charges = [BEFORE] * 2, paid(1_237, 2_473)

    def problem(*moved: tuple[int, int]) -> str | None:
        afters = [a_balance(10_000 + free, reserve=held) for free, held in moved]
        return mismatch(balance.adds_no_more_than_was_paid(before, afters, charges), afters[-1])

    right = [((1_237, 0), (2_473, 0)), ((1_080, 120), (2_200, 236)), ((0, 1_200), (0, 0)), ((2_000, 0), (2_473, 0))]
    assert [problem(*args) for args in right] == [None] * 4
    assert all([problem((1_200, 1_237), (2_436, 2_473)), problem((1_274, 5), (2_510, 5))])


def test_a_balance_shows_cents() -> None:
    matcher = balance.counts_the_cents(BEFORE, an_answer(), 1_237)
    assert mismatch(matcher, a_balance(11_237)) is None
    assert mismatch(matcher, a_balance(11_200)) is not None
    assert mismatch(matcher, a_balance(10_000)) is None


@pytest.mark.parametrize(("net", "less_fees", "either"), [(419, True, True), (456, False, True), (400, False, False)])
def test_a_net_amount_is_explained_by_the_fees(net: int, *, less_fees: bool, either: bool) -> None:
    answer = an_answer(amount=456, netAmount=net, fees=37)
    assert (mismatch(transfers.has_net_amount_less_fees(), answer) is None) is less_fees
    assert (mismatch(transfers.has_net_amount_with_or_without_fees(), answer) is None) is either


def test_a_net_amount_without_fees_is_inconclusive() -> None:
    answer = an_answer(amount=456, netAmount=456)
    assert "not all numbers" in unknown(transfers.has_net_amount_less_fees(), answer).sentence


def test_another_key_is_recognised_and_a_masked_one_is_none() -> None:
    relation = transfers.shows_no_other_key("52998224725")
    shown = ("52998224725", "***.982.247-**", "11144477735")
    assert [mismatch(relation, an_answer(pixKey=key)) is None for key in shown] == [True, True, False]


def test_requests_with_one_key_create_one_transfer() -> None:
    first, other, refused = an_answer(id="t-1"), an_answer(id="t-2"), an_answer(409)
    assert mismatch(transfers.is_the_one_transfer_of([first, first, refused]), first) is None
    assert mismatch(transfers.is_the_one_transfer_of([first, other]), first) == "one key made 2 transfers: t-1, t-2"
    assert unknown(transfers.is_the_one_transfer_of([refused]), refused).why is Why.PRECONDITION
    assert mismatch(transfers.is_not_the_transfer_of(first), other) is None
    assert mismatch(transfers.is_not_the_transfer_of(first), first) is not None
    assert mismatch(transfers.shows_no_other_transfer(first), refused) is None
    assert mismatch(transfers.shows_no_other_transfer(first), other) is not None


def test_one_of_several_equal_requests_is_accepted() -> None:
    right, refused, limited = an_answer(endToEndId="E1"), an_answer(400), an_answer(429)
    assert mismatch(shows_one_was_accepted([right, refused]), right) is None
    assert "2 of 2" in str(mismatch(shows_one_was_accepted([right, right]), right))
    assert unknown(shows_one_was_accepted([right, limited]), right).why is Why.PRECONDITION
    assert mismatch(shows_one_end_to_end_id([right, right, refused]), right) is None
    assert mismatch(shows_one_end_to_end_id([right, an_answer(endToEndId="E2")]), right) is not None


def test_creations_have_ids_of_their_own() -> None:
    first, other = an_answer(id="1"), an_answer(id="2")
    assert mismatch(has_an_id_of_its_own([first, other, an_answer(400)]), first) is None
    assert mismatch(has_an_id_of_its_own([first, first]), first) == "2 creations have 1 ids"


def test_a_status_is_kept_once_it_is_known() -> None:
    early, paid = an_answer(began=0.0, status="pending"), an_answer(began=5.0, status="paid")
    back = an_answer(began=9.0, status="pending")
    assert mismatch(status_is_kept("paid", [early, paid], paid.ended), paid) is None
    assert mismatch(status_is_kept("paid", [early, paid, back], paid.ended), back) is not None


def test_timestamps_are_compared_as_far_as_they_may_be_rounded() -> None:
    query = an_answer(createdAt="2026-01-01T12:00:00Z", updatedAt="2026-01-01T12:01:00Z", processedAt=None)
    assert mismatch(is_dated("createdAt", NOON + 299), query) is None
    assert mismatch(is_dated("createdAt", NOON + 301), query) is not None
    assert mismatch(is_dated_after("updatedAt", "createdAt", 61), query) is None
    assert mismatch(is_dated_after("updatedAt", "createdAt", 63), query) is not None
    assert mismatch(has_no_timestamp("processedAt"), query) is None
    assert mismatch(has_no_timestamp("createdAt"), query) is not None
    assert unknown(is_dated("processedAt", NOON), query).why is Why.NOT_SHOWN


def test_fields_are_compared_with_an_earlier_answer() -> None:
    before = an_answer(fees=37, netAmount=419)
    assert mismatch(unchanged_since(before, "fees", "netAmount"), an_answer(fees=37, netAmount=419)) is None
    assert mismatch(unchanged_since(before, "fees"), an_answer(fees=38)) == "fees was 37 and is 38"


@pytest.mark.parametrize(("status", "right"), [(200, True), (201, True), (409, True), (400, False), (422, False)])
def test_a_replay_is_a_success_or_409(status: int, *, right: bool) -> None:
    assert (mismatch(answers_as_replay(), an_answer(status)) is None) is right


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
    assert balance.free_cents(an_answer(pix={"balance": text})) == cents


@pytest.mark.parametrize("text", ["10", "10.500", ".50", "+1.00", "1.00\n", "R$ 1.00", ""])
def test_other_texts_are_no_balance(text: str) -> None:
    assert balance.free_cents(an_answer(pix={"balance": text})) is None
