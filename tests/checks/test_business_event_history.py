"""Events of a run against its charges: which amounts are judged, and which changes lack their event."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from pix_conformance.checks.business.event_history import PAID, Histories
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

BASE = "http://127.0.0.1:8080/v1/business/pix-charges"
JSON = (("Content-Type", "application/json"),)
MANY = 12
"""So many events that a missing one counts."""


def ref(number: int) -> str:
    """Return an external_ref of the run."""
    return f"pix-conformance-{UUID(int=number)}"


def exchange(operation: str, at: float, url: str, sent: dict[str, Any], got: dict[str, Any]) -> Exchange:
    """Return an accepted request of the merchant at a time in seconds."""
    method, answer = "POST" if sent else "GET", json.dumps(got).encode()
    request = Request(method, url, JSON, json.dumps(sent).encode() if sent else b"", "Bearer key of ${PIX_API_KEY}")
    response = Response(200, JSON, answer, len(answer))
    return Exchange(int(10 * at), Api.BUSINESS, Role.MERCHANT, operation, "a test", at, 0.0, request, response)


def paid_charge(number: int, **sent: Any) -> list[Exchange]:
    """Return the creation of a charge, and the query that shows it as paid a second later."""
    shown = {"id": f"chg_{number}", "status": "paid"}
    return [
        exchange("create_charge", 10.0 * number, BASE, sent, {"id": shown["id"]}),
        exchange("get_charge", 10.0 * number + 1, f"{BASE}/{shown['id']}", {}, shown),
    ]


def paid_event(number: int, data: dict[str, Any], **members: Any) -> Delivery:
    """Return a paid event that arrives a second after that query."""
    body = json.dumps({"type": PAID, "data": data} | members).encode()
    return Delivery(number, "/business", "POST", 10.0 * number + 2, JSON, body, 200, api="business")


def run(*lacking: str) -> tuple[list[Exchange], list[Delivery]]:
    """Return paid charges and their events, which lack some fields: the id, or the amount_cents in data."""
    exchanges, deliveries = list[Exchange](), list[Delivery]()
    for number in range(1, MANY + 1):
        exchanges += paid_charge(number, external_ref=ref(number), amount_cents=100)
        data = {"external_ref": ref(number)} | ({} if "amount_cents" in lacking else {"amount_cents": 100})
        deliveries.append(paid_event(number, data, **({} if "id" in lacking else {"id": f"evt_{number}"})))
    return exchanges, deliveries


@pytest.mark.parametrize(("sent", "is_judged"), [(700, True), (-700, False), ("", False), (699.999, False)])
def test_the_amount_of_an_event_is_held_against_a_valid_request(sent: object, is_judged: bool) -> None:  # noqa: FBT001  # a case
    """Which amount a charge has that should have been refused is not known."""
    creation, _ = paid_charge(1, external_ref=ref(1), amount_cents=sent)
    event = paid_event(1, {"external_ref": ref(1), "amount_cents": 701}, id="evt_1")
    assert bool(Histories([creation], [event]).misstated()) == is_judged


@pytest.mark.parametrize(("arrived", "is_missing"), [(1, True), (2, False)])
def test_events_without_an_id_are_counted_one_by_one(
    arrived: int,
    is_missing: bool,  # noqa: FBT001  # a case
) -> None:
    """Two charges of one external_ref, both paid, have two events."""
    exchanges, deliveries = run("id")
    for number in (-2, -1):
        exchanges += paid_charge(number, external_ref=ref(0), amount_cents=100)
    deliveries += [paid_event(number, {"external_ref": ref(0), "amount_cents": 100}) for number in (-2, -1)[:arrived]]
    assert bool(Histories(exchanges, deliveries).change_without_event(PAID)) == is_missing


@pytest.mark.parametrize(("lacking", "is_missing"), [((), True), (("amount_cents",), False)])
def test_an_event_without_an_amount_may_be_that_of_a_charge_without_external_ref(
    lacking: tuple[str, ...],
    is_missing: bool,  # noqa: FBT001  # a case
) -> None:
    """Such a charge is known by its amount alone."""
    exchanges, deliveries = run(*lacking)
    exchanges += paid_charge(0, amount_cents=777)
    assert bool(Histories(exchanges, deliveries).change_without_event(PAID)) == is_missing
