"""Whether an API has stopped: what is asked of it, what shows that it still answers, and what does not."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.transport import silence
from pix_conformance.harness.transport.silence import Silence
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role

SUSPICIOUS_S, STOPPED_AFTER_S, LATEST_S = 0.1, 0.4, 10.0
REFUSED = "ConnectError: connection refused"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("SUSPICIOUS_S", SUSPICIOUS_S), ("STOPPED_AFTER_S", STOPPED_AFTER_S), ("PAUSE_S", 0.05)):
        monkeypatch.setattr(silence, name, seconds)
    for name in ("LOOK_EVERY_S", "LOOK_OFTEN_S"):
        monkeypatch.setattr(silence, name, 0.01)


def exchange(number: int, operation: str, api: Api = Api.PAYMENTS, status: int | None = 200) -> Exchange:
    request = Request("GET", f"http://localhost/{operation}", ())
    response = None if status is None else Response(status, (), b"{}", 2)
    fault = REFUSED if status is None else None
    return Exchange(
        number, api, Role.MERCHANT, operation, None, time.time(), 1.0, request, response=response, fault=fault
    )


class AskedTarget:
    """A target that answers the queries of some APIs."""

    def __init__(self, answers: Callable[[Exchange], bool]) -> None:
        self.asked: list[Exchange] = []
        self.cuts = 0
        self._answers = answers
        self.silence = Silence(self._ask, Waits(), self._cut)
        for number, operation in enumerate(("get_balance", "list_webhooks", "get_charge", "get_transfer"), 1):
            self.silence.note_response(exchange(number, operation))
        self.silence.note_response(exchange(5, "get_finance", Api.BUSINESS))
        self.silence.watch()

    def _ask(self, query: Exchange, seconds: float) -> Exchange:
        assert seconds <= STOPPED_AFTER_S
        self.asked.append(query)
        if not self._answers(query):
            return replace(query, id=query.id + 100, response=None, fault=REFUSED)
        self.silence.note_response(query)
        return query

    def _cut(self) -> None:
        self.cuts += 1

    def lose(self, api: Api = Api.PAYMENTS) -> None:
        """Lose a request, as a refused connection does, some time after the last response."""
        time.sleep(0.02)
        self.silence.explain_loss(exchange(50, "pay_charge", api, None))


def test_a_target_that_answers_nothing_has_stopped() -> None:
    target, begun = AskedTarget(lambda _: False), time.monotonic()
    target.lose()
    assert STOPPED_AFTER_S <= time.monotonic() - begun < LATEST_S
    assert set(target.silence.stops) == set(Api)
    assert target.cuts == 1
    stop = target.silence.stops[Api.PAYMENTS]
    assert [probe.operation for probe in stop.probes] != []
    assert stop.words == "since exchange 4 (GET /get_transfer 200) nothing answers; see the log of the target"
    assert {query.operation for query in target.asked} == {"list_webhooks", "get_charge", "get_transfer", "get_finance"}


def test_a_target_that_stops_with_the_response_to_one_of_simultaneous_requests_has_stopped() -> None:
    target = AskedTarget(lambda _: False)
    with target.silence.waiting(60, Api.PAYMENTS):
        time.sleep(0.02)
        target.silence.note_response(exchange(61, "get_transfer", status=404))
        deadline = time.monotonic() + LATEST_S
        while not target.silence.stops and time.monotonic() < deadline:
            time.sleep(0.01)
    assert target.silence.stops[Api.PAYMENTS].last.id == 61


def test_a_lost_request_of_a_target_that_answers_others_is_that_alone() -> None:
    target = AskedTarget(lambda _: True)
    target.lose()
    assert target.silence.stops == {}
    assert target.cuts == 0


def test_a_target_that_is_started_again_goes_on() -> None:
    begun = time.monotonic()
    target = AskedTarget(lambda _: time.monotonic() - begun > STOPPED_AFTER_S / 2)
    target.lose()
    assert target.silence.stops == {}


def test_one_api_stops_alone() -> None:
    target = AskedTarget(lambda query: query.api == Api.BUSINESS)
    target.lose()
    assert set(target.silence.stops) == {Api.PAYMENTS}
    assert target.cuts == 0
    target.lose(Api.BUSINESS)
    assert set(target.silence.stops) == {Api.PAYMENTS}


def test_a_request_that_waits_long_is_suspicious_and_a_slow_target_is_not() -> None:
    target = AskedTarget(lambda _: False)
    with target.silence.waiting(60, Api.PAYMENTS):
        ends = time.monotonic() + LATEST_S
        while not target.silence.stops and time.monotonic() < ends:
            time.sleep(0.01)
    assert set(target.silence.stops) == set(Api)
    slow = AskedTarget(lambda _: False)
    slow.silence.note_response(replace(exchange(6, "get_balance"), elapsed_ms=LATEST_S * 1000))
    with slow.silence.waiting(60, Api.PAYMENTS):
        time.sleep(2 * (SUSPICIOUS_S + STOPPED_AFTER_S))
    assert slow.silence.stops == {}
    assert slow.asked == []


def test_nothing_is_known_before_a_query_was_answered() -> None:
    target = AskedTarget(lambda _: False)
    alone = Silence(target._ask, Waits(), target._cut)  # noqa: SLF001  # of this file
    alone.watch()
    alone.explain_loss(exchange(50, "pay_charge", status=None))
    assert alone.stops == {}
