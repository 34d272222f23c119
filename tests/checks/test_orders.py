"""Histories of idempotency keys, charges and transfers: what a right service may answer is explained."""

from typing import Any

import pytest

from pix_conformance.checks.conclusion import Broken, Holds
from pix_conformance.checks.key_histories import (
    Repetition,
    has_one_use_of_key_with,
    judged_keys,
    key_histories,
    unexplained,
)
from pix_conformance.checks.object_histories import (
    drawing,
    has_one_order_of_current_states_with,
    has_one_order_with,
    histories,
)
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from tests.support.exchanges import exchange

WITH_KEY = ("POST", "https://t/", (("content-type", "application/json"), ("idempotency-key", "k")))
OF_API = {Api.BUSINESS: ("amount_cents", "create_charge"), Api.PAYMENTS: ("amount", "create_transfer")}


def of_run(number: int, api: Api, operation: str, start: str, end: str) -> dict[str, Any]:
    """Return the fields of an exchange between two times in ms."""
    times = {"started": int(start) / 1000, "elapsed_ms": int(end) - int(start)}
    return {"id": number, "api": api, "operation": operation} | times


def of_key(text: str, api: Api = Api.BUSINESS) -> list[Exchange]:
    """Read `amount start end status [id] | ...`, in ms; a status of 0 is a lost answer."""
    exchanges = []
    for number, row in enumerate(text.split("|"), 1):
        amount, start, end, code, *ids = row.split()
        name, operation = OF_API[api]
        shown, fields = {"id": ids[0]} if ids else {}, of_run(number, api, operation, start, end)
        body = shown if api is Api.BUSINESS else {"data": shown}
        exchanges.append(exchange(body, int(code), {name: int(amount)}, WITH_KEY, **fields))
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
    assert unexplained(of_key(text)) == []


def test_a_transfer_that_is_sent_again_may_be_refused() -> None:
    text = "1 0 20 200 a | 1 30 40 409"
    assert unexplained(of_key(text, Api.PAYMENTS)) == []
    assert len(unexplained(of_key(text))) == 2


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
    *history, last = of_key(text)
    assert len(unexplained([*history, last])) == part
    judged = {other: has_one_use_of_key_with(history, other).judge(last) for other in Repetition}
    assert [other for other, conclusion in judged.items() if isinstance(conclusion, Broken)] == [repetition]


def test_keys_are_judged_as_long_as_they_are_surely_remembered() -> None:
    exchanges = of_key("1 0 20 201 a | 1 50 60 201 a | 1 90 99 201 b")
    assert [len(history) for history in key_histories(exchanges, Api.BUSINESS)] == [3]
    assert [len(history) for history in key_histories(exchanges, Api.BUSINESS, lambda moment: 700 * moment)] == [2]
    ((_, matcher),) = judged_keys(exchanges[:2], Api.BUSINESS, float, Repetition.SAME_LATER)
    assert matcher.judge(exchanges[1]) == Holds()
    assert list(judged_keys(exchanges[:2], Api.BUSINESS, float, Repetition.SAME_AT_ONCE)) == []


PATHS = {"pay": ("pay_charge", "POST", "/pay"), "cancel": ("cancel_charge", "POST", "/cancel")}
PATHS |= {"get": ("get_charge", "GET", ""), "complete": ("complete_transfer", "POST", "/complete")}
PATHS |= {"look": ("get_transfer", "GET", "")}


def of_object(text: str, api: Api = Api.BUSINESS) -> list[Exchange]:
    """Read `operation start end status [status of the object] | ...`, in ms; a status of 0 is a lost answer."""
    exchanges = []
    for number, row in enumerate(text.split("|"), 1):
        name, start, end, code, *shown = row.split()
        operation, method, path = PATHS[name]
        shows = {"id": "c", **({"status": shown[0]} if shown else {})}
        fields = of_run(number, api, operation, start, end)
        sends = (method, f"https://t/v1/business/pix-charges/c{path}", ())
        exchanges.append(exchange(shows if api is Api.BUSINESS else {"data": shows}, int(code), sends=sends, **fields))
    return exchanges


