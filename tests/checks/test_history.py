"""What a run recorded is read again as it was: bodies, paths, and exchanges that a failure can show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pix_conformance.checks.history import first_violation, json_body, named, sent
from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.results.curl import curl
from pix_conformance.results.redaction import Redactor, redacted

BASE = "http://127.0.0.1:8080"
BODY = b'{"amountInCents": 1050}'


def exchange(number: int = 1, answer: bytes = b'{"data": {"id": "a/b"}}') -> Exchange:
    """Make an exchange that created a charge."""
    request = Request(
        "POST",
        f"{BASE}/api/v1/pix/in/qrcode/a%2Fb/pay",
        (("Authorization", "Bearer t"), ("Content-Type", "application/json; charset=utf-8")),
        BODY,
        "Bearer token of ${PIX_CLIENT_ID}:${PIX_CLIENT_SECRET}",
    )
    response = Response(200, (("Content-Type", "application/json"),), answer, len(answer))
    return Exchange(number, Api.PAYMENTS, Role.MERCHANT, "pay_charge", "a test", 1000.5, 12.25, request, response)


def test_what_the_run_keeps_of_an_exchange_names_its_credential() -> None:
    """The rest stays as it was, and so does the line that reproduces it."""
    one, kept = exchange(), redacted(exchange(), Redactor())
    assert kept.request.headers[0] == ("Authorization", f"<{one.request.credential}>")
    assert (kept.response, kept.request.body, kept.started) == (one.response, one.request.body, one.started)
    assert curl(kept, BASE, Redactor()) == curl(one, BASE, Redactor())


def test_what_was_sent_is_read_where_it_is_json() -> None:
    """By its Content-Type, whatever parameters that has."""
    plain = exchange()
    assert sent(plain) == {"amountInCents": 1050}
    assert sent(replace(plain, request=replace(plain.request, headers=()))) == {}


@pytest.mark.parametrize("body", [b"", b"\xff", b"[1]", b"{", b'{"a": 1, "a": 2}'])
def test_what_is_no_object_says_nothing(body: bytes) -> None:
    """Nor does one with a name that stands twice: readers differ."""
    assert json_body(body) == {}


def test_ids_are_read_from_paths_as_they_are() -> None:
    """Without the escapes."""
    assert "a/b" in named(exchange())


def test_the_first_wrong_exchange_is_shown() -> None:
    """The last one where none is wrong."""
    one, two = exchange(1), exchange(2)
    subject, matcher = first_violation("it is right", iter([(one, None), (two, "it is wrong")]))
    assert (subject.id, matcher.mismatch(subject)) == (2, "it is wrong")
    subject, matcher = first_violation("it is right", iter([(one, None)]))
    assert (subject.id, matcher.mismatch(subject)) == (1, None)


def test_what_no_answer_shows_is_not_judged() -> None:
    """It is no pass."""
    with pytest.raises(NotApplicable):
        first_violation("it is right", iter([]))
