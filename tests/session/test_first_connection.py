"""What came of a connection is named: not HTTP, HTTP/2 only, TLS refused, a client certificate demanded, a proxy."""

import socket
import ssl
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import trustme

from tests.session.test_doctor import examined
from tests.support import hostile_servers as hostile
from tests.support.servers import always, serving

HOST = "127.0.0.1"
KEY = {"PIX_API_KEY": "ak_test_1", "PIX_RECEIVER": "off", "NO_PROXY": ""}
LISTING = b'{"items": [], "total": 0, "limit": 50, "offset": 0}'
ANSWER = hostile.OK + b"content-length: %d\r\n\r\n" % len(LISTING) + LISTING
SETTINGS_FRAME = bytes(3) + b"\x04" + bytes(5)
NO_PROTOCOL, OLD_PROTOCOL = 120, 70
"""Numbers of TLS alerts (RFC 7301, RFC 8446)."""


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """An authority that the suite trusts, and that has issued a client certificate."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    client = authority.issue_cert("client.example")
    client.private_key_and_cert_chain_pem.write_to_path(tmp_path / "client.pem")
    trustme.CA().issue_cert("other.example").private_key_and_cert_chain_pem.write_to_path(tmp_path / "other.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    return authority


def server_tls(authority: trustme.CA, version: ssl.TLSVersion, *, asks: bool) -> ssl.SSLContext:
    """Return the TLS of a server of one version, which may demand a client certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    context.minimum_version = context.maximum_version = version
    if asks:
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("certificate", "status", "words"),
    [
        ("", 4, "demands a client certificate (TLS alert '"),
        ("other.pem", 4, "refuses the client certificate of PIX_CLIENT_CERT (TLS alert '"),
        ("client.pem", 0, "business merchant (PIX_API_KEY): accepted"),
    ],
)
def test_a_client_certificate_is_demanded_refused_or_accepted(  # noqa: PLR0913, PLR0917  # two fixtures and a row
    certificate: str, status: int, words: str, version: ssl.TLSVersion, authority: trustme.CA, tmp_path: Path
) -> None:
    given = {"PIX_CLIENT_CERT": str(tmp_path / certificate)} if certificate else {}
    with hostile.raw(hostile.saying(ANSWER), server_tls(authority, version, asks=True)) as address:
        done = examined(KEY | given | {"PIX_BASE_URL": f"https://{address}"})
    assert (done[0], words in done[1]) == (status, True), done[1]


@pytest.mark.parametrize("name", ["nothing.pem", "ca.pem"])
def test_a_client_certificate_that_cannot_be_used_is_a_usage_error(
    name: str, authority: trustme.CA, tmp_path: Path
) -> None:
    assert authority
    status, text = examined(KEY | {"PIX_BASE_URL": f"https://{HOST}:9", "PIX_CLIENT_CERT": str(tmp_path / name)})
    assert (status, f"PIX_CLIENT_CERT (or --client-cert) is {tmp_path / name}, which" in text) == (4, True)
    assert "give one PEM file with certificate and key" in text


def http2_only(authority: trustme.CA) -> hostile.Treatment:
    """Refuse a client that does not offer HTTP/2 with an alert, as servers that are not written in Python do."""
    context = server_tls(authority, ssl.TLSVersion.TLSv1_3, asks=False)
    context.set_alpn_protocols(["h2"])

    def treat(connection: socket.socket) -> None:
        if b"\x02h2" in connection.recv(4_096, socket.MSG_PEEK):
            with context.wrap_socket(connection, server_side=True) as encrypted:
                encrypted.recv(1)
        else:
            hostile.saying(b"\x15\x03\x03\x00\x02\x02%c" % NO_PROTOCOL, reads_head=False)(connection)

    return treat


def test_a_server_of_http2_alone_is_named(authority: trustme.CA) -> None:
    for scheme, treatment in (
        ("https", http2_only(authority)),
        ("http", hostile.saying(SETTINGS_FRAME, reads_head=False)),
    ):
        with hostile.raw(treatment) as address:
            status, text = examined(KEY | {"PIX_BASE_URL": f"{scheme}://{address}"})
        assert (status, "speaks HTTP/2 only, and the suite speaks HTTP/1.1: have the" in text) == (4, True), text


