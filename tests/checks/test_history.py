"""What a run recorded is read again as it was: bodies, paths, and exchanges that a failure can show."""

from __future__ import annotations

from typing import Any

import pytest

from pix_conformance.checks.history import exchange_of, judged, named, sent, told
from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.results.curl import curl
from pix_conformance.results.redaction import Redactor
from pix_conformance.results.run_record import Ledger

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


def recorded(one: Exchange) -> dict[str, Any]:
    """Write an exchange as the ledger does."""
    return one.to_dict(Redactor())


def test_a_recorded_exchange_is_read_as_it_was() -> None:
    """Its answer, its times, and the line that reproduces it."""
    one, again = exchange(), exchange_of(recorded(exchange()))
    assert (again.status, again.json, again.started, again.elapsed_ms) == (200, one.json, 1000.5, 12.25)
    assert curl(again, BASE, Redactor()) == curl(one, BASE, Redactor())


def test_what_was_sent_is_read_where_it_is_json() -> None:
    """By its Content-Type, whatever parameters that has."""
    plain = recorded(exchange())
    assert sent(plain) == {"amountInCents": 1050}
    plain["request"]["headers"] = []
    assert sent(plain) == {}


@pytest.mark.parametrize("body", [None, "", "[1]", "{", '{"a": 1, "a": 2}'])
def test_what_is_no_object_says_nothing(body: str | None) -> None:
    """Nor does one with a name that stands twice: readers differ."""
    assert told({"body": body}) == {}


def test_ids_are_read_from_paths_as_they_are() -> None:
    """Without the escapes."""
    assert "a/b" in named(recorded(exchange()))


def test_the_first_wrong_exchange_is_shown() -> None:
    """The last one where none is wrong."""
    one, two = recorded(exchange(1)), recorded(exchange(2))
    subject, matcher = judged(Ledger(), "it is right", iter([(one, None), (two, "it is wrong")]))
    assert (subject.id, matcher.mismatch(subject)) == (2, "it is wrong")
    subject, matcher = judged(Ledger(), "it is right", iter([(one, None)]))
    assert (subject.id, matcher.mismatch(subject)) == (1, None)


def test_what_no_answer_shows_is_not_judged() -> None:
    """It is no pass."""
    with pytest.raises(NotApplicable):
        judged(Ledger(), "it is right", iter([]))
