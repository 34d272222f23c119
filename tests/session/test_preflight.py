"""The preflight: one sentence if the address or a credential is wrong, and none for a right server."""

import json
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.run import Run, begin
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Role, Secret
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.recorder import Recorder
from pix_conformance.reference.process import Running
from pix_conformance.session.preflight import try_credentials
from tests.support import hostile_servers as hostile
from tests.support.servers import Answer, always, by_api, serving

PAIR = Credential(Secret("wrong-secret-1"), "id-1")
PAIRS, KEYS = {Role.MERCHANT: PAIR}, {Role.MERCHANT: Credential(Secret("ak_test_wrong"))}
REFUSING = by_api(b'{"error": "UNAUTHORIZED", "message": "no"}', b'{"detail": "no"}', 401)
ANOTHER: dict[str, tuple[Answer, str]] = {
    "refused": (REFUSING, "login with PIX_CLIENT_ID / PIX_CLIENT_SECRET was refused (401, exchange 1)"),
    "page": (always(200, b" <!doctype html><title>Hello</title>", "text/html"), "POST /api/auth returned a web page"),
    "blocked": (always(403, b"<html>blocked</html>", "text/html"), "POST /api/auth returned a web page (403)"),
    "maintenance": (always(503, b"<html>back soon</html>", "text/html"), "the service is not available (503"),
    "redirect": (always(301, b"", Location="https://h.example/api"), "is redirected to https://h.example/api"),
    "other API": (always(404, b'{"status": "no such route"}'), "this is another API"),
    "another path": (
        by_api(b'{"error": "NOT_FOUND", "message": "no"}', b'{"detail": "no"}', 404),
        "another path of it: it has no POST /api/auth (404): check PIX_BASE_URL",
    ),
}
OURS: dict[str, Answer] = {
    "empty objects": always(200, b"{}"),
    "errors": always(500, b"{}"),
    "error page": always(500, b"<html>traceback</html>", "text/html"),
    "bad request": by_api(b'{"error": "INVALID_REQUEST", "message": "no"}', b'{"detail": "no"}', 400),
}


def preflight(url: str, payments: Mapping[Role, Credential] = PAIRS, business: Mapping[Role, Credential] = KEYS) -> Run:
    """Run the preflight against a server, with a credential of each API."""
    given = {Api.PAYMENTS: payments, Api.BUSINESS: business}
    run = begin(Settings(Target("target", url, credentials=given), receiver=False), Recorder(), (), Waits())
    try_credentials(run)
    run.line.close()
    return run


@pytest.mark.parametrize("name", ANOTHER)
def test_one_sentence_says_why_a_target_cannot_be_tested(name: str) -> None:
    """The sentence names what to check; nothing is judged, and a secret is sent at most three times."""
    answer, words = ANOTHER[name]
    with serving(answer) as url:
        run = preflight(url)

    assert words in run.recorder.unusable[Api.PAYMENTS]
    assert set(run.unusable) == {(api, Role.MERCHANT) for api in Api}
    assert set(run.recorder.unusable) == set(Api)
    assert not run.recorder.passive.seen
    sent = [exchange.request.headers for exchange in run.recorder.exchanges]
    for credential in ("<Basic $PIX_CLIENT_ID:$PIX_CLIENT_SECRET>", "<Bearer $PIX_API_KEY>"):
        assert 1 <= sum(("authorization", credential) in headers for headers in sent) <= 3


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9", "no connection to http://127.0.0.1:9: check PIX_BASE_URL"),
        ("http://no-such-host.invalid", "the host name in http://no-such-host.invalid cannot be resolved"),
    ],
)
def test_the_address_is_named_if_there_is_no_connection(url: str, words: str) -> None:
    run = preflight(url)
    assert {words in reason for reason in run.unusable.values()} == {True}
    assert len(run.recorder.exchanges) == 2


def test_a_certificate_that_is_not_trusted_is_named() -> None:
    with hostile.raw(hostile.saying(hostile.OK + b"\r\n{}"), hostile.self_signed()) as address:
        run = preflight(f"https://{address}")
    assert f"the TLS connection to https://{address} failed" in run.recorder.unusable[Api.BUSINESS]
    assert "SSL_CERT_FILE" in run.recorder.unusable[Api.BUSINESS]
    assert "_ssl" not in run.recorder.unusable[Api.BUSINESS]


@pytest.mark.parametrize("name", OURS)
def test_what_only_a_wrong_server_answers_is_left_to_the_tests(name: str) -> None:
    """A server that answers its login wrongly in any other way is to fail, not to be left alone."""
    with serving(OURS[name]) as url:
        run = preflight(url)
    assert (run.unusable, run.recorder.unusable) == ({}, {})
    assert run.recorder.passive.seen


def first(status: int, **headers: str) -> Callable[[list[str]], Answer | None]:
    """Answer the first request of each API with a status."""
    refusal = always(status, b"{}", **headers)
    return lambda asked: refusal if [path[:4] for path in asked].count(asked[-1][:4]) == 1 else None


def slow(asked: list[str]) -> None:
    """Take a second for the first requests."""
    time.sleep(1.0 if len(asked) < 3 else 0.0)


