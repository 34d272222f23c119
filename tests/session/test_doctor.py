"""`pix-conformance doctor`: each wrong set-up is named in a sentence, nothing is created, no secret is printed."""

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import trustme

from pix_conformance.model.delivery import Delivery
from pix_conformance.reference.process import start
from pix_conformance.session import doctor
from pix_conformance.session.diagnoses import Diagnosis, status_of
from tests.support import hostile_servers as hostile
from tests.support.clients import account
from tests.support.servers import Answer, always, by_api, serving
from tests.test_command_lines import called

Environment = dict[str, str]
TOKEN, BALANCE = b'{"token": "t", "expiresIn": 60000}', b'{"data": {"pix": {"balance": "0.00"}}}'
NOT_FOUND = by_api(b'{"error": "NOT_FOUND", "message": "no"}', b'{"detail": "no"}', 404)
REFUSED = by_api(b'{"error": "UNAUTHORIZED", "message": "no"}', b'{"detail": "no"}', 401)
HTML = b"<html>hello</html>"
SECRET_OF_FILE = {"PIX_BUSINESS_WEBHOOK_SECRET": "other", "PIX_RECEIVER": "off"}


@pytest.fixture(scope="module")
def right() -> Iterator[Environment]:
    """Yield the variables of both APIs at a running reference."""
    with start() as running:
        further = {"OTHER_KEY": running.credentials["business"]["other_merchant"]}
        yield account(running) | further | {"PORT": running.base_url.rpartition(":")[2]}


@pytest.fixture
def port() -> str:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


def examined(environment: Mapping[str, str], *words: str) -> tuple[int, str]:
    """Return the exit status and the output; no secret of the environment is in it."""
    lines: list[str] = []
    status = doctor.main(words, environment, lines.append)
    text = "\n".join(lines)
    secrets = [
        environment.get(name, "") for name in ("PIX_CLIENT_SECRET", "PIX_API_KEY", "PIX_BUSINESS_WEBHOOK_SECRET")
    ]
    assert not [secret for secret in secrets if len(secret) > 6 and secret in text]
    return status, text


def routes(**more: Answer) -> Answer:
    """Answer as a right server does; `more` are answers by the last part of a path."""
    ways = {"auth": always(200, TOKEN), "pix-charges": always(200, b'{"data": []}'), "pay": NOT_FOUND, **more}
    ways |= {"balance": always(200, BALANCE)}

    def answer(handler: BaseHTTPRequestHandler) -> None:
        ways.get(handler.path.rpartition("/")[2], NOT_FOUND)(handler)

    return answer


