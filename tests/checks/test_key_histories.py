"""Histories of idempotency keys: which answers of a right service are explained, and which of a wrong one are not."""

from __future__ import annotations

import json

import pytest

from pix_conformance.checks.conclusion import Broken, Holds
from pix_conformance.checks.key_histories import (
    Repetition,
    has_one_use_of_key_with,
    judged_keys,
    key_histories,
    unexplained,
)
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

HEADERS = (("content-type", "application/json"), ("idempotency-key", "k"))


def read(text: str, api: Api = Api.BUSINESS) -> list[Exchange]:
    """Read `amount start end status [id] | ...`, in ms; a status of 0 is a lost answer."""
    exchanges = []
    for number, row in enumerate(text.split("|"), 1):
        amount, start, end, code, *ids = row.split()
        name = "amount_cents" if api is Api.BUSINESS else "amount"
        sent = Request("POST", "https://t/", HEADERS, json.dumps({name: int(amount)}).encode())
        shown = {"id": ids[0]} if ids else {}
        body = json.dumps(shown if api is Api.BUSINESS else {"data": shown}).encode()
        came = Response(int(code), (), body, len(body)) if int(code) else None
        operation = "create_charge" if api is Api.BUSINESS else "create_transfer"
        times = int(start) / 1000, int(end) - int(start)
        exchanges.append(Exchange(number, api, Role.MERCHANT, operation, None, *times, sent, came))
    return exchanges


@pytest.mark.parametrize(
    "text",
    [
        "1 0 20 201 a | 1 10 30 201 a | 2 40 50 409",
        "1 0 20 201 a | 1 10 30 409 | 1 40 50 201 a",
        "1 0 20 409 | 2 10 30 201 b | 2 40 50 201 b",
        "1 0 20 409 | 2 10 30 409",
        "1 0 20 0 | 2 30 40 201 b | 2 50 60 201 b",
        "1 0 20 0 | 1 30 40 409 | 1 50 60 201 a | 2 70 80 409",
        "1 0 20 502 | 1 30 40 201 a",
        "0 0 20 422 | 1 30 40 409",
        "0 0 20 422 | 1 30 40 201 a",
        "1 0 20 201 a | 1 30 40 429 | 1 50 60 500",
        "1 0 20 201 | 1 30 40 201",
    ],
)
def test_what_a_right_service_may_answer_is_explained(text: str) -> None:
    assert unexplained(read(text)) == []


def test_a_transfer_that_is_sent_again_may_be_refused() -> None:
    text = "1 0 20 200 a | 1 30 40 409"
    assert unexplained(read(text, Api.PAYMENTS)) == []
    assert len(unexplained(read(text))) == 2


@pytest.mark.parametrize(
    ("text", "repetition", "part"),
    [
        ("1 0 20 201 a | 1 10 30 201 b | 2 40 50 409", Repetition.SAME_AT_ONCE, 2),
        ("1 0 20 201 a | 2 10 30 201 a", Repetition.OTHER_AT_ONCE, 2),
        ("1 0 20 0 | 2 30 40 201 b | 1 50 60 201 a", Repetition.OTHER_LATER, 2),
        ("1 0 20 201 a | 2 30 40 409 | 1 50 60 201 b", Repetition.SAME_LATER, 2),
        ("1 0 20 201 a | 2 30 40 409 | 1 50 60 409", Repetition.SAME_LATER, 2),
    ],
)
def test_what_no_order_explains_is_a_matter_of_one_requirement(text: str, repetition: Repetition, part: int) -> None:
    *history, last = read(text)
    assert len(unexplained([*history, last])) == part
    judged = {other: has_one_use_of_key_with(history, other).judge(last) for other in Repetition}
    assert [other for other, conclusion in judged.items() if isinstance(conclusion, Broken)] == [repetition]


def test_keys_are_judged_as_long_as_they_are_surely_remembered() -> None:
    exchanges = read("1 0 20 201 a | 1 50 60 201 a | 1 90 99 201 b")
    assert [len(history) for history in key_histories(exchanges, Api.BUSINESS)] == [3]
    assert [len(history) for history in key_histories(exchanges, Api.BUSINESS, lambda moment: 700 * moment)] == [2]
    ((_, matcher),) = judged_keys(exchanges[:2], Api.BUSINESS, float, Repetition.SAME_LATER)
    assert matcher.judge(exchanges[1]) == Holds()
    assert list(judged_keys(exchanges[:2], Api.BUSINESS, float, Repetition.SAME_AT_ONCE)) == []
