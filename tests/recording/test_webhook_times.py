"""How late the webhooks of a recording came, how often again, and in which order."""

import json
from typing import Any

import pytest

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import FOREIGN, Created, Exchange
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.webhook_times import WebhookTimes, webhook_times
from tests.support.exchanges import exchange

CHARGE = "charge-0001"
JOURNAL = [Created(Api.BUSINESS, Role.MERCHANT, "charge", CHARGE, 1)]
CREATED, PAID = "business.pix.created", "business.pix.paid"


def change(number: int, operation: str, path: str, started: float) -> Exchange:
    """Return an exchange of 100 ms with the response 201."""
    fields: dict[str, Any] = {"id": number, "api": Api.BUSINESS, "operation": operation, "started": started}
    return exchange(b"", 201, sends=("POST", f"https://target/v1/business{path}", ()), elapsed_ms=100.0, **fields)


EXCHANGES = [
    change(1, "create_charge", "/charges", 10.0),
    change(2, "pay_charge", f"/charges/{CHARGE}/pay", 11.0),
]


def delivery(number: int, event: str, received: float, answered: int = 200) -> Delivery:
    """Return a delivery of the event about the charge; its id is that of the event and of the charge."""
    body = json.dumps({"id": f"{event} of it", "type": event, "data": {"id": CHARGE}})
    return Delivery(number, "/business", "POST", received, (), body.encode(), answered, api="business")


def times(*deliveries: Delivery) -> dict[str, WebhookTimes]:
    return {row.event: row for row in webhook_times(EXCHANGES, deliveries, JOURNAL)}


def test_the_time_is_from_the_response_to_the_change_until_the_first_delivery() -> None:
    measured = times(delivery(1, CREATED, 10.6, answered=500), delivery(2, CREATED, 15.6), delivery(3, PAID, 11.05))
    assert (measured[CREATED].median_s, measured[CREATED].longest_s) == (0.5, 0.5)
    assert measured[PAID].median_s == 0


def test_a_delivery_after_an_accepted_one_is_a_repetition_and_one_after_a_refused_one_is_not() -> None:
    assert times(delivery(1, CREATED, 11), delivery(2, CREATED, 12))[CREATED].repeated == 1
    assert times(delivery(1, CREATED, 11, answered=500), delivery(2, CREATED, 12))[CREATED].repeated == 0


def test_an_event_that_comes_after_that_of_a_later_change_is_out_of_order() -> None:
    measured = times(delivery(1, PAID, 12), delivery(2, CREATED, 13))
    assert (measured[CREATED].overtaken, measured[PAID].overtaken) == (1, 0)


def test_what_no_request_of_the_run_caused_is_not_measured() -> None:
    assert times(delivery(1, "business.pix.canceled", 12)) == {}


FOUND = {"success": True, "message": "found", "data": {"id": "ch_of_another", "status": "paid", "fees": 17}}


@pytest.mark.parametrize(
    ("group", "status", "masked"), [(FOREIGN, 200, True), (None, 200, False), (FOREIGN, 404, False)]
)
def test_an_object_of_another_account_is_masked(group: str | None, status: int, masked: bool) -> None:  # noqa: FBT001  # a column
    """Neither the id in the path nor a value of the response is in the bundle; all other queries are kept whole."""
    recorder, sends = Recorder(), ("GET", "http://target/api/v1/pix/in/qrcode/ch_of_another", ())
    recorder.record(exchange(FOUND, status, sends=sends, operation=None, group=group))
    text = json.dumps([recorded.to_dict() for recorded in recorder.exchanges])
    assert ("ch_of_another" in text, "17" in text) == (not masked, not masked)
    assert "status" in text