BY_VALUES: dict[Diagnosis, tuple[dict[str, str | None], str]] = {
    Diagnosis.EMPTY_ADDRESS: ({"PIX_BASE_URL": ""}, "PIX_BASE_URL is empty"),
    Diagnosis.USAGE: ({"PIX_TARGET": "none.toml"}, "the target file none.toml cannot be read"),
    Diagnosis.NOT_HTTP: ({"PIX_BASE_URL": "sandbox.example"}, "is 'sandbox.example', not an http(s) address"),
    Diagnosis.NO_URL: ({"PIX_BASE_URL": "http://h:port"}, "the address (PIX_BASE_URL or --base-url) is not an http(s)"),
    Diagnosis.QUERY: ({"PIX_BASE_URL": "http://h?x=1"}, "has a query or a fragment: give it without ? and #"),
    Diagnosis.ROUTE: ({"PIX_BASE_URL": "{PIX_BASE_URL}/v1/business"},
        "ends in '/v1/business', which the suite adds itself: set it to http://127.0.0.1:"),
    Diagnosis.PASSWORD: ({"PIX_BASE_URL": "http://bob:hunter2@h"}, "has a user name or a password before the @"),
    Diagnosis.MISSPELT: ({"PIX_BASEURL": "http://h"}, "PIX_BASEURL is not a setting, so it is not used: did you"),
    Diagnosis.UNKNOWN: ({"PIX_ZZ": "1"}, "PIX_ZZ is not a setting, so it is not used: pix-conformance --help"),
    Diagnosis.HALF: ({"PIX_CLIENT_SECRET": None}, "but PIX_CLIENT_ID is set: set it too"),
    Diagnosis.EMPTY: ({"PIX_CLIENT_SECRET": ""}, "PIX_CLIENT_SECRET is given, but empty: give it a value"),
    Diagnosis.SAME: ({"PIX_OTHER_API_KEY": "{PIX_API_KEY}"}, "PIX_API_KEY and PIX_OTHER_API_KEY have the same value"),
    Diagnosis.EDGE: ({"PIX_CLIENT_SECRET": "{PIX_CLIENT_SECRET}\n"}, "PIX_CLIENT_SECRET ends with a line break"),
    Diagnosis.CONTROL: ({"PIX_CLIENT_SECRET": "a\tb"}, "contains a line break or another control character: copy it"),
    Diagnosis.BLANK: ({"PIX_API_KEY": "Bearer {PIX_API_KEY}"}, "PIX_API_KEY contains a blank: a Bearer token has"),
    Diagnosis.BEGINNING: ({"PIX_API_KEY": "{PIX_CLIENT_SECRET}"}, "PIX_API_KEY must begin with ak_test_: give a key"),
    Diagnosis.ENVIRONMENT: ({"PIX_API_KEY": "ak_live_0123"},
        "so it is a key of production: give a key of the sandbox, which begins with ak_test_; this one may"),
    Diagnosis.RANDOM_PORT: ({"PIX_BUSINESS_WEBHOOK_SECRET": "s"}, "give --receiver-listen with the port of"),
    Diagnosis.QUOTED: ({"PIX_CLIENT_ID": "'{PIX_CLIENT_ID}'"}, "PIX_CLIENT_ID is in quotes, which are sent too: "),
    Diagnosis.PLACEHOLDER: ({"PIX_CLIENT_SECRET": "..."}, "PIX_CLIENT_SECRET is a placeholder, no value: copy it"),
    Diagnosis.KEY_IN_PAIR: ({"PIX_CLIENT_SECRET": "{PIX_API_KEY}"}, "PIX_CLIENT_SECRET is a key of the business API"),
    Diagnosis.KEY_AS_SECRET: ({"PIX_BUSINESS_WEBHOOK_SECRET": "ak_test_9", "PIX_RECEIVER_LISTEN": "127.0.0.1:{port}"},
        "PIX_BUSINESS_WEBHOOK_SECRET is an API key, not the secret of the endpoint"),
    Diagnosis.NO_EMAIL: ({"PIX_SPLIT_EMAIL": "joe"}, "PIX_SPLIT_EMAIL is no e-mail: give that of a company"),
    Diagnosis.NO_PIX_KEY: ({"PIX_TRANSFER_KEY": "123"}, "PIX_TRANSFER_KEY is no PIX key: give a CPF, CNPJ, +55 phone"),
    Diagnosis.RECEIVER_HTTP: ({"PIX_RECEIVER_TLS": "off"}, "but a webhook needs https: give an https --receiver"),
    Diagnosis.RECEIVER_PATH: ({"PIX_RECEIVER_URL": "https://127.0.0.1:9/business"}, "ends in /business: give it"),
    Diagnosis.RECEIVER_LOCAL: ({"PIX_BASE_URL": "http://0.0.0.0:{PORT}", "PIX_RECEIVER_URL": "https://127.0.0.1:9"},
        "only this machine reaches https://127.0.0.1:9, and the target is elsewhere: give the https address of"),
    Diagnosis.NO_HOST: ({"PIX_BASE_URL": "http://no-such-host.invalid"}, "cannot be resolved: check PIX_BASE_URL"),
    Diagnosis.CLOSED: ({"PIX_BASE_URL": "http://127.0.0.1:9"}, "no connection to http://127.0.0.1:9: check PIX_BASE"),
    Diagnosis.IS_HTTP: ({"PIX_BASE_URL": "https://127.0.0.1:{PORT}"}, "plain HTTP, without TLS: set PIX_BASE_URL=http"),
    Diagnosis.SWAPPED: ({"PIX_CLIENT_ID": "{PIX_CLIENT_SECRET}", "PIX_CLIENT_SECRET": "{PIX_CLIENT_ID}"},
        "PIX_CLIENT_ID and PIX_CLIENT_SECRET are swapped: the login the other way round"),
    Diagnosis.REFUSED: ({"PIX_API_KEY": "ak_test_1"}, "belongs to http://127.0.0.1:{PORT}, has not expired"),
    Diagnosis.REFUSED_AT_PATH: ({"PIX_BASE_URL": "{PIX_BASE_URL}/pix"}, "check the path of PIX_BASE_URL first, http"),
    Diagnosis.EMPTY_WALLET: ({}, "the wallet of PIX_CLIENT_ID is empty: a run first creates and pays"),
    Diagnosis.NOT_REVOKED: ({"PIX_REVOKED_API_KEY": "{OTHER_KEY}"}, "PIX_REVOKED_API_KEY is accepted: revoke"),
    Diagnosis.NOT_LISTENING: ({"PIX_RECEIVER_LISTEN": "127.0.0.1:{PORT}"}, "cannot listen on 127.0.0.1:{PORT}: "),
    Diagnosis.RECEIVER_HOST: ({"PIX_RECEIVER_URL": "https://no-such-host.invalid"}, ": check PIX_RECEIVER_URL or"),
    Diagnosis.RECEIVER_CLOSED: ({"PIX_RECEIVER_URL": "https://0.0.0.0:9", "PIX_RECEIVER_LISTEN": "127.0.0.1:{port}"},
        "no connection to the receiver's address https://0.0.0.0:9: start the tunnel to https://127.0.0.1:{port}"),
    Diagnosis.RECEIVER_PORT: ({"PIX_RECEIVER_URL": "https://127.0.0.1:9", "PIX_RECEIVER_LISTEN": "127.0.0.1:{port}"},
        "has port 9, but the receiver listens on {port}: give the same port twice"),
    Diagnosis.RECEIVER_TLS: ({"PIX_RECEIVER_URL": "https://0.0.0.0:{port}", "PIX_RECEIVER_LISTEN": "0.0.0.0:{port}"},
        "the certificate at https://0.0.0.0:{port} is not trusted: give --receiver-tls CERT,KEY"),
    Diagnosis.RECEIVER_NO_TLS: (
        {"PIX_RECEIVER_URL": "https://0.0.0.0:{PORT}", "PIX_RECEIVER_LISTEN": "127.0.0.1:{port}"},
        "https://0.0.0.0:{PORT} speaks no TLS: give --receiver-tls self-signed",
    ),
    Diagnosis.RECEIVER_ANOTHER: (
        {"PIX_RECEIVER_URL": "http://0.0.0.0:{PORT}", "PIX_RECEIVER_LISTEN": "127.0.0.1:{port}"},
        "another program answers at http://0.0.0.0:{PORT} (status",
    ),
}  # fmt: skip


