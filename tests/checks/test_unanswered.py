"""Routes that never respond, and pauses between attempts: what right servers and networks do, and noise."""

from dataclasses import replace

import pytest

from pix_conformance.checks.business.retries import (
    ends_the_attempts,
    given_up_in_time,
    held_back_periods,
    most_repetitions,
    no_pause_beyond_the_longest,
    not_attempted_too_often,
    pauses_double,
)
from pix_conformance.checks.conclusion import Broken
from pix_conformance.checks.unanswered import FEWEST, NEAR_S, dropped_requests, unanswered_routes
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, NetworkFault, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why
from tests.support.conclusions import mismatch, unknown

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


DROPPED = "RemoteProtocolError: Server disconnected without sending a response."


@pytest.mark.parametrize(
    ("sent", "is_broken"),
    [
        pytest.param([(CHARGE, 1, 200), (BALANCE, 2, DROPPED), (BALANCE, 3, DROPPED)], True, id="twice"),
        pytest.param([(CHARGE, 1, 200), (BALANCE, 2, DROPPED), (BALANCE, 3, 200)], False, id="once"),
        pytest.param([(CHARGE, 1, 200), (BALANCE, 2, LATE), (BALANCE, 3, LATE)], False, id="late"),
        pytest.param([(CHARGE, 1, 200), (BALANCE, 60, DROPPED), (BALANCE, 61, DROPPED)], False, id="nothing answers"),
    ],
)
def test_a_request_that_loses_its_connection_twice_is_named(sent: list[Sent], is_broken: bool) -> None:  # noqa: FBT001 - a column
    judged = dropped_requests([exchange(number, row) for number, row in enumerate(sent, 1)], Api.PAYMENTS)
    conclusions = [matcher.judge(subject) for subject, matcher in judged]
    assert any(isinstance(conclusion, Broken) for conclusion in conclusions) is is_broken


def test_another_body_is_another_request() -> None:
    first, second = (exchange(number, (BALANCE, number, DROPPED)) for number in (2, 3))
    other = replace(second, request=replace(second.request, body=b"{}"))
    judged = dropped_requests([exchange(1, (CHARGE, 1, 200)), first, other], Api.PAYMENTS)
    assert not any(isinstance(matcher.judge(subject), Broken) for subject, matcher in judged)


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


ONE = Delivery(1, "/business", "POST", 0.0, (), b'{"id": "a", "type": "business.pix.paid"}', 200, api="business")


@pytest.mark.parametrize(
    ("pauses", "words"),
    [
        pytest.param((0.25, 0.5, 1, 2, 4), None, id="clean"),
        pytest.param((0.8, 0.5, 1, 2, 4), None, id="a-late-second"),
        pytest.param((0.25, 0.5, 1.6, 2, 4.3), None, id="noisy"),
        pytest.param((10, 16, 25, 60), None, id="lazy-factor"),
        pytest.param((1, 2.2, 4.1, 8.7), None, id="jitter"),
        pytest.param((4.8, 6.4, 19.2, 25.6), None, id="a-fifth-of-jitter"),
        pytest.param((100, 200, 300, 300, 300), None, id="capped"),
        pytest.param((0.25, 0.5, None, None, 4), None, id="clock-turned"),
        pytest.param((2.9, 2.15, 5.4, 8.24, 16.23), None, id="first-late"),
        pytest.param((2.14, 0.5, 2.35, 2.1, 4), None, id="two-late"),
        pytest.param((1, 3.8, 4, 8), None, id="second-late"),
        pytest.param((0.26, 0.26, 0.27, 0.26, 0.26, 0.26), "do not double", id="steady"),
        pytest.param((10, 10), "do not double", id="steady-and-long"),
        pytest.param((4, 4.5), "do not double", id="nearly-steady"),
        pytest.param((1, 2, 3, 4, 5, 6), "do not double", id="linear"),
        pytest.param((8, 4, 2), "do not double", id="falling"),
        pytest.param((0.25, 0.5, 0.75, 1, 1.25, 1.5), "less than doubling", id="linear-and-short"),
        pytest.param((0.5, 1, 1.5, 2, 2.5, 3), "do not double", id="linear-and-middling"),
        pytest.param((5, 10, 15, 20), "do not double", id="linear-and-long"),
        pytest.param((0.25, 1, 4, 16), "more than doubling", id="fourfold"),
        pytest.param((0.57, 0.86, 1.29, 1.93), "less than doubling", id="by-half"),
        pytest.param((1, 3, 9, 27), "more than doubling", id="threefold"),
    ],
)
def test_doubling_is_told_from_other_pauses_through_noise(pauses: tuple[float | None, ...], words: str | None) -> None:
    problem = mismatch(pauses_double(pauses), ONE)
    assert words in str(problem) if words else problem is None


def test_a_sender_of_one_call_at_a_time_may_add_the_longest_call_to_a_pause() -> None:
    held = (None, 2.05, 4.09, 12.86)
    assert mismatch(pauses_double(held), ONE) is not None
    assert mismatch(pauses_double(held, late_s=10.0), ONE) is None


def test_a_slow_first_attempt_shows_that_later_attempts_are_slow_too() -> None:
    late = replace(ONE, received=9.0, body=b'{"data": {"external_ref": "a"}}')
    assert held_back_periods({"a": 1.0, "b": 2.0}, [late, replace(late, received=20.0)]) == [(1.0, 9.0)]
    assert held_back_periods({"a": 8.0}, [late]) == []


def test_a_time_that_every_event_takes_is_no_waiting_behind_others() -> None:
    began = {str(number): float(number) for number in range(40)}
    came = [
        replace(ONE, received=moment + 3.0, body=f'{{"data": {{"external_ref": "{ref}"}}}}'.encode())
        for ref, moment in began.items()
    ]
    assert held_back_periods(began, came) == []
    came[7] = replace(came[7], received=16.0)
    assert held_back_periods(began, came) == [(10.0, 16.0)]


def test_attempts_whose_pauses_are_not_known_are_said_to_have_come() -> None:
    unknown_pauses = pauses_double((None, None, None)), no_pause_beyond_the_longest((None, None), None, ended=False)
    for relation in unknown_pauses:
        assert "attempts came within the time, some of them when other events waited" in unknown(relation, ONE).sentence
    assert "no second attempt came" in unknown(pauses_double(()), ONE).sentence


@pytest.mark.parametrize(("pauses", "copies"), [((), 1), ((2.0,), 1), ((1, 1, 1), 2)])
def test_too_few_pauses_give_no_verdict(pauses: tuple[float, ...], copies: int) -> None:
    assert unknown(pauses_double(pauses, copies), ONE).why is Why.NOT_SHOWN


def test_attempts_that_go_on_or_are_relayed_give_no_verdict() -> None:
    assert "5 attempts" in unknown(not_attempted_too_often([ONE] * 5, 1, ended=False), ONE).sentence
    assert "relay" in unknown(given_up_in_time(relayed=True), ONE).sentence


def test_a_service_may_send_each_event_twice() -> None:
    assert [most_repetitions([ONE] * times) for times in (0, 1, 3)] == [0, 1, 3]
    assert most_repetitions([ONE, replace(ONE, answered=500)]) == 0
    assert mismatch(not_attempted_too_often([ONE] * 16, 2, ended=True), ONE) is None
    assert mismatch(ends_the_attempts([ONE] * 3, 2), ONE) is None
