"""The one sentence about a response that decides nothing, with its reason as a value."""

from __future__ import annotations

import pytest

from pix_conformance.checks.undecided import not_tested, why_undecided
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why


def answer(status: int | None, body: bytes = b"{}") -> Exchange:
    request = Request("GET", "http://service.test/", ())
    response = Response(status, (), body, len(body)) if status else None
    fault = None if response else "ReadTimeout: 15 s"
    return Exchange(7, Api.BUSINESS, Role.MERCHANT, "get_finance", "t", 0.0, 1.0, request, response, fault)


@pytest.mark.parametrize(
    ("exchange", "why", "sentence"),
    [
        (
            answer(None),
            Why.NO_ANSWER,
            "get_finance had no response (exchange 7): ReadTimeout: 15 s; see the log of the target",
        ),
        (answer(429), Why.RATE_LIMITED, "get_finance was rate-limited (exchange 7): a lower --rate helps"),
        (
            answer(503, b"<html>"),
            Why.GATEWAY,
            "get_finance was answered 503 with an HTML body by a gateway (exchange 7); see the log of the gateway",
        ),
    ],
    ids=["no response", "rate limit", "gateway"],
)
def test_what_decides_nothing_has_one_sentence(exchange: Exchange, why: Why, sentence: str) -> None:
    unknown = why_undecided(exchange)
    assert unknown
    assert (unknown.why, unknown.sentence) == (why, sentence)
    assert not_tested(exchange, "data.id is missing") == unknown


@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
def test_a_response_of_the_target_decides(status: int) -> None:
    assert why_undecided(answer(status)) is None


def test_a_step_that_failed_says_how() -> None:
    unknown = not_tested(answer(500), "data.id is missing")
    assert unknown.why is Why.PRECONDITION
    assert unknown.sentence == "not tested: get_finance (exchange 7): status is 500; data.id is missing"