@pytest.mark.parametrize("diagnosis", BY_VALUES, ids=lambda diagnosis: diagnosis.name)
def test_a_wrong_value_is_named(diagnosis: Diagnosis, right: Environment, port: str) -> None:
    """Each table row makes the set-up from a right one, and has words of the sentence."""
    changes, words = BY_VALUES[diagnosis]
    wrong = {name: value.format(**right, port=port) for name, value in changes.items() if value is not None}

    status, text = examined({name: value for name, value in right.items() if name not in changes} | wrong)

    assert words.format(**right, port=port) in text
    assert status == diagnosis.status


LATE = routes(auth=always(200, TOKEN, Date="Sat, 01 Jan 2028 00:00:00 GMT"))
FULL = always(429, b'{"error": "RATE_LIMITED", "message": "no"}', Retry_After="1")
BY_SERVER: dict[Diagnosis, tuple[Answer, str]] = {
    Diagnosis.REDIRECTED: (always(302, b"", Location="https://b.example/x"), "is redirected to https://b.example/x"),
    Diagnosis.MOVED_TO_HTTPS: (always(301, b"", Location="https://127.0.0.1:1/api/auth"),
        "redirects to https: set PIX_BASE_URL=https://127.0.0.1:1"),
    Diagnosis.PAGE: (always(200, HTML, "text/html"), "POST /api/auth returned a web page (200), so this is not"),
    Diagnosis.NOTHING_BUILT: (
        always(404, b"{}"),
        "has no route of the payments API: POST /api/auth and others return 404: check PIX_BASE_URL, its host and",
    ),
    Diagnosis.UNAVAILABLE: (always(503, HTML, "text/html"), "the service is not available (503 from http://127.0.0.1"),
    Diagnosis.LIMITED: (FULL, "POST /api/auth is rate-limited at once (429): wait for 1 s, then give --rate 5"),
    Diagnosis.FORBIDDEN: (by_api(b'{"error": "F", "message": "no"}', b"{}", 403), "allows this machine's IP address"),
    Diagnosis.NOT_ASKED: (REFUSED, "not asked, no more requests may be sent"),
    Diagnosis.CLOCK: (LATE, " s ahead, by this machine's: set the wrong one"),
    Diagnosis.NO_SANDBOX: (routes(pay=always(404, b"{}")), "the target has no sandbox route, /api/v1/pix/in/qrcode/"),
    Diagnosis.MAY_BE_PRODUCTION: (routes(pay=always(404, b'{"error": "NOT_FOUND", "message": "no", "detail": "no"}')),
        "note     whether PIX_CLIENT_ID and PIX_CLIENT_SECRET are of the sandbox is not known: production may"),
    Diagnosis.PRODUCTION: (routes(pay=always(403, b'{"error": "FORBIDDEN", "message": "no"}')),
        "a sandbox route refuses PIX_CLIENT_ID and PIX_CLIENT_SECRET with 403, as it does production: give those of"),
}  # fmt: skip


