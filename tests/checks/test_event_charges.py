"""Which events are about charges that a list has to show."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from pix_conformance.checks.business.event_charges import latest_created_event
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from tests.support.exchanges import exchange

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def creation(number: int, ref: str) -> Exchange:
    charge = {"id": f"chg_{number}", "amount_cents": 1_050, "external_ref": ref, "created_at": NOON.isoformat()}
    sent = {"amount_cents": 1_050, "external_ref": ref}
    return exchange(charge, 201, sent, api=Api.BUSINESS, started=NOON.timestamp(), id=number)


def created_event(number: int, ref: str, dated: timedelta) -> Delivery:
    data = {"amount_cents": 1_050, "e2e_id": f"E{number}", "external_ref": ref}
    event = {"id": f"evt_{number}", "type": "business.pix.created", "created_at": (NOON + dated).isoformat()}
    body = json.dumps({**event, "data": data}).encode()
    return Delivery(number, "/business", "POST", NOON.timestamp() + 0.1, (), body, 200, api=Api.BUSINESS)


@pytest.mark.parametrize("seconds", [0, 75])
def test_events_that_are_dated_by_another_clock_are_as_much_later(seconds: int) -> None:
    exchanges = [creation(number, f"order-{number}") for number in range(1, 4)]
    events = [created_event(number, f"order-{number}", timedelta(seconds=seconds)) for number in range(1, 4)]
    late = latest_created_event(exchanges, events) - latest_created_event(
        exchanges, [created_event(number, f"order-{number}", timedelta()) for number in range(1, 4)]
    )
    assert late == timedelta(seconds=seconds)
