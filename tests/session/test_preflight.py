"""The preflight: one sentence if the address or a credential is wrong, and none for a right server."""

import json
import ssl
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import trustme

from pix_conformance.harness.run import Run
from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.model.target import Credential
from pix_conformance.model.vocabulary import Api, Role, Secret, UsageError
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.reference.process import Running
from pix_conformance.session.preflight import try_credentials
from tests.support import hostile_servers as hostile
from tests.support.clients import account, run_at
from tests.support.proxy import proxy
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
    "other API": (always(404, b'{"status": "no such route"}'), "has no route of the payments API: POST /api/auth"),
    "another path": (
        by_api(b'{"error": "NOT_FOUND", "message": "no"}', b'{"detail": "no"}', 404),
        "POST /api/auth and others return 404: check PIX_BASE_URL",
    ),
    "page of a framework": (
        always(404, b"<!doctype html><pre>Cannot POST /api/auth</pre>", "text/html"),
        "has no route of the payments API",
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
    with run_at(url, {Api.PAYMENTS: payments, Api.BUSINESS: business}) as run:
        try_credentials(run)
        return run


def reasons(run: Run) -> dict[Api, str]:
    """Return why nothing of an API can be tested."""
    return {fact.api: fact.reason for fact in run.sender.facts.unusable}


@pytest.mark.parametrize("name", ANOTHER)
def test_one_sentence_says_why_a_target_cannot_be_tested(name: str) -> None:
    """The sentence names what to check; nothing is judged, and a secret is sent at most three times."""
    answer, words = ANOTHER[name]
    with serving(answer) as url:
        run = preflight(url)

    assert words in reasons(run)[Api.PAYMENTS]
    assert set(run.clients.unusable) == {(api, Role.MERCHANT) for api in Api}
    assert set(reasons(run)) == set(Api)
    assert not run.sender.facts.shown
    sent = [exchange.request.headers for exchange in run.sender.facts.exchanges]
    for credential in ("<Basic $PIX_CLIENT_ID:$PIX_CLIENT_SECRET>", "<Bearer $PIX_API_KEY>"):
        assert 1 <= sum(("authorization", credential) in headers for headers in sent) <= 3


def test_without_a_connection_no_further_credential_is_tried() -> None:
    """`test_doctor.py` has the sentences for each way in which a connection fails."""
    run = preflight("http://127.0.0.1:9")
    assert {"no connection to http://127.0.0.1:9: check" in reason for reason in run.clients.unusable.values()} == {
        True
    }
    assert len(run.sender.facts.exchanges) == 2


@pytest.mark.parametrize("name", OURS)
def test_what_only_a_wrong_server_answers_is_left_to_the_tests(name: str) -> None:
    """A server that answers its login wrongly in any other way is to fail, not to be left alone."""
    with serving(OURS[name]) as url:
        run = preflight(url)
    assert (run.clients.unusable, reasons(run)) == ({}, {})
    assert run.sender.facts.shown


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
    assert run.clients.unusable == {}


def test_a_refused_account_leaves_the_others_alone(server: Running) -> None:
    """If the login of the second account is refused, the first one is tested."""
    right = server.credentials["payments"]["merchant"]
    pairs = {Role.MERCHANT: Credential(Secret(right[1]), right[0]), Role.OTHER_MERCHANT: PAIR}
    run = preflight(server.base_url, payments=pairs, business={Role.MERCHANT: Credential(Secret("ak_test_x"))})

    assert reasons(run).keys() == {Api.BUSINESS}
    words = "PIX_OTHER_CLIENT_ID / PIX_OTHER_CLIENT_SECRET was refused"
    assert words in run.clients.unusable[Api.PAYMENTS, Role.OTHER_MERCHANT]
    assert (Api.PAYMENTS, Role.MERCHANT) not in run.clients.unusable
    assert [line.split(": ")[1][:8] for line in run.clients.access] == ["accepted", "login wi", "PIX_API_"]


def test_a_key_that_no_header_can_carry_leaves_the_other_api_alone(server: Running) -> None:
    right = server.credentials["payments"]["merchant"]
    pairs = {Role.MERCHANT: Credential(Secret(right[1]), right[0])}
    run = preflight(server.base_url, payments=pairs, business={Role.MERCHANT: Credential(Secret("ak_test_x\n"))})

    assert run.clients.unusable == {
        (Api.BUSINESS, Role.MERCHANT): "no request can carry PIX_API_KEY: check its characters"
    }
    assert set(reasons(run)) == {Api.BUSINESS}


def test_one_api_is_tested_if_the_login_of_the_other_is_refused(server: Running, tmp_path: Path) -> None:
    """The other API's requirements are inconclusive, and the wrong secret is not sent again."""
    given = account(server) | {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "wrong-1"}
    words = ("--no-waiting", "--only", "PAY-BAL-01,PAY-AUTH-01,BUS-FIN-01", "--receiver", "off")
    done = run_suite(tmp_path / "out", *words, **given)

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
        given = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "wrong-1"}
        done = run_suite(tmp_path / "out", PIX_BASE_URL=url, **given)

    assert done.exit == 6
    assert "nothing was judged (login with PIX_CLIENT_ID / PIX_CLIENT_SECRET was refused (401" in done.output
    assert "PIX_OTHER_CLIENT_ID and PIX_OTHER_CLIENT_SECRET unlock" not in done.output
    assert done.results["totals"]["requests"] <= 3
    assert done.results["target"]["capabilities"] == ["waiting"]