@pytest.mark.parametrize("diagnosis", BY_SERVER, ids=lambda diagnosis: diagnosis.name)
def test_what_a_server_answers_is_named_within_ten_requests(diagnosis: Diagnosis, right: Environment) -> None:
    """Six credentials are given. Nothing but logins and reads is sent, and with --sandbox a payment of no charge."""
    answer, words = BY_SERVER[diagnosis]
    asked: list[tuple[str, str]] = []

    def noted(handler: BaseHTTPRequestHandler) -> None:
        asked.append((handler.command, handler.path.rpartition("/")[2]))
        answer(handler)

    of_sandbox = {Diagnosis.NO_SANDBOX, Diagnosis.PRODUCTION, Diagnosis.MAY_BE_PRODUCTION}
    words_given = ["--sandbox"] if diagnosis in of_sandbox else []
    pairs = {f"PIX_{role}_CLIENT_{part}": f"{role}{part}" for role in ("OTHER", "LIVE") for part in ("ID", "SECRET")}
    keys = {"PIX_OTHER_API_KEY": "ak_test_2", "PIX_LIVE_API_KEY": "ak_live_3"}
    with serving(noted) as url:
        status, text = examined(right | pairs | keys | {"PIX_BASE_URL": url, "PIX_RECEIVER": "off"}, *words_given)

    assert words in text
    assert status == (4 if diagnosis is Diagnosis.NOT_ASKED else diagnosis.status)
    assert len(asked) <= 10
    assert {route for method, route in asked if method != "GET"} <= {"auth", *(["pay"] if words_given else [])}


