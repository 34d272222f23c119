"""Which refusals of the run say that a valid token was refused, whichever worker sent the request."""

from dataclasses import replace

import pytest

from pix_conformance.checks.conclusion import Broken
from pix_conformance.checks.payments.tokens import uses_of_valid_tokens
from pix_conformance.model.exchange import Exchange
from tests.support.exchanges import exchange

LOGIN = exchange({"token": "t"}, id=1, operation="authenticate", started=0.0)


def sent(number: int, started: float, status: int, *, login: int = 1, refused_before: int = 0) -> Exchange:
    """Return a request of the balance."""
    answer = exchange({"data": {}}, status, id=number, operation="get_balance", started=started)
    return replace(answer, request=replace(answer.request, login=login, refused_before=refused_before))


def later_login(started: float) -> Exchange:
    return exchange({"token": "u"}, id=4, operation="authenticate", started=started)


@pytest.mark.parametrize(
    ("age_s", "status_after", "login_at_s", "problems"),
    [
        pytest.param(20.0, 200, 20.1, ["exchange 2"], id="refused-while-valid"),
        pytest.param(20.0, 401, 20.1, [], id="refused-with-a-new-token-too"),
        pytest.param(51.0, 200, 51.1, [], id="may-have-expired"),
        pytest.param(20.0, 200, 10.0, [], id="a-later-login-ended-it"),
    ],
)
def test_a_refusal_counts_if_its_token_was_valid(
    age_s: float, status_after: int, login_at_s: float, problems: list[str]
) -> None:
    refused, again = sent(2, age_s, 401), sent(3, age_s + 0.2, status_after, login=4, refused_before=2)
    run = [LOGIN, refused, later_login(login_at_s), again]
    judged = [(use.evidence, matcher.judge(use)) for use, matcher in uses_of_valid_tokens(run)]
    assert [name for name, conclusion in judged if isinstance(conclusion, Broken)] == problems


def test_a_refused_request_that_was_not_sent_again_does_not_count() -> None:
    assert list(uses_of_valid_tokens([LOGIN, sent(2, 20.0, 401)])) == []
