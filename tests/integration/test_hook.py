"""How events are sent to a webhook endpoint, and how long its answers are waited for."""

import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pix_conformance.integration import hook as module
from pix_conformance.integration.at_once import HookAnswer, late
from pix_conformance.integration.hook import ANSWER_S, LATE_ANSWERS, LATE_S, LEAST_S, NEVER_ANSWERED_S, AnswerWait, Hook
from pix_conformance.model.exchange import NOT_AWAITED, Request, Response
from pix_conformance.proof.integration_proof import SUITE
from pix_conformance.proof.suite_run import run_suite
from tests.integration.served_endpoint import endpoint

ANSWERED, LATE = HookAnswer(Response(204, (), b"", 0)), late(10)


def event(address: str) -> Request:
    return Request("POST", address, (("Content-Type", "application/json"),), b'{"id": 1}')


def answers_204(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(204)
    handler.end_headers()


def never_answers(_handler: BaseHTTPRequestHandler) -> None:
    time.sleep(20)


def seconds_of(wait: AnswerWait, *answers: tuple[HookAnswer, float]) -> list[float]:
    """Return how long each answer is waited for that came, or did not, after so many seconds."""
    seconds = []
    for answer, passed in answers:
        seconds.append(wait.seconds)
        wait.count([answer], passed)
    return [*seconds, wait.seconds]


def test_an_endpoint_that_never_answers_has_ten_seconds_once() -> None:
    expected = [ANSWER_S, *[LATE_S] * LATE_ANSWERS, NEVER_ANSWERED_S]
    assert seconds_of(AnswerWait(NEVER_ANSWERED_S), *[(LATE, 1.0)] * (1 + LATE_ANSWERS)) == expected


def test_an_endpoint_that_answers_at_once_has_ten_seconds_until_an_answer_was_late() -> None:
    answers = [(ANSWERED, 0.01), *[(LATE, 1.0)] * (1 + LATE_ANSWERS)]
    assert seconds_of(AnswerWait(), *answers) == [ANSWER_S, ANSWER_S, *[LATE_S] * LATE_ANSWERS, LEAST_S]


def test_an_endpoint_that_answers_slowly_has_twice_its_longest_time_after_a_late_answer() -> None:
    answers = [(ANSWERED, 2.0), (LATE, 10.0), (ANSWERED, 3.0), (ANSWERED, 8.0)]
    assert seconds_of(AnswerWait(), *answers) == [ANSWER_S, ANSWER_S, 4.0, 6.0, ANSWER_S]


def test_one_wait_for_several_answers_counts_once() -> None:
    wait = AnswerWait()
    wait.count([ANSWERED, LATE, LATE, LATE, LATE], 10.0)
    assert seconds_of(wait, *[(LATE, 1.0)] * LATE_ANSWERS) == [*[LATE_S] * LATE_ANSWERS, LEAST_S]


def test_events_at_the_same_moment_are_waited_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.5)
    with endpoint(never_answers) as address:
        sender, begun = Hook(address), time.monotonic()
        answers = sender.post_at_once([event(address)] * 6)
        passed = time.monotonic() - begun
        sender.close()
    assert answers == [late(0.5)] * 6
    assert passed < 2


def test_an_answer_that_is_waited_for_no_longer_is_told_from_one_that_did_not_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.5)
    monkeypatch.setattr(module, "LATE_S", 0.1)
    with endpoint(never_answers) as address:
        sender = Hook(address)
        answers = [sender.post(event(address)), sender.post(event(address)), *sender.post_at_once([event(address)] * 2)]
        sender.close()
    assert [answer.fault for answer in answers] == [late(0.5).fault, *[NOT_AWAITED] * 3]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_endpoint_may_have_an_address_of_ip_4_or_6(host: str) -> None:
    with endpoint(answers_204, host) as address:
        sender = Hook(address)
        answers = [sender.post(event(address)), *sender.post_at_once([event(address)] * 2)]
        closed = sender.post_and_close(event(address))
        sender.close()
    assert [answer.response and answer.response.status for answer in answers] == [204] * 3
    assert closed.fault == "the suite closed the connection before the answer"


def test_an_endpoint_that_has_ended_is_no_error_of_ours() -> None:
    with endpoint(answers_204) as address:
        sender = Hook(address)
    for answer in (sender.post(event(address)), sender.post_and_close(event(address))):
        assert answer.response is None
        assert "refused" in (answer.fault or "")
    assert not sender.post_at_once([event(address)])[0].response
    sender.close()


def test_a_run_reaches_an_endpoint_at_an_ip_6_address(tmp_path: Path) -> None:
    with endpoint(answers_204, "::1") as address:
        run = run_suite(tmp_path, SUITE, "-q", "--hook", f"business={address}", "--secret", "business=whsec_test")
    assert run.outcome("BUS-HOOK-01") == "pass", run.output
    assert run.with_outcome("error") == []