def certified(folder: Path, host: str, until: datetime | None = None) -> ssl.SSLContext:
    """Return a TLS context for a host, and write the certificate of its authority into the folder."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host, not_before=datetime(2001, 1, 1, tzinfo=UTC), not_after=until).configure_cert(context)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    return context


HERE, PAST = "127.0.0.1", datetime(2002, 1, 1, tzinfo=UTC)
BY_CONNECTION: dict[Diagnosis, tuple[str, Callable[[Path], ssl.SSLContext | None], str]] = {
    Diagnosis.UNTRUSTED: ("https", lambda _: hostile.self_signed(), "unknown authority: check PIX_BASE_URL, or"),
    Diagnosis.EXPIRED: ("https", lambda folder: certified(folder, HERE, PAST), "its certificate has expired: renew it"),
    Diagnosis.OTHER_NAME: ("https", lambda path: certified(path, "b.example"), "its certificate is for another host"),
    Diagnosis.IS_HTTPS: ("http", lambda _: hostile.self_signed(), "speaks TLS: set PIX_BASE_URL=https://127.0.0.1:"),
    Diagnosis.NO_TLS: ("https", lambda _: None, "the TLS connection to https://127.0.0.1"),
    Diagnosis.SILENT: ("http", lambda _: None, "no response from http://127.0.0.1"),
}


@pytest.mark.parametrize("diagnosis", BY_CONNECTION, ids=lambda diagnosis: diagnosis.name)
def test_a_connection_that_carries_no_response_is_named(
    diagnosis: Diagnosis, right: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server sends noise or nothing; with TLS, its certificate is the fault, or that the address has http."""
    scheme, tls, words = BY_CONNECTION[diagnosis]
    noise = b"" if diagnosis is Diagnosis.SILENT else b"noise"
    with hostile.raw(hostile.saying(noise, reads_head=False), tls(tmp_path)) as address:
        if (tmp_path / "ca.pem").exists():
            monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        status, text = examined(right | {"PIX_BASE_URL": f"{scheme}://{address}"})
    assert words in text
    assert status == diagnosis.status
    assert "_ssl" not in text
    assert ("SSL_CERT_FILE" in text) == (diagnosis is Diagnosis.UNTRUSTED)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda _: time.sleep(2.0), "within 0.5 s: check PIX_BASE_URL, and the firewalls between"),
        (routes(**{"pix-charges": lambda _: time.sleep(2.0)}), "took more than 0.5 s: see the log of the target"),
    ],
    ids=["NO_ANSWER", "SLOW"],
)
def test_a_silent_or_slow_target_ends_the_look(
    answer: Answer, words: str, right: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "MOST_SECONDS", 0.5)
    with serving(answer) as url:
        status, text = examined(right | {"PIX_BASE_URL": url})
    assert (status, words in text) == (6, True)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "no connection to the proxy http://127.0.0.1:9 (HTTP_PROXY): start it"),
        (always(407, b""), "wants a login (407)"),
    ],
    ids=["PROXY_CLOSED", "PROXY_LOGIN"],
)
def test_a_proxy_is_named(
    answer: Answer | None, words: str, right: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    with serving(answer or always(500, b"")) as url:
        monkeypatch.setenv("HTTP_PROXY", url if answer else "http://127.0.0.1:9")
        assert words in examined(right)[1]


def test_a_proxy_that_sends_no_response_is_named(right: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    with hostile.raw(hostile.saying(b"")) as address:
        monkeypatch.setenv("HTTP_PROXY", f"http://{address}")
        status, text = examined(right)
    assert (status, f"the proxy http://{address} (HTTP_PROXY): check it, NO_PROXY and PIX_BASE_URL (" in text) == (
        6,
        True,
    )


def test_a_page_of_a_tunnel_is_named(right: Environment, port: str) -> None:
    with serving(always(502, HTML, "text/html")) as url:
        public = {"PIX_RECEIVER_URL": url.replace("127.0.0.1", "0.0.0.0"), "PIX_RECEIVER_LISTEN": f"127.0.0.1:{port}"}  # noqa: S104  # an address that is no loopback one
        status, text = examined(right | public)
    assert (status, "shows a web page of its own (status 502" in text) == (4, True)


def test_a_secret_that_signed_no_recorded_delivery_is_named(right: Environment, tmp_path: Path) -> None:
    event = json.dumps({"id": "e", "type": "business.pix.paid", "data": {}}).encode()
    headers = (("X-Service-Signature", "t=1,v1=00"),)
    file = tmp_path / "deliveries.jsonl"
    file.write_text(json.dumps(Delivery(1, "/business", "POST", 1.0, headers, event).to_dict()) + "\n")
    status, text = examined(right | SECRET_OF_FILE, "--deliveries", str(file))
    assert (status, "signed none of the 1 deliveries of --deliveries: give the secret" in text) == (4, True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "no address is given, so a run tests the embedded reference: export PIX_BASE_URL and PIX_CLIENT_ID and"),
        (("PIX_BASE_URL",), "but no credential: set PIX_CLIENT_ID and PIX_CLIENT_SECRET, or PIX_API_KEY"),
        (("PIX_API_KEY",), "a credential is set, but no address: set PIX_BASE_URL or --base-url"),
    ],
    ids=["NO_SETTINGS", "NO_CREDENTIAL", "NO_ADDRESS"],
)
def test_what_is_missing_is_named(given: tuple[str, ...], words: str, right: Environment) -> None:
    status, text = examined({name: right[name] for name in given})
    assert (status, words in text) == (4, True)


def test_every_diagnosis_has_a_set_up() -> None:
    """Those of one test each are listed here; the tests of preflight, first connection and target file make more."""
    alone = "NO_ANSWER SLOW PROXY PROXY_LOGIN RECEIVER_PAGE FILE_SECRET NO_SETTINGS NO_CREDENTIAL NO_ADDRESS UNSENDABLE"
    alone += " ALERT CERTIFICATE_WANTED CERTIFICATE_REFUSED HTTP2_ONLY NO_HTTP_CAME PROXY_REFUSED PROXY_UNAVAILABLE"
    alone += " HEADER OWN_HEADER GATE_WITHOUT_TARGET PROXY_CLOSED TABLE_OF_FILE TABLE_AS_VALUE"
    tables = BY_VALUES.keys() | BY_SERVER.keys() | BY_CONNECTION.keys()
    assert set(Diagnosis) == tables | {Diagnosis[name] for name in alone.split()}


def test_a_right_set_up_ends_with_0_and_says_what_more_could_be_tested(right: Environment) -> None:
    status, text = examined(right)
    assert (status, text.splitlines()[-1]) == (0, "nothing is wrong")
    assert "PIX_SPLIT_EMAIL unlocks up to 17 requirements" in text
    assert "this machine reaches it" in text


def test_the_command_has_a_help_with_its_exit_statuses() -> None:
    done = called("conformance", "doctor", "--help")
    assert (done.returncode, "4 the set-up is wrong" in done.stdout) == (0, True)
    assert called("conformance", "doctor", "--no-such-option").returncode == 4
    assert status_of([]) == 0
