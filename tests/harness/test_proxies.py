"""HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY: the proxy is used, and named where nothing comes through it."""

import ssl
from pathlib import Path

import pytest
import trustme

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.run import Run, begin
from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Role, Secret, UsageError
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.recorder import Recorder
from pix_conformance.session.preflight import try_credentials
from tests.support import hostile_servers as hostile
from tests.support.proxy import proxy
from tests.support.servers import always, serving

HOST = "sandbox.example.test"
RIGHT = b'{"data": [], "available_cents": 1}'


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the proxies of this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def first_look(base_url: str) -> Run:
    keys = {Api.BUSINESS: {Role.MERCHANT: Credential(Secret("ak_test_1"))}}
    run = begin(Settings(Target("t", base_url, credentials=keys), receiver=False), Recorder(), (), Waits())
    try_credentials(run)
    run.line.close()
    return run


def test_an_http_address_is_asked_through_http_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(always(200, RIGHT)) as url, proxy(HOST, url.removeprefix("http://")) as through:
        with_password = through.url.replace("http://", "http://user:pass-word@")
        monkeypatch.setenv("HTTP_PROXY", with_password)
        run = first_look(f"http://{HOST}")

    assert run.unusable == {}
    assert through.lines == [f"GET http://{HOST}/v1/business/pix-charges"]
    assert through.credentials[0] is not None
    assert run.access[0] == f"requests go through the proxy {through.url} (HTTP_PROXY)"
    assert not any("pass-word" in str(exchange.to_dict()) for exchange in run.recorder.exchanges)


def test_an_https_address_is_asked_through_a_tunnel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    answer = hostile.saying(hostile.OK + b"content-length: %d\r\n\r\n" % len(RIGHT) + RIGHT)
    with hostile.raw(answer, context) as address, proxy(HOST, address) as through:
        monkeypatch.setenv("HTTPS_PROXY", through.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        run = first_look(f"https://{HOST}")

    assert run.unusable == {}
    assert through.lines == [f"CONNECT {HOST}:443"]


def test_a_proxy_without_an_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    run = first_look(f"https://{HOST}")
    words = f"no response from https://{HOST} through the proxy http://127.0.0.1:9 (ALL_PROXY): check it, NO_PROXY and"
    assert words in run.unusable[Api.BUSINESS, Role.MERCHANT]


@pytest.mark.parametrize(
    ("no_proxy", "base_url", "is_used"),
    [
        ("", f"https://{HOST}", True),
        (HOST, f"https://{HOST}", False),
        (".example.test", f"https://{HOST}/prefix", False),
        ("*", f"https://{HOST}", False),
        ("other.test", f"https://{HOST}", True),
        ("localhost,127.0.0.1", "https://127.0.0.1:8443", False),
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