EXPLAINED = [
    "pay 0 20 200 paid | cancel 10 30 409 | get 40 50 200 paid",
    "pay 0 20 200 | cancel 10 30 204 | get 40 50 200 canceled",
    "pay 0 20 200 accepted | cancel 10 30 200 | get 40 50 200 canceled",
    "pay 0 20 0 | cancel 10 30 200 | get 40 50 200 canceled",
    "pay 0 20 0 | get 40 50 200 pending | get 60 70 200 paid",
    "pay 0 20 502 | cancel 10 30 409 | get 40 50 200 paid",
    "pay 0 20 429 | get 10 30 200 pending",
    "pay 0 20 409 | cancel 10 30 409 | get 40 50 200 pending",
    "pay 0 20 200 paid | pay 10 30 200 paid | cancel 15 40 404",
    "cancel 0 20 200 | cancel 10 30 200",
    "get 0 20 200 expired | cancel 10 30 409 | pay 15 30 200 expired",
    "cancel 0 20 409 | get 10 30 200 expired | get 40 50 200",
]


@pytest.mark.parametrize("text", EXPLAINED)
def test_what_a_right_service_may_answer_of_an_object_is_explained(text: str) -> None:
    *history, last = of_object(text)
    assert not isinstance(has_one_order_with(history, "charge").judge(last), Broken)
    assert has_one_order_of_current_states_with(history, "charge").judge(last) == Holds()


@pytest.mark.parametrize(
    "text",
    [
        "pay 0 20 200 paid | cancel 10 30 200 | get 40 50 200 paid",
        "get 0 20 200 expired | cancel 10 30 200 | pay 15 30 200 paid",
    ],
)
def test_two_transitions_of_one_charge_at_once_are_not_explained(text: str) -> None:
    *history, last = of_object(text)
    conclusion = has_one_order_with(history, "charge").judge(last)
    assert isinstance(conclusion, Broken)
    assert conclusion.sentence.count("(exchange ") == 2


def test_what_no_order_explains_without_simultaneous_requests_is_left_to_other_rules() -> None:
    *history, last = of_object("pay 0 20 200 | cancel 10 30 200 | get 40 50 200 paid")
    assert not isinstance(has_one_order_with(history, "charge").judge(last), Broken)


@pytest.mark.parametrize(
    ("api", "kind", "text"),
    [
        (Api.BUSINESS, "charge", "pay 0 20 200 paid | get 30 40 200 pending"),
        (Api.BUSINESS, "charge", "pay 0 90 200 paid | get 10 20 200 paid | get 30 40 200 pending"),
        (Api.PAYMENTS, "charge", "pay 0 20 200 paid | get 30 40 200 pending"),
        (Api.PAYMENTS, "transfer", "complete 0 20 200 completed | look 30 40 200 processing"),
    ],
)
def test_an_earlier_state_is_explained_only_if_queries_may_be_late(api: Api, kind: str, text: str) -> None:
    *history, last = of_object(text, api)
    assert not isinstance(has_one_order_with(history, kind).judge(last), Broken)
    assert isinstance(has_one_order_of_current_states_with(history, kind).judge(last), Broken)


def test_a_drawing_has_a_bar_for_each_request() -> None:
    assert drawing(of_object("pay 0 20 200 paid | cancel 10 40 0")).splitlines() == [
        "████████████████████                     pay_charge 200 paid, 0 to 20 ms (exchange 1)",
        "          ██████████████████████████████ cancel_charge lost, 10 to 40 ms (exchange 2)",
    ]


def test_requests_are_of_the_object_of_their_account() -> None:
    """A charge that the run did not create has no history, and another account's requests have no effect."""
    sends = ("POST", "https://t/v1/business/pix-charges", ())
    creation = exchange({"id": "c", "status": "pending"}, 201, sends=sends, id=9, api=Api.BUSINESS, started=-1)
    about = of_object("pay 0 20 200 paid | get 30 40 200 paid")
    assert histories(about, Api.BUSINESS, "charge") == []
    assert histories([creation, *about], Api.BUSINESS, "charge") == [about]
    assert histories([creation], Api.BUSINESS, "charge") == []
