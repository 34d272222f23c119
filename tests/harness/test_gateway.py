"""A gateway before a right server: its responses decide nothing, are asked again, and are counted in one sentence."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.transport.gateway import ATTEMPTS, LEAST
from pix_conformance.model.why import Why
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import Running
from tests.support.clients import account, business_at
from tests.support.servers import Answer, always, pass_on, serving

PAGE = b"<html><head><title>503 Service Temporarily Unavailable</title></head></html>"
GATEWAY = always(503, PAGE, "text/html")
FULL = always(429, b'{"error": "RATE_LIMITED", "message": "slow"}', Retry_After="400")
Asked = Callable[[str, str], Answer | None]
"""What the gateway answers to a method and a path instead of the server; None to ask the server."""


@contextmanager
def gateway(upstream: str, asked: Asked) -> Iterator[str]:
    """Serve the upstream address behind a gateway for the block; yield the gateway's address."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        own = asked(handler.command, handler.path)
        if own:
            own(handler)
        else:
            pass_on(handler, urlsplit(upstream).netloc, handler.path)

    with serving(answer) as url:
        yield url


def share(percent: float, seed: int) -> Asked:
    """Answer this share of the requests with a web page."""
    generator, lock = random.Random(seed), threading.Lock()  # noqa: S311  # a test

    def asked(_method: str, _path: str) -> Answer | None:
        with lock:
            return GATEWAY if generator.random() * 100 < percent else None

    return asked


ONLY = (
    "BUS-CHG-01,BUS-CHG-02,BUS-FIN-01,BUS-LIST-02,BUS-IDEM-01,BUS-IDEM-04,BUS-PAY-02,PAY-CHG-01,PAY-CHG-02,PAY-BAL-01"
)
RIGHT = always(200, b'{"data": [], "id": "chg_1", "status": "pending", "available_cents": 1}')


def through_gateway(running: Running, directory: Path, asked: Asked, only: str) -> Finished:
    words = ("--only", only, "--receiver", "off", "--no-waiting")
    with gateway(running.base_url, asked) as url:
        return run_suite(directory, *words, **(account(running) | {"PIX_BASE_URL": url}))


Opened = Callable[[Answer], Business]


@pytest.fixture
def business_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Return a function that serves an answer and returns a client of it; no pause takes time."""
    waits = Waits()
    monkeypatch.setattr(waits, "pause", lambda _: None)
    with ExitStack() as stack:

        def opened(answer: Answer) -> Business:
            url = stack.enter_context(serving(answer))
            return stack.enter_context(business_at(url, waits=waits))

        yield opened


def in_turn(*answers: Answer) -> Answer:
    """Answer the first request by the first of these, and so on."""
    left = list(answers)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        left.pop(0)(handler)

    return answer


def test_a_twentieth_of_503_fails_no_must_of_a_right_server(server: Running, tmp_path: Path) -> None:
    done = through_gateway(server, tmp_path, share(5, seed=1), ONLY)

    assert (done.exit, done.with_outcome("fail"), done.with_outcome("warn")) == (0, [], [])
    lines = [line for line in done.output.splitlines() if "503 with an HTML body" in line]
    assert len(lines) == 1
    assert done.results["environment"] == lines
    assert lines[0] in (tmp_path / "summary.md").read_text("utf-8").replace("\\", "")
    assert lines[0] in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("answer", "why", "reason"),
    [
        (FULL, Why.RATE_LIMITED, "to wait for 400 s would exceed"),
        (always(500, b'{"error": "INTERNAL", "message": "no"}'), Why.PRECONDITION, "create_transfer (exchange"),
    ],
    ids=["429", "500"],
)
def test_a_transfer_without_a_decision_is_not_explained_by_an_empty_wallet(
    server: Running, tmp_path: Path, answer: Answer, why: Why, reason: str
) -> None:
    def asked(method: str, path: str) -> Answer | None:
        return answer if (method, path) == ("POST", "/api/v1/pix/out/pixkey") else None

    done = through_gateway(server, tmp_path, asked, "PAY-IDEM-09")
    assert (done.exit, done.outcome("PAY-IDEM-09")) == (6, "inconclusive")
    assert [row["why"] for row in done.results["requirements"] if row["id"] == "PAY-IDEM-09"] == [why]
    assert reason in done.output
    assert "wallet" not in done.output


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        (GATEWAY, ATTEMPTS),
        (always(504, b"upstream timed out", "text/plain"), ATTEMPTS),
        (always(502, b""), ATTEMPTS),
        (always(503, b'{"message": "Service Unavailable"}'), ATTEMPTS),
        (always(520, PAGE, "text/html"), ATTEMPTS),
        (always(503, b'{"detail": "maintenance"}'), 1),
        (always(500, b"<pre>TypeError</pre>", "text/html"), 1),
        (always(500, b"{}"), 1),
    ],
)
def test_only_what_is_certainly_of_a_gateway_is_asked_again(answer: Answer, count: int, business_of: Opened) -> None:
    business = business_of(answer)
    if count == 1:
        assert business.get_finance().status in {500, 503}
    else:
        with pytest.raises(Inconclusive, match=r"get_finance was answered 5.. with .* by a gateway \(exchange 5\)"):
            business.get_finance()
    assert len(business.sender.facts.exchanges) == count
    assert bool(business.sender.facts.shown) == (count == 1)


def test_a_payment_that_may_have_been_passed_on_is_not_sent_again(business_of: Opened) -> None:
    business = business_of(always(502, PAGE, "text/html"))
    with pytest.raises(Inconclusive, match="pay_charge was answered 502"):
        business.pay_charge("chg_1")
    assert len(business.sender.facts.exchanges) == 1


def test_a_payment_that_was_not_passed_on_is_sent_again(business_of: Opened) -> None:
    business = business_of(in_turn(GATEWAY, RIGHT))
    assert business.pay_charge("chg_1").ok
    assert [exchange.status for exchange in business.sender.facts.exchanges] == [503, 200]


def test_a_conflict_after_a_502_to_the_same_key_says_nothing(business_of: Opened) -> None:
    """The target may have created the first one, and then it is right to refuse the second."""
    business = business_of(in_turn(always(502, PAGE, "text/html"), always(409, b'{"detail": "used"}')))
    with pytest.raises(Inconclusive, match="may have passed it on, so the 409"):
        business.create_charge({"amount_cents": 1}, key="k")


def test_simultaneous_requests_are_returned_for_their_comparison(business_of: Opened) -> None:
    business = business_of(always(502, PAGE, "text/html"))
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: business.pay_charge("chg_1", group="race"), range(2)))
    assert [answer.status for answer in answers] == [502, 502]


def test_an_operation_counts_as_missing_once_others_were_answered(business_of: Opened) -> None:
    business = business_of(lambda handler: (GATEWAY if "finance" in handler.path else RIGHT)(handler))
    for _ in range(LEAST // ATTEMPTS + 1):
        with pytest.raises(Inconclusive):
            business.get_finance()
    business.list_charges()
    assert business.get_finance().status == 503
