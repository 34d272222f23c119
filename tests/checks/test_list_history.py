"""A list may lack a charge only if all its charges are newer, or if the charge changed its status recently."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pix_conformance.checks.business.list_history import judged_by_omissions, judged_by_order
from pix_conformance.checks.conclusion import Problem
from pix_conformance.checks.history import Judged
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

BASE = "http://127.0.0.1:8080/v1/business/pix-charges"
NAMES = ("charge-a", "charge-b", "charge-c")


def at(second: float, operation: str, path: str, answer: Any) -> Exchange:
    """Return an exchange with a duration of 0 s."""
    body = json.dumps(answer).encode()
    response = Response(200, (("Content-Type", "application/json"),), body, len(body))
    return Exchange(
        int(second), Api.BUSINESS, Role.MERCHANT, operation, "t", second, 0.0, Request("GET", BASE + path, ()), response
    )


CREATIONS = [at(100 + 10 * place, "create_charge", "", {"id": name}) for place, name in enumerate(NAMES)]
PAID = [at(130 + place, "get_charge", f"/{name}", {"id": name, "status": "paid"}) for place, name in enumerate(NAMES)]


def listing(second: float, query: str, *names: str) -> Exchange:
    return at(second, "list_charges", query, [{"id": name, "amount_cents": 1} for name in names])


def problems(judged: Judged) -> list[Problem]:
    """Return what each matcher says of its list."""
    return [matcher.mismatch(subject) for subject, matcher in judged]


@pytest.mark.parametrize("query", ["", "?status=paid"])
def test_a_list_must_contain_a_charge_between_two_listed_ones(query: str) -> None:
    (problem,) = problems(judged_by_omissions([*CREATIONS, *PAID, listing(150, query, "charge-c", "charge-a")]))
    named = "charge-b, paid," if query else "charge-b,"
    assert problem == f"the list lacks the charge {named} but has charge-a, which was made before"


@pytest.mark.parametrize(
    "last",
    [
        listing(150, "", "charge-c", "charge-b"),
        listing(133, "?status=paid", "charge-c", "charge-a"),
        listing(150, "?status=pending", "charge-c", "charge-a"),
    ],
    ids=["older", "soon", "pending"],
)
def test_a_charge_that_a_list_may_lack_is_no_problem(last: Exchange) -> None:
    assert problems(judged_by_omissions([*CREATIONS, *PAID, last])) == [None]


def test_a_charge_that_was_paid_and_canceled_is_required_in_no_list() -> None:
    canceled = at(140, "cancel_charge", "/charge-b/cancel", {})
    last = listing(150, "?status=paid", "charge-c", "charge-a")
    assert problems(judged_by_omissions([*CREATIONS, *PAID, canceled, last])) == [None]


def created(second: float, name: str) -> Exchange:
    return at(second, "create_charge", "", {"id": name, "created_at": f"2026-11-24T12:{second:.0f}:00Z"})


def test_a_list_that_a_payment_reordered_names_both_charges_and_the_payment() -> None:
    paid = at(30, "pay_charge", "/charge-a/pay", {"id": "charge-a"})
    sent = [created(10, "charge-a"), created(20, "charge-b"), paid, listing(40, "", "charge-a", "charge-b")]
    (problem,) = problems(judged_by_order(sent))
    assert problem == (
        "charge-a (created at 2026-11-24T12:10:00+00:00, paid in exchange 30) "
        "stands before charge-b (created at 2026-11-24T12:20:00+00:00)"
    )


def test_a_list_with_the_newer_charge_first_is_in_order() -> None:
    sent = [created(10, "charge-a"), created(20, "charge-b"), listing(40, "", "charge-b", "charge-a")]
    assert problems(judged_by_order(sent)) == [None]
