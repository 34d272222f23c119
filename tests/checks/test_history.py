"""Parts of history checks: bodies, paths, and the exchange that a failure shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pix_conformance.checks.history import named, sent, waiting_since
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.subject import json_object
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.curl import curl
from pix_conformance.recording.redaction import Redactor, redacted

BASE = "http://127.0.0.1:8080"
BODY = b'{"amountInCents": 1050}'


def exchange(number: int = 1, answer: bytes = b'{"data": {"id": "a/b"}}') -> Exchange:
    """Return an exchange that created a charge."""
    request = Request(
        "POST",
        f"{BASE}/api/v1/pix/in/qrcode/a%2Fb/pay",
        (("Authorization", "Bearer t"), ("Content-Type", "application/json; charset=utf-8")),
        BODY,
        "Bearer token of ${PIX_CLIENT_ID}:${PIX_CLIENT_SECRET}",
    )
    response = Response(200, (("Content-Type", "application/json"),), answer, len(answer))
    return Exchange(number, Api.PAYMENTS, Role.MERCHANT, "pay_charge", "a test", 1000.5, 12.25, request, response)


def test_a_recorded_exchange_has_a_description_instead_of_its_credential() -> None:
    original, copy = exchange(), redacted(exchange(), Redactor())
    assert copy.request.headers[0] == ("Authorization", f"<{original.request.credential}>")
    assert (copy.response, copy.request.body, copy.started) == (
        original.response,
        original.request.body,
        original.started,
    )
    assert '-H "Authorization: Bearer $TOKEN"' in curl(copy, BASE)


def test_a_request_body_is_read_if_it_is_json() -> None:
    """The Content-Type decides, with any parameters."""
    plain = exchange()
    assert sent(plain) == {"amountInCents": 1050}
    assert sent(replace(plain, request=replace(plain.request, headers=()))) == {}


@pytest.mark.parametrize("body", [b"", b"\xff", b"[1]", b"{", b'{"a": 1, "a": 2}'])
def test_a_body_that_is_not_an_object_reads_as_empty(body: bytes) -> None:
    """An object with a duplicate name is not read either, because parsers differ."""
    assert json_object(body) == {}


def test_ids_are_read_from_paths_without_their_encoding() -> None:
    """Percent-encoding is decoded."""
    assert "a/b" in named(exchange())


def test_events_may_wait_since_the_newest_was_refused() -> None:
    """An event that was accepted later holds up nothing; of one that was refused twice the first attempt counts."""
    attempts = [("a", 500, 1.0), ("b", 500, 2.0), ("a", 200, 3.0), ("c", None, 4.0), ("c", 503, 9.0), ("d", 204, 10.0)]
    assert waiting_since(attempts) == 4.0
    assert waiting_since(attempts[:3]) == 2.0
    assert waiting_since([("a", 200, 1.0)]) is None
