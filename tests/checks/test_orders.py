"""Histories of charges and transfers: what decides nothing, and what the documents leave open, is explained."""

import json

import pytest

from pix_conformance.checks.conclusion import Broken, Holds
from pix_conformance.checks.object_histories import (
    drawing,
    has_one_order_of_current_states_with,
    has_one_order_with,
    histories,
)
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

PATHS = {"pay": ("pay_charge", "POST", "/pay"), "cancel": ("cancel_charge", "POST", "/cancel")}
PATHS |= {"get": ("get_charge", "GET", ""), "complete": ("complete_transfer", "POST", "/complete")}
PATHS |= {"look": ("get_transfer", "GET", "")}


def read(text: str, api: Api = Api.BUSINESS) -> list[Exchange]:
    """Read `operation start end status [status of the object] | ...`, in ms; a status of 0 is a lost answer."""
    exchanges = []
    for number, row in enumerate(text.split("|"), 1):
        name, start, end, code, *shown = row.split()
        operation, method, path = PATHS[name]
        shows = {"id": "c", **({"status": shown[0]} if shown else {})}
        body = json.dumps(shows if api is Api.BUSINESS else {"data": shows}).encode()
        sent = Request(method, f"https://t/v1/business/pix-charges/c{path}", ())
        came = Response(int(code), (), body, len(body)) if int(code) else None
        times = int(start) / 1000, int(end) - int(start)
        exchanges.append(Exchange(number, api, Role.MERCHANT, operation, None, *times, sent, came))
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
def test_what_a_right_service_may_answer_is_explained(text: str) -> None:
    *history, last = read(text)
    assert has_one_order_with(history, "charge").judge(last) == Holds()
    assert has_one_order_of_current_states_with(history, "charge").judge(last) == Holds()


@pytest.mark.parametrize(
    "text",
    [
        "pay 0 20 200 paid | cancel 10 30 200 | get 40 50 200 paid",
        "get 0 20 200 expired | cancel 10 30 200 | pay 15 30 200 paid",
    ],
)
def test_two_transitions_of_one_charge_at_once_are_not_explained(text: str) -> None:
    *history, last = read(text)
    conclusion = has_one_order_with(history, "charge").judge(last)
    assert isinstance(conclusion, Broken)
    assert conclusion.sentence.count("(exchange ") == 2


def test_what_no_order_explains_without_simultaneous_requests_is_left_to_other_rules() -> None:
    *history, last = read("pay 0 20 200 | cancel 10 30 200 | get 40 50 200 paid")
    assert has_one_order_with(history, "charge").judge(last) == Holds()


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
    *history, last = read(text, api)
    assert has_one_order_with(history, kind).judge(last) == Holds()
    assert isinstance(has_one_order_of_current_states_with(history, kind).judge(last), Broken)


def test_a_drawing_has_a_bar_for_each_request() -> None:
    assert drawing(read("pay 0 20 200 paid | cancel 10 40 0")).splitlines() == [
        "████████████████████                     pay_charge 200 paid, 0 to 20 ms (exchange 1)",
        "          ██████████████████████████████ cancel_charge lost, 10 to 40 ms (exchange 2)",
    ]


def test_requests_are_of_the_object_of_their_account() -> None:
    """A charge that the run did not create has no history, and another account's requests have no effect."""
    body = b'{"id": "c", "status": "pending"}'
    messages = Request("POST", "https://t/v1/business/pix-charges", ()), Response(201, (), body, len(body))
    creation = Exchange(9, Api.BUSINESS, Role.MERCHANT, "create_charge", None, -1, 1, *messages)
    about = read("pay 0 20 200 paid | get 30 40 200 paid")
    assert histories(about, Api.BUSINESS, "charge") == []
    assert histories([creation, *about], Api.BUSINESS, "charge") == [about]
    assert histories([creation], Api.BUSINESS, "charge") == []
