"""Charges of other accounts that a run queries are masked."""

from __future__ import annotations

import json

import pytest

from pix_conformance.model.exchange import FOREIGN, Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.recorder import Recorder

FOUND = {"success": True, "message": "found", "data": {"id": "ch_of_another", "status": "paid", "fees": 17}}


def recorded(group: str | None, status: int) -> str:
    """Record one query, and return its line in the bundle."""
    recorder = Recorder()
    request = Request("GET", "http://target/api/v1/pix/in/qrcode/ch_of_another", ())
    response = Response(status, (), json.dumps(FOUND).encode(), 100)
    exchange = Exchange(1, Api.PAYMENTS, Role.MERCHANT, None, None, 0.0, 1.0, request, response, group=group)
    recorder.record(exchange)
    return json.dumps([exchange.to_dict() for exchange in recorder.exchanges])


@pytest.mark.parametrize(
    ("group", "status", "masked"), [(FOREIGN, 200, True), (None, 200, False), (FOREIGN, 404, False)]
)
def test_an_object_of_another_account_is_masked(group: str | None, status: int, masked: bool) -> None:  # noqa: FBT001  # a column
    """Neither the id in the path nor a value of the response is in the bundle; all other queries are kept whole."""
    text = recorded(group, status)
    assert ("ch_of_another" in text, "17" in text) == (not masked, not masked)
    assert "status" in text
