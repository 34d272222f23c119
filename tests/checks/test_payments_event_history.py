"""Payments events of a run against its charges and transfers: when a missing one may wait behind a refused one."""

from __future__ import annotations

import json

from pix_conformance.checks.payments.event_history import Histories
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

JSON = (("Content-Type", "application/json"),)
URL = "http://127.0.0.1:8080/api/v1/pix/in/qrcode"


def creation(number: int, role: Role) -> Exchange:
    """Return the creation of a charge, ten seconds after that of the number before."""
    request = Request("POST", URL, JSON, b'{"amountInCents": 100}', "Bearer token")
    body = json.dumps({"data": {"id": str(number)}}).encode()
    answer = Response(200, JSON, body, len(body))
    return Exchange(number, Api.PAYMENTS, role, "create_charge", "a test", 10.0 * number, 0.0, request, answer)


def created_event(number: int, answered: int) -> Delivery:
    """Return the event of a charge, a second after its creation, and what the receiver answered."""
    body = json.dumps({"type": "transaction", "event": "transaction_created", "transaction": {"id": str(number)}})
    return Delivery(number, "/hook", "POST", 10.0 * number + 1, JSON, body.encode(), answered, api="payments")


def test_a_refused_event_of_any_charge_may_hold_up_a_missing_one() -> None:
    """Also one of a charge whose id two accounts have, which is not judged itself."""
    exchanges = [creation(number, Role.MERCHANT) for number in range(1, 9)] + [creation(3, Role.LIVE_MERCHANT)]
    accepted = [created_event(number, 200) for number in (1, 2, 5, 6, 7, 8)]
    for answered, is_held_up in ((200, False), (500, True)):
        events = [*accepted, created_event(3, answered)]
        missing = Histories(exchanges, events).change_without_event("transaction_created", events, 0.0)
        assert missing
        assert (missing.cause.at("data.id"), missing.in_line) == ("4", is_held_up)