def test_another_alert_of_tls_is_named() -> None:
    with hostile.raw(hostile.saying(b"\x15\x03\x03\x00\x02\x02%c" % OLD_PROTOCOL, reads_head=False)) as address:
        status, text = examined(KEY | {"PIX_BASE_URL": f"https://{address}"})
    assert (status, "refused the TLS connection with the alert 'protocol version'" in text) == (4, True), text


UNREADABLE = {
    b"HTTP/1.1 200 OK\r\nX Trace: 1\r\n\r\n": "the response is not valid HTTP/1.1: header name 'X Trace'",
    b"HTTP/1.1 200 OK\r\nXTrace\r\n\r\n": "not valid HTTP/1.1: a header line without a colon, 'XTrace'",
    b"220 mail.example ESMTP\r\n\r\n": "the response is not valid HTTP/1.1: it begins with '220 mail.example ESMTP'",
    b"SSH-2.0-OpenSSH_9.2\r\n": "the response is not valid HTTP/1.1: it begins with 'SSH-2.0-OpenSSH_9.2'",
}


@pytest.mark.parametrize("answer", UNREADABLE)
def test_a_response_that_is_no_http_is_no_silence(answer: bytes) -> None:
    with hostile.raw(hostile.saying(answer)) as address:
        status, text = examined(KEY | {"PIX_BASE_URL": f"http://{address}"})
    assert (status, UNREADABLE[answer] in text, "no response" in text) == (4, True, False), text


def test_a_body_that_ends_early_is_no_other_protocol() -> None:
    with hostile.raw(hostile.saying(hostile.OK + b"content-length: 10\r\n\r\n{")) as address:
        status, text = examined(KEY | {"PIX_BASE_URL": f"http://{address}"})
    assert (status, "peer closed connection" in text, "not valid" in text) == (6, True, False), text


@pytest.mark.parametrize(
    ("scheme", "answer", "words"),
    [
        ("https", 403, "makes no connection to https://h.example (the proxy answered 403"),
        ("https", 407, "wants a login (407)"),
        ("http", 503, "503 came from http://h.example/v1/business/pix-charges or from the proxy http://127.0.0.1:"),
    ],
)
def test_an_answer_of_a_proxy_is_named(scheme: str, answer: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    with serving(always(answer, b"")) as url:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", url)
        status, text = examined(KEY | {"PIX_BASE_URL": f"{scheme}://h.example"})
    assert (status, words in text) == (6 if answer == 503 else 4, True), text


def seen(settings: dict[str, str]) -> tuple[dict[str, str], str]:
    """Return the headers that a target gets with these settings, and what the doctor prints."""
    came: dict[str, str] = {}

    def answer(handler: BaseHTTPRequestHandler) -> None:
        came.update({name.lower(): value for name, value in handler.headers.items()})
        always(401, b'{"detail": "no for gateway-secret-1"}')(handler)

    with serving(answer) as url:
        _, text = examined(KEY | {"PIX_BASE_URL": url} | settings)
    return came, text


def test_more_headers_and_a_user_agent_are_sent_and_their_values_are_secret() -> None:
    given = {"PIX_HEADERS": "X-Gateway-Key: gateway-secret-1\nX-Short: 1", "PIX_USER_AGENT": "gate/2 (qa)"}
    came, text = seen(given)
    assert (came["x-gateway-key"], came["x-short"], came["user-agent"]) == ("gateway-secret-1", "1", "gate/2 (qa)")
    assert "gateway-secret-1" not in text
    assert seen({})[0]["user-agent"] == "pix-conformance"


@pytest.mark.parametrize("line", ["X-Key", "X Key: secret-1", "X-Key: a\x00secret-1", "Authorization: secret-1"])
def test_a_line_that_is_no_header_of_a_user_is_a_usage_error_without_its_value(line: str) -> None:
    status, text = examined(KEY | {"PIX_BASE_URL": "http://127.0.0.1:9", "PIX_HEADERS": line})
    assert (status, "PIX_HEADERS" in text, "secret-1" in text) == (4, True, False), text