@pytest.mark.parametrize(
    "trouble",
    [first(429, Retry_After="1"), first(503), first(401), slow],
    ids=["limited", "restarting", "once", "slow"],
)
def test_a_right_server_in_trouble_is_accepted(trouble: Callable[[list[str]], Answer | None]) -> None:
    """A rate limit, a restart, one wrong refusal or a slow response do not end the tests."""
    asked: list[str] = []
    token = always(200, b'{"token": "t", "expiresIn": 60000}')
    listing = always(200, b'{"data": []}')

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        (trouble(asked) or (token if handler.path.endswith("/auth") else listing))(handler)

    with serving(answer) as url:
        run = preflight(url)
    assert run.unusable == {}


def test_a_refused_account_leaves_the_others_alone(server: Running) -> None:
    """If the login of the second account is refused, the first one is tested."""
    right = server.credentials["payments"]["merchant"]
    pairs = {Role.MERCHANT: Credential(Secret(right[1]), right[0]), Role.OTHER_MERCHANT: PAIR}
    run = preflight(server.base_url, payments=pairs, business={Role.MERCHANT: Credential(Secret("ak_test_x"))})

    assert run.recorder.unusable.keys() == {Api.BUSINESS}
    assert (
        "PIX_OTHER_CLIENT_ID / PIX_OTHER_CLIENT_SECRET was refused" in run.unusable[Api.PAYMENTS, Role.OTHER_MERCHANT]
    )
    assert (Api.PAYMENTS, Role.MERCHANT) not in run.unusable
    assert [line.split(": ")[1][:8] for line in run.access] == ["accepted", "login wi", "PIX_API_"]


def test_a_swapped_id_and_secret_are_named(server: Running) -> None:
    name, secret = server.credentials["payments"]["merchant"]
    swapped = {Role.MERCHANT: Credential(Secret(name), secret)}
    run = preflight(server.base_url, payments=swapped, business={})

    words = "PIX_CLIENT_ID and PIX_CLIENT_SECRET are swapped: the login the other way round was accepted"
    assert run.unusable == {(Api.PAYMENTS, Role.MERCHANT): words}
    assert [exchange.status for exchange in run.recorder.exchanges] == [401, 401, 200]


def test_a_key_that_no_header_can_carry_leaves_the_other_api_alone(server: Running) -> None:
    right = server.credentials["payments"]["merchant"]
    pairs = {Role.MERCHANT: Credential(Secret(right[1]), right[0])}
    run = preflight(server.base_url, payments=pairs, business={Role.MERCHANT: Credential(Secret("ak_test_x\n"))})

    assert run.unusable == {(Api.BUSINESS, Role.MERCHANT): "no request can carry PIX_API_KEY: check its characters"}
    assert set(run.recorder.unusable) == {Api.BUSINESS}


def test_one_api_is_tested_if_the_login_of_the_other_is_refused(server: Running, tmp_path: Path) -> None:
    """The other API's requirements are inconclusive, and the wrong secret is not sent again."""
    given = {"PIX_BASE_URL": server.base_url, "PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "wrong-1"}
    key = server.credentials["business"]["merchant"]
    words = ("--no-waiting", "--only", "PAY-BAL-01,PAY-AUTH-01,BUS-FIN-01", "--receiver", "off")
    done = run_suite(tmp_path / "out", *words, PIX_API_KEY=key, **given)

    assert (done.exit, done.outcome("BUS-FIN-01"), done.outcome("PAY-BAL-01")) == (6, "pass", "inconclusive")
    assert done.output.count("login with PIX_CLIENT_ID / PIX_CLIENT_SECRET was refused (401") >= 1
    assert "PIX_OTHER_CLIENT_ID" not in done.output
    assert "business, merchant (PIX_API_KEY): accepted" in done.output
    lines = (tmp_path / "out" / "exchanges.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(json.loads(line)["api"] == "payments" for line in lines) <= 3
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "business, merchant (PIX_API_KEY): accepted" in page


def test_a_refused_login_ends_a_whole_run_soon(tmp_path: Path) -> None:
    """Nothing is judged, the exit status is 6, and the page does not say that the sandbox is configured."""
    with serving(REFUSING) as url:
        given = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "wrong-1", "PIX_REQUIRE": ""}
        done = run_suite(tmp_path / "out", PIX_BASE_URL=url, **given)

    assert done.exit == 6
    assert "nothing was judged (login with PIX_CLIENT_ID / PIX_CLIENT_SECRET was refused (401" in done.output
    assert "PIX_OTHER_CLIENT_ID and PIX_OTHER_CLIENT_SECRET unlock" not in done.output
    assert done.results["totals"]["requests"] <= 3
    assert done.results["target"]["capabilities"] == ["waiting"]


def test_a_run_begins_with_accepted_credentials_and_missing_settings(server: Running, tmp_path: Path) -> None:
    pair = server.credentials["payments"]["merchant"]
    given = {"PIX_BASE_URL": server.base_url, "PIX_CLIENT_ID": pair[0], "PIX_CLIENT_SECRET": pair[1]}
    done = run_suite(tmp_path / "out", "-k", "test_the_balance_is_queried", "suites/payments/test_balance.py", **given)

    assert "payments, merchant (PIX_CLIENT_ID and PIX_CLIENT_SECRET): accepted" in done.output
    assert "PIX_OTHER_CLIENT_ID and PIX_OTHER_CLIENT_SECRET unlock 14 requirements" in done.output
    assert done.results["run"]["unlocks"]