def test_a_run_begins_with_accepted_credentials_and_missing_settings(server: Running, tmp_path: Path) -> None:
    given = {name: value for name, value in account(server).items() if name != "PIX_API_KEY"}
    done = run_suite(tmp_path / "out", "-k", "test_the_balance_is_queried", "suites/payments/test_balance.py", **given)

    assert "payments, merchant (PIX_CLIENT_ID and PIX_CLIENT_SECRET): accepted" in done.output
    assert "PIX_OTHER_CLIENT_ID and PIX_OTHER_CLIENT_SECRET unlock 15 requirements" in done.output
    assert done.results["run"]["unlocks"]


HOST = "sandbox.example.test"
LISTING = b'{"data": []}'


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the proxies of this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_an_http_address_is_asked_through_http_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(always(200, LISTING)) as url, proxy(HOST, url.removeprefix("http://")) as through:
        with_password = through.url.replace("http://", "http://user:pass-word@")
        monkeypatch.setenv("HTTP_PROXY", with_password)
        run = preflight(f"http://{HOST}", payments={})

    assert run.clients.unusable == {}
    assert through.lines == [f"GET http://{HOST}/v1/business/pix-charges"]
    assert through.credentials[0] is not None
    assert run.clients.access[0] == f"requests go through the proxy {through.url} (HTTP_PROXY)"
    assert not any("pass-word" in str(exchange.to_dict()) for exchange in run.sender.facts.exchanges)


def test_an_https_address_is_asked_through_a_tunnel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    answer = hostile.saying(hostile.OK + b"content-length: %d\r\n\r\n" % len(LISTING) + LISTING)
    with hostile.raw(answer, context) as address, proxy(HOST, address) as through:
        monkeypatch.setenv("HTTPS_PROXY", through.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        run = preflight(f"https://{HOST}", payments={})

    assert run.clients.unusable == {}
    assert through.lines == [f"CONNECT {HOST}:443"]


def test_a_proxy_without_an_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    run = preflight(f"https://{HOST}", payments={})
    words = "no connection to the proxy http://127.0.0.1:9 (ALL_PROXY): start it, unset the variable, or name the host"
    assert words in run.clients.unusable[Api.BUSINESS, Role.MERCHANT]


@pytest.mark.parametrize(
    ("no_proxy", "base_url", "is_used"),
    [
        ("", f"https://{HOST}", True),
        (HOST, f"https://{HOST}", False),
        (".example.test", f"https://{HOST}/prefix", False),
        ("*", f"https://{HOST}", False),
        ("other.test", f"https://{HOST}", True),
        ("localhost,127.0.0.1", "https://127.0.0.1:8443", False),
        ("::1", "https://[::1]:8443", False),
        ("[::1]", "https://[::1]", False),
        ("fd00::/8", "https://[fd12::1]", False),
        ("10.0.0.0/8", "https://10.1.2.3", False),
        ("10.0.0.0/8", "https://11.1.2.3", True),
        ("127.0.0.0/8", "https://127.1.2.3:8443", False),
        ("10.0.0.0/99", "https://10.1.2.3", True),
        ("10.1.2.30", "https://10.1.2.3", True),
        ("*.example.test", f"https://{HOST}", False),
        ("a.test b.test\t.example.test", f"https://{HOST}", False),
        ("a.test;example.test", f"https://{HOST}", False),
        ("ample.test", f"https://{HOST}", True),
        ("EXAMPLE.test.", f"https://{HOST}", False),
        (f"{HOST}:443", f"https://{HOST}", False),
        (f"{HOST}:8443", f"https://{HOST}", True),
        ("localhost", "https://127.0.0.1:8443", True),
        ("", f"http://{HOST}", False),
    ],
)
def test_no_proxy_names_hosts(no_proxy: str, base_url: str, monkeypatch: pytest.MonkeyPatch, *, is_used: bool) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert (str(proxy_for(base_url)) == "http://proxy.example:3128 (HTTPS_PROXY)") == is_used


@pytest.mark.parametrize("url", ["ftp://proxy:1", "http://", "socks5://proxy:1080"])
def test_a_proxy_that_cannot_be_used_is_a_usage_error(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)
    with pytest.raises(UsageError, match="HTTPS_PROXY"):
        proxy_for(f"https://{HOST}")


def test_the_embedded_reference_is_never_behind_a_proxy(tmp_path: Path) -> None:
    done = run_suite(tmp_path, "--only", "BUS-FIN-01", HTTP_PROXY="http://127.0.0.1:9", HTTPS_PROXY="ftp://x")
    assert done.exit == 0


def test_a_service_without_a_list_and_a_ledger_is_not_another_api() -> None:
    """Two routes that are not there, the first that are asked, say nothing of the others."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        is_query = "/pix-charges/" in handler.path or "/qrcode/" in handler.path
        status = 401 if is_query else 404
        always(status, b'{"detail": "no", "error": "UNAUTHORIZED", "message": "no"}')(handler)

    with serving(answer) as url:
        assert preflight(url).sender.facts.unusable == []
