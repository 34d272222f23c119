"""A route that never responds: how many requests show it, and what right servers and networks do."""

import pytest

from pix_conformance.checks.conclusion import Broken
from pix_conformance.checks.unanswered import FEWEST, NEAR_S, unanswered_routes
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.network_fault import NetworkFault
from pix_conformance.model.vocabulary import Api, Role

CHARGE, BALANCE = "create_charge", "get_balance"
Sent = tuple[str, float, int | str]
"""Operation, second in which it was sent, and status, or why there was no response within a second."""
LATE = "ReadTimeout: timed out"
NEIGHBORS: list[Sent] = [(CHARGE, second, 200) for second in (0, 20, 40)]
SILENT: list[Sent] = [(BALANCE, second, LATE) for second in (2, 22, 42)]


def exchange(number: int, sent: Sent) -> Exchange:
    operation, second, seen = sent
    response, fault = (Response(seen, (), b"{}", 2), None) if isinstance(seen, int) else (None, seen)
    request = Request("GET", "http://localhost/api", ())
    return Exchange(
        number, Api.PAYMENTS, Role.MERCHANT, operation, None, second, 1_000.0, request, response=response, fault=fault
    )


def broken(sent: list[Sent]) -> list[str]:
    judged = unanswered_routes([exchange(number, row) for number, row in enumerate(sent, 1)], Api.PAYMENTS)
    conclusions = [matcher.judge(subject) for subject, matcher in judged]
    return [conclusion.sentence for conclusion in conclusions if isinstance(conclusion, Broken)]


def test_a_route_that_never_responds_while_another_does_is_named() -> None:
    (sentence,) = broken(NEIGHBORS + SILENT)
    assert sentence == (
        f"{BALANCE} never responds: none of {FEWEST} requests had a response (exchange 6: {LATE}), "
        f"while {CHARGE} responded within {NEAR_S:.0f} s of it"
    )


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param([*NEIGHBORS, *SILENT, (BALANCE, 60, 200)], id="it responded once"),
        pytest.param([*NEIGHBORS, *SILENT, (BALANCE, 60, 401)], id="it refused once"),
        pytest.param([*NEIGHBORS, *SILENT, (BALANCE, 60, 500)], id="it failed once"),
        pytest.param([*NEIGHBORS, *SILENT[1:]], id="too few requests"),
        pytest.param([*NEIGHBORS[:1], *SILENT], id="the others responded at another time"),
        pytest.param([(CHARGE, second, 503) for second in (0, 20, 40)] + SILENT, id="only a gateway responded"),
        pytest.param([(CHARGE, second, 429) for second in (0, 20, 40)] + SILENT, id="only a rate limit responded"),
        pytest.param(SILENT, id="nothing responds"),
        pytest.param(NEIGHBORS, id="it was not asked"),
        pytest.param(
            NEIGHBORS + [(BALANCE, second, NetworkFault.AFTER_REQUEST) for second in (2, 22, 42)],
            id="the suite cut the requests",
        ),
    ],
)
def test_a_route_may_respond_late_and_a_network_may_fail(sent: list[Sent]) -> None:
    assert broken(sent) == []
